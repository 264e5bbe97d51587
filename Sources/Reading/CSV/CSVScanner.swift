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

import ScanningKernels

/// The fast scanner of CSV and TSV.
package struct CSVScanner: RecordScanner {
  private let delimiter: UInt8
  private let wanted: WantedColumns
  /// Whether blocks are read by the kernel; nil: if it is faster here. The result is the same.
  package var usesKernel: Bool?

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
    let stageBytes = unsafe CSVStage.byteCount(rowCapacity: rowCapacity, slotCount: slotCount)
    return unsafe withUnsafeTemporaryAllocation(byteCount: CSVBlockGroup.byteCount &+ stageBytes, alignment: 16) {
      memory in
      unsafe wanted.columns.withUnsafeBufferPointer { columns in
        unsafe wanted.slots.withUnsafeBufferPointer { slots in
          guard let memory = memory.baseAddress else { return ScanResult(consumed: from, stop: .windowEnd) }
          var group = unsafe CSVBlockGroup(memory)
          var stage = unsafe CSVStage(
            memory + CSVBlockGroup.byteCount, rowCapacity: rowCapacity, slotCount: slotCount,
            room: max(0, batch.recordLimit &- batch.records.count))
          return unsafe scan(
            window, from: from, limit: limit, isFinal: isFinal, columns: columns, slots: slots, group: &group,
            stage: &stage, batch: &batch)
        }
      }
    }
  }

  @inline(__always)
  private func scan(
    _ window: Span<UInt8>, from: Int, limit: Int, isFinal: Bool, columns: UnsafeBufferPointer<Int>,
    slots: UnsafeBufferPointer<Int>, group: inout CSVBlockGroup, stage: inout CSVStage,
    batch: inout RecordBatch
  ) -> ScanResult {
    unsafe window.withUnsafeBytes { bytes in
      let count = bytes.count
      var recordStart = unsafe CSVScanner.recordStart(bytes, at: from)
      // No record is read that begins here or later.
      let stop = min(count, limit)
      guard unsafe recordStart < stop && stage.room > 0, let start = bytes.baseAddress else {
        return CSVScanner.result(at: recordStart, count: count, limit: limit)
      }
      let usesKernel = usesKernel ?? Kernels.areFast
      var base = recordStart
      var blocks = CSVBlockState()
      var delimitersBeforeGroup = 0
      var delimitersBeforeRecord = 0
      var pick = unsafe CSVFieldPick(bytes: bytes, columns: columns, slots: slots)
      unsafe pick.begin(recordStart)

      while base < count {
        unsafe group.fill(&blocks, start + base, available: count &- base, delimiter: delimiter, usesKernel: usesKernel)
        // Where the record that is being read goes on in this group; beyond it, where line ends fill the rest.
        var position = max(0, recordStart &- base)
        for number in unsafe 0..<group.endCount {
          let end = unsafe group.end(number)
          unsafe pick.take(group, position, end, base: base, into: stage.row)
          unsafe pick.finish(recordEnd: base &+ end, into: stage.row)
          let delimitersBeforeEnd = unsafe delimitersBeforeGroup &+ group.delimiterCount(before: end)
          unsafe stage.commit(
            start: recordStart, end: base &+ end, fieldCount: delimitersBeforeEnd &- delimitersBeforeRecord &+ 1,
            batch: &batch)
          delimitersBeforeRecord = delimitersBeforeEnd
          recordStart = unsafe CSVScanner.recordStart(bytes, at: base &+ end)
          if unsafe recordStart >= stop || stage.room == 0 {
            unsafe stage.flush(into: &batch)
            return CSVScanner.result(at: recordStart, count: count, limit: limit)
          }
          position = recordStart &- base
          unsafe pick.begin(recordStart)
        }
        if unsafe !group.endsAtStrayQuote {
          unsafe pick.take(group, position, group.count, base: base, into: stage.row)
          unsafe delimitersBeforeGroup &+= group.delimiterCount
          unsafe base &+= group.count
          continue
        }

        // The record with the stray quote is read again from its start, and blocks begin anew after it.
        let end = unsafe CSVRecordReader.read(
          window, from: recordStart, delimiter: delimiter, isFinal: isFinal, wanted: wanted, row: stage.row)
        guard case .complete(let recordEnd, let fieldCount) = end else {
          unsafe stage.flush(into: &batch)
          return CSVScanner.result(of: end, recordStart: recordStart)
        }
        unsafe stage.commit(start: recordStart, end: recordEnd, fieldCount: fieldCount, batch: &batch)
        recordStart = unsafe CSVScanner.recordStart(bytes, at: recordEnd)
        if unsafe recordStart >= stop || stage.room == 0 {
          unsafe stage.flush(into: &batch)
          return CSVScanner.result(at: recordStart, count: count, limit: limit)
        }
        base = recordStart
        blocks = CSVBlockState()
        delimitersBeforeGroup = 0
        delimitersBeforeRecord = 0
        unsafe pick.begin(recordStart)
      }

      // The window ends inside a record.
      if isFinal && blocks.carried.inside == 0 {
        unsafe pick.finish(recordEnd: count, into: stage.row)
        unsafe stage.commit(
          start: recordStart, end: count, fieldCount: delimitersBeforeGroup &- delimitersBeforeRecord &+ 1,
          batch: &batch)
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

  /// The first byte at or after a position that is no line end, or the window's end.
  @inline(__always)
  private static func recordStart(_ bytes: UnsafeRawBufferPointer, at position: Int) -> Int {
    var index = position
    while unsafe index < bytes.count && CSVByte.isLineEnd(bytes[index]) { index &+= 1 }
    return index
  }

  /// What a scan says that ends before a record.
  private static func result(at recordStart: Int, count: Int, limit: Int) -> ScanResult {
    if recordStart >= count { return ScanResult(consumed: recordStart, stop: .windowEnd) }
    return ScanResult(consumed: recordStart, stop: recordStart >= limit ? .limitReached : .batchFull)
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
