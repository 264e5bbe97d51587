// Finds CSV records and their wanted fields by blocks of 64 bytes. It decodes nothing and reads nothing itself.
//
// Three position masks a block (quotes, delimiters, line ends) are all that is asked of the bytes. What lies inside
// quotes is the running xor of the quote mask; that is right as long as every quote that it takes for an opening one
// stands at the start of a field or right after a closing quote (a doubled quote). Any other quote (`5" pipe`) hands its
// record to CSVRecordReader, after which blocks go on with the next record. Within a run of line ends only the first
// ends a record, so that CRLF and blank lines need no case of their own.
//
// Fields are counted without looking at them: delimiters are counted by the block, and a record's count is the
// difference between its end and its start.

/// The fast scanner of CSV and TSV.
package struct CSVScanner: RecordScanner {
  private let delimiter: UInt8
  private let wanted: WantedColumns

  /// - Parameters:
  ///   - dialect: how the file is written.
  ///   - columnIndexes: the wanted columns, in the order of the fields and in any order of columns, none twice; -1
  ///     where the file has no such column, whose fields are all `.missing`.
  package init(dialect: Dialect, columnIndexes: [Int]) {
    delimiter = dialect.delimiter
    wanted = WantedColumns(columnIndexes)
  }

  package func scan(
    _ window: Span<UInt8>, from: Int, limit: Int, isFinal: Bool, into batch: inout RecordBatch
  ) -> ScanResult {
    let slotCount = wanted.slotCount
    let rowCapacity = max(1, min(CSVLimits.stagedRecords, CSVLimits.stagedFields / max(1, slotCount)))
    let fieldCapacity = rowCapacity &* slotCount
    return unsafe withUnsafeTemporaryAllocation(of: RecordRange.self, capacity: rowCapacity) { ranges in
      unsafe withUnsafeTemporaryAllocation(of: Field.self, capacity: max(1, fieldCapacity)) { fields in
        unsafe withUnsafeTemporaryAllocation(of: CSVBlockMasks.self, capacity: CSVLimits.blocksAhead) { masks in
          unsafe wanted.columns.withUnsafeBufferPointer { columns in
            unsafe wanted.slots.withUnsafeBufferPointer { slots in
              unsafe fields.initialize(repeating: .missing)
              guard let rangeBase = ranges.baseAddress, let fieldBase = fields.baseAddress,
                let maskBase = masks.baseAddress
              else {
                return ScanResult(consumed: from, stop: .windowEnd)
              }
              var stage = unsafe CSVStage(
                ranges: rangeBase, fields: fieldBase, rowCapacity: rowCapacity, slotCount: slotCount,
                room: max(0, batch.recordLimit &- batch.records.count))
              return unsafe scan(
                window, from: from, limit: limit, isFinal: isFinal, columns: columns, slots: slots, masks: maskBase,
                stage: &stage,
                batch: &batch)
            }
          }
        }
      }
    }
  }

  @inline(__always)
  private func scan(
    _ window: Span<UInt8>, from: Int, limit: Int, isFinal: Bool, columns: UnsafeBufferPointer<Int>,
    slots: UnsafeBufferPointer<Int>, masks: UnsafeMutablePointer<CSVBlockMasks>, stage: inout CSVStage,
    batch: inout RecordBatch
  ) -> ScanResult {
    unsafe window.withUnsafeBytes { bytes in
      let count = bytes.count
      guard from < count, let start = bytes.baseAddress else { return ScanResult(consumed: from, stop: .windowEnd) }
      var base = from
      var blocks = CSVBlockState()
      // Where the record began that is being read, or -1 between records.
      var recordStart = -1
      var delimitersBeforeBlock = 0
      var delimitersBeforeRecord = 0
      var pick = unsafe CSVFieldPick(bytes: bytes, columns: columns, slots: slots)

      while base < count {
        // First the masks of a few blocks, then the walk over them: apart, both fit into the processor's registers.
        let filled = unsafe blocks.fill(
          masks, start + base, available: count &- base, delimiter: delimiter)
        for block in 0..<filled.count {
          var ends = unsafe masks[block].ends
          var starts = unsafe masks[block].starts
          let delimiters = unsafe masks[block].delimiters
          var unread = delimiters

          while true {
            if recordStart >= 0 {
              guard ends != 0 else { break }
              let end = base &+ BlockMask.lowest(ends)
              let before = (ends & (0 &- ends)) &- 1
              ends &= ends &- 1
              unsafe pick.take(unread & before, base: base, into: stage.row)
              unsafe pick.finish(recordEnd: end, into: stage.row)
              let delimitersBeforeEnd = delimitersBeforeBlock &+ (delimiters & before).nonzeroBitCount
              unsafe stage.commit(
                start: recordStart, end: end, fieldCount: delimitersBeforeEnd &- delimitersBeforeRecord &+ 1,
                batch: &batch)
              unread &= ~before
              delimitersBeforeRecord = delimitersBeforeEnd
              recordStart = -1
            }
            guard starts != 0 else { break }
            recordStart = base &+ BlockMask.lowest(starts)
            starts &= starts &- 1
            if unsafe recordStart >= limit || stage.room == 0 {
              unsafe stage.flush(into: &batch)
              return ScanResult(consumed: recordStart, stop: recordStart >= limit ? .limitReached : .batchFull)
            }
            unsafe pick.begin(recordStart)
          }
          unsafe pick.take(unread, base: base, into: stage.row)
          delimitersBeforeBlock &+= delimiters.nonzeroBitCount
          base &+= BlockMask.width
        }
        if !filled.endsAtStrayQuote { continue }

        // The record with the stray quote is read again from its start, and blocks begin anew at its end.
        let end = unsafe CSVRecordReader.read(
          window, from: recordStart, delimiter: delimiter, isFinal: isFinal, wanted: wanted, row: stage.row)
        guard case .complete(let recordEnd, let fieldCount) = end else {
          unsafe stage.flush(into: &batch)
          return CSVScanner.result(of: end, recordStart: recordStart)
        }
        unsafe stage.commit(start: recordStart, end: recordEnd, fieldCount: fieldCount, batch: &batch)
        recordStart = -1
        base = recordEnd
        blocks = CSVBlockState()
        delimitersBeforeBlock = 0
        delimitersBeforeRecord = 0
      }

      if recordStart < 0 {
        unsafe stage.flush(into: &batch)
        return ScanResult(consumed: count, stop: .windowEnd)
      }
      if isFinal && blocks.inside == 0 {
        unsafe pick.finish(recordEnd: count, into: stage.row)
        unsafe stage.commit(
          start: recordStart, end: count,
          fieldCount: delimitersBeforeBlock &- delimitersBeforeRecord &+ 1, batch: &batch)
        unsafe stage.flush(into: &batch)
        return ScanResult(consumed: count, stop: .windowEnd)
      }
      unsafe stage.flush(into: &batch)
      guard isFinal else { return ScanResult(consumed: recordStart, stop: .windowEnd) }
      // Inside quotes at the end of the input: the slow reading knows where they opened.
      let end = CSVRecordReader.read(window, from: recordStart, delimiter: delimiter, isFinal: true) { _, _ in }
      return CSVScanner.result(of: end, recordStart: recordStart)
    }
  }

  /// What a scan says when a record could not be read to its end.
  private static func result(of end: CSVRecordEnd, recordStart: Int) -> ScanResult {
    if case .unclosedQuote(let offset) = end {
      let damage = Damage(offset: offset, reason: CSVRecordReader.unclosedQuoteReason, recordStart: recordStart)
      return ScanResult(consumed: recordStart, stop: .damage(damage))
    }
    return ScanResult(consumed: recordStart, stop: .windowEnd)
  }

  /// Where a reader that begins in the middle of a file may assume that a record begins, if it is outside quotes: the first
  /// position after a line end at or after `from` that is not a line end itself.
  ///
  /// To have the record that may begin at a position p itself, ask from p - 1.
  ///
  /// - Returns: nil where there is none in the window.
  package static func assumedRecordStart(_ window: Span<UInt8>, from: Int) -> Int? {
    var index = max(0, from)
    while index < window.count, !CSVByte.isLineEnd(window[index]) { index &+= 1 }
    index = CSVByte.endOfLineEnds(window, from: index)
    return index < window.count ? index : nil
  }
}
