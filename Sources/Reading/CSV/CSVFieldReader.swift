// Picks the cells of single records, for the rows that are printed. Like CSVScanner it goes by blocks of 64 bytes as
// long as quotes stand where a clean file has them, and reads a record with a quote elsewhere a byte at a time.

/// Finds the cells of a record.
package struct CSVFieldReader: FieldReader {
  private let delimiter: UInt8
  private let wanted: WantedColumns
  /// Whether the wanted columns are 0, 1, 2, …, so that a cell's place is its index.
  private let isWhole: Bool
  private let includesExtras: Bool
  /// The column where reading by blocks ends: that of the first extra cell, or the one after the last wanted.
  private let endColumn: Int

  /// - Parameters:
  ///   - dialect: how the file is written.
  ///   - columnIndexes: the columns in the order of the fields, in any order and as often as one likes, all below
  ///     `width`; -1 where the file has no such column.
  ///   - width: the number of columns of the header.
  ///   - includesExtras: whether the cells beyond `width` follow after the columns.
  package init(dialect: Dialect, columnIndexes: [Int], width: Int, includesExtras: Bool) {
    delimiter = dialect.delimiter
    wanted = WantedColumns(columnIndexes)
    isWhole = columnIndexes.indices.allSatisfy { columnIndexes[$0] == $0 }
    self.includesExtras = includesExtras
    endColumn = includesExtras ? max(0, width) : (wanted.columns.last ?? -1) + 1
  }

  /// Finds the fields of the columns; with extras, the cells beyond the header's width follow in their order.
  ///
  /// - Complexity: linear in the record up to the last wanted cell.
  @discardableResult
  package func read(_ record: Span<UInt8>, into fields: inout [Field]) -> Bool {
    let slotCount = wanted.slotCount
    if fields.count > slotCount { fields.removeLast(fields.count &- slotCount) }
    while fields.count < slotCount { fields.append(.missing) }
    let end = unsafe fields.withUnsafeMutableBufferPointer { row in unsafe readBlocks(record, into: row) }
    switch end {
    case .done:
      break
    case .firstExtra(let start):
      _ = CSVRecordReader.read(record, from: start, delimiter: delimiter, isFinal: true) { _, field in
        fields.append(field)
      }
    case .strayQuote:
      readBytes(record, into: &fields)
    }
    return false
  }

  private enum BlocksEnd {
    case done
    /// The cells beyond the width begin here.
    case firstExtra(Int)
    /// A quote stands where a clean file has none; the row is worth nothing.
    case strayQuote
  }

  @inline(__always)
  private func readBlocks(_ record: Span<UInt8>, into row: UnsafeMutableBufferPointer<Field>) -> BlocksEnd {
    unsafe record.withUnsafeBytes { bytes in
      let count = bytes.count
      var place = unsafe CSVRowPlace(row, isWhole: isWhole)
      if endColumn == 0 { return includesExtras ? .firstExtra(0) : .done }
      var state = CSVBlockState()
      var fieldStart = 0
      var base = 0
      while base < count, let start = bytes.baseAddress {
        var masks = CSVBlockMasks(delimiters: 0, ends: 0)
        let strayQuotes =
          count &- base < BlockMask.width
          ? unsafe state.tail(
            start + base, count: count &- base, preceding: base, delimiter: delimiter, into: &masks)
          : unsafe state.next(start + base, delimiter: delimiter, into: &masks)
        if strayQuotes != 0 { return .strayQuote }
        var delimiters = masks.delimiters
        while delimiters != 0 {
          let end = base &+ BlockMask.lowest(delimiters)
          delimiters &= delimiters &- 1
          unsafe place.put(CSVFieldPick.field(bytes, fieldStart, end), wanted)
          fieldStart = end &+ 1
          if unsafe place.column == endColumn { return includesExtras ? .firstExtra(fieldStart) : .done }
        }
        base &+= BlockMask.width
      }
      unsafe place.put(CSVFieldPick.field(bytes, fieldStart, count), wanted)
      unsafe place.finish()
      return .done
    }
  }

  /// The same, a byte at a time.
  @inline(never)
  private func readBytes(_ record: Span<UInt8>, into fields: inout [Field]) {
    for slot in fields.indices { fields[slot] = .missing }
    let firstExtra = includesExtras ? endColumn : .max
    var done = 0
    _ = CSVRecordReader.read(record, from: 0, delimiter: delimiter, isFinal: true) { column, field in
      while done < wanted.columns.count, wanted.columns[done] == column {
        fields[wanted.slots[done]] = field
        done &+= 1
      }
      if column >= firstExtra { fields.append(field) }
    }
  }
}

/// Where the next cell of a record goes in its row.
@unsafe
private struct CSVRowPlace {
  private let row: UnsafeMutableBufferPointer<Field>
  private let isWhole: Bool
  /// The index of the next cell.
  private(set) var column = 0
  /// How many of the wanted columns are done.
  private var done = 0

  @inline(__always)
  init(_ row: UnsafeMutableBufferPointer<Field>, isWhole: Bool) {
    unsafe self.row = row
    unsafe self.isWhole = isWhole
    if !isWhole { for slot in 0..<row.count { unsafe row[slot] = .missing } }
  }

  @inline(__always)
  mutating func put(_ field: Field, _ wanted: borrowing WantedColumns) {
    if unsafe isWhole {
      if unsafe column < row.count { unsafe row[column] = field }
    } else {
      while unsafe done < wanted.columns.count && wanted.columns[done] == column {
        unsafe row[wanted.slots[done]] = field
        unsafe done &+= 1
      }
    }
    unsafe column &+= 1
  }

  /// The record has no more cells.
  @inline(__always)
  mutating func finish() {
    if unsafe !isWhole { return }
    while unsafe column < row.count {
      unsafe row[column] = .missing
      unsafe column &+= 1
    }
  }
}
