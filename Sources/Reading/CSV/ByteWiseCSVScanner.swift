// The slow twin of CSVScanner: the same answers, found a byte at a time. It is what the tests hold the fast one
// against, and nothing else runs it.

/// Finds CSV records a byte at a time.
package struct ByteWiseCSVScanner: RecordScanner {
  private let delimiter: UInt8
  private let wanted: WantedColumns

  /// - Parameters:
  ///   - dialect: how the file is written.
  ///   - columnIndexes: the wanted columns, in the order of the fields; -1 where the file has no such column.
  package init(dialect: Dialect, columnIndexes: [Int]) {
    delimiter = dialect.delimiter
    wanted = WantedColumns(columnIndexes)
  }

  package func scan(
    _ window: Span<UInt8>, from: Int, limit: Int, isFinal: Bool, into batch: inout RecordBatch
  ) -> ScanResult {
    var row = [Field](repeating: .missing, count: wanted.slotCount)
    var index = from
    while true {
      index = CSVByte.endOfLineEnds(window, from: index)
      if index >= window.count { return ScanResult(consumed: index, stop: .windowEnd) }
      if index >= limit { return ScanResult(consumed: index, stop: .limitReached) }
      if batch.records.count >= batch.recordLimit { return ScanResult(consumed: index, stop: .batchFull) }
      let start = index
      for slot in row.indices { row[slot] = .missing }
      var next = 0
      let end = CSVRecordReader.read(window, from: start, delimiter: delimiter, isFinal: isFinal) { column, field in
        while next < wanted.columns.count, wanted.columns[next] == column {
          row[wanted.slots[next]] = field
          next &+= 1
        }
      }
      switch end {
      case .complete(let end, let fieldCount):
        batch.records.append(
          RecordRange(
            start: UInt32(truncatingIfNeeded: start), count: UInt32(truncatingIfNeeded: end &- start),
            fieldCount: UInt32(truncatingIfNeeded: fieldCount)))
        batch.fields.append(contentsOf: row)
        index = end
      case .incomplete:
        return ScanResult(consumed: start, stop: .windowEnd)
      case .unclosedQuote(let offset):
        let damage = Damage(offset: offset, reason: CSVRecordReader.unclosedQuoteReason, recordStart: start)
        return ScanResult(consumed: start, stop: .damage(damage))
      }
    }
  }
}
