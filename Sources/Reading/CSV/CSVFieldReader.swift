// Picks the cells of single records, for the rows that are printed. Like CSVScanner it goes by blocks of 64 bytes as
// long as quotes stand where a clean file has them, and reads a record with a quote elsewhere a byte at a time.

/// Finds the cells of a record.
package struct CSVFieldReader: FieldReader {
  private let delimiter: UInt8
  private let wanted: WantedColumns
  /// The header's width where the cells beyond it are asked for, else `Int.max`.
  private let firstExtra: Int
  /// Whether the wanted columns are 0, 1, 2, …, so that a cell's place is its index.
  private let isWhole: Bool

  /// - Parameters:
  ///   - dialect: how the file is written.
  ///   - columnIndexes: the columns in the order of the fields; -1 where the file has no such column.
  ///   - width: the number of columns of the header.
  ///   - includesExtras: whether the cells beyond `width` follow after the columns.
  package init(dialect: Dialect, columnIndexes: [Int], width: Int, includesExtras: Bool) {
    delimiter = dialect.delimiter
    wanted = WantedColumns(columnIndexes)
    firstExtra = includesExtras ? width : .max
    isWhole = columnIndexes.indices.allSatisfy { columnIndexes[$0] == $0 }
  }

  /// Finds the fields of the columns; with extras, the cells beyond the header's width follow in their order.
  ///
  /// - Complexity: linear in the record up to the last wanted cell.
  package func read(_ record: Span<UInt8>, into fields: inout [Field]) {
    fields.removeAll(keepingCapacity: true)
    if !readBlocks(record, into: &fields) {
      fields.removeAll(keepingCapacity: true)
      readBytes(record, into: &fields)
    }
    while fields.count < wanted.slotCount { fields.append(.missing) }
  }

  /// - Returns: whether all quotes were where a clean file has them; if not, `fields` is worth nothing.
  @inline(__always)
  private func readBlocks(_ record: Span<UInt8>, into fields: inout [Field]) -> Bool {
    unsafe record.withUnsafeBytes { bytes in
      let count = bytes.count
      var row = CSVRow(self, &fields)
      var state = CSVBlockState()
      var fieldStart = 0
      var base = 0
      while base < count, let start = bytes.baseAddress {
        var masks = CSVBlockMasks(delimiters: 0, ends: 0)
        let strayQuotes =
          count &- base < BlockMask.width
          ? unsafe state.tail(start + base, count: count &- base, delimiter: delimiter, into: &masks)
          : unsafe state.next(start + base, delimiter: delimiter, into: &masks)
        var delimiters = masks.delimiters
        while delimiters != 0 {
          let end = base &+ BlockMask.lowest(delimiters)
          delimiters &= delimiters &- 1
          unsafe row.put(CSVFieldPick.field(bytes, fieldStart, end), self, &fields)
          fieldStart = end &+ 1
        }
        if strayQuotes != 0 { return false }
        if row.isDone(self) { return true }
        base &+= BlockMask.width
      }
      unsafe row.put(CSVFieldPick.field(bytes, fieldStart, count), self, &fields)
      return true
    }
  }

  /// The same, a byte at a time.
  @inline(never)
  private func readBytes(_ record: Span<UInt8>, into fields: inout [Field]) {
    var row = CSVRow(self, &fields)
    _ = CSVRecordReader.read(record, from: 0, delimiter: delimiter, isFinal: true) { _, field in
      row.put(field, self, &fields)
    }
  }

  /// Where the next cell goes.
  private struct CSVRow {
    /// The index of the next cell.
    private var column = 0
    /// How many of the wanted columns are done.
    private var done = 0

    @inline(__always)
    init(_ reader: borrowing CSVFieldReader, _ fields: inout [Field]) {
      if reader.isWhole { return }
      for _ in 0..<reader.wanted.slotCount { fields.append(.missing) }
    }

    @inline(__always)
    mutating func put(_ field: Field, _ reader: borrowing CSVFieldReader, _ fields: inout [Field]) {
      if reader.isWhole {
        if column < reader.wanted.slotCount || column >= reader.firstExtra { fields.append(field) }
      } else {
        while done < reader.wanted.columns.count, reader.wanted.columns[done] == column {
          fields[reader.wanted.slots[done]] = field
          done &+= 1
        }
        if column >= reader.firstExtra { fields.append(field) }
      }
      column &+= 1
    }

    /// Whether no later cell is asked for.
    @inline(__always)
    func isDone(_ reader: borrowing CSVFieldReader) -> Bool {
      guard reader.firstExtra == .max else { return false }
      return reader.isWhole ? column >= reader.wanted.slotCount : done == reader.wanted.columns.count
    }
  }
}
