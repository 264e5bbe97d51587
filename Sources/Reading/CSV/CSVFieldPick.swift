// Picks the wanted cells of a record from the positions of its delimiters, and tells what kind each cell is.

/// The wanted fields of one record, picked as delimiters come by. Once it has them, it looks at nothing more.
@unsafe
struct CSVFieldPick {
  private let bytes: UnsafeRawBufferPointer
  private let columns: UnsafeBufferPointer<Int>
  private let slots: UnsafeBufferPointer<Int>
  /// How many of `columns` are done.
  private var done = 0
  /// The column that is being read, and where its cell begins.
  private var column = 0
  private var fieldStart = 0

  /// - Parameters:
  ///   - columns: the wanted columns, ascending, none twice.
  ///   - slots: for each of them, its place in a row.
  @inline(__always)
  init(bytes: UnsafeRawBufferPointer, columns: UnsafeBufferPointer<Int>, slots: UnsafeBufferPointer<Int>) {
    unsafe self.bytes = bytes
    unsafe self.columns = columns
    unsafe self.slots = slots
  }

  /// A record begins.
  @inline(__always)
  mutating func begin(_ start: Int) {
    unsafe done = 0
    unsafe column = 0
    unsafe fieldStart = start
  }

  /// Takes the delimiters of the record that stand in these positions of a group.
  ///
  /// - Parameter base: where the group begins.
  @inline(__always)
  mutating func take(
    _ group: borrowing CSVBlockGroup, _ from: Int, _ to: Int, base: Int, into row: UnsafeMutablePointer<Field>
  ) {
    var position = from
    while unsafe done < columns.count && position < to {
      let delimiters = unsafe group.delimiters(from: position) & BlockMask.below(to &- position)
      unsafe take(delimiters, base: base &+ position, into: row)
      position &+= BlockMask.width
    }
  }

  @inline(__always)
  private mutating func take(_ delimiters: UInt64, base: Int, into row: UnsafeMutablePointer<Field>) {
    var rest = delimiters
    while unsafe done < columns.count {
      let wanted = unsafe columns[done]
      while unsafe column < wanted {
        if rest == 0 { return }
        unsafe column &+= 1
        unsafe fieldStart = base &+ BlockMask.lowest(rest) &+ 1
        rest &= rest &- 1
      }
      if rest == 0 { return }
      let end = base &+ BlockMask.lowest(rest)
      rest &= rest &- 1
      unsafe row[slots[done]] = CSVFieldPick.field(bytes, fieldStart, end)
      unsafe column &+= 1
      unsafe fieldStart = end &+ 1
      unsafe done &+= 1
    }
  }

  /// The record ends: its last cell, and the cells that it does not have.
  @inline(__always)
  mutating func finish(recordEnd: Int, into row: UnsafeMutablePointer<Field>) {
    while unsafe done < columns.count {
      unsafe row[slots[done]] =
        unsafe columns[done] == column ? CSVFieldPick.field(bytes, fieldStart, recordEnd) : .missing
      unsafe done &+= 1
    }
  }

  /// The cell that stands in these bytes.
  @inline(__always)
  static func field(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Field {
    guard start < end, let base = bytes.baseAddress,
      unsafe base.load(fromByteOffset: start, as: UInt8.self) == CSVByte.quote
    else {
      return Field(
        start: UInt32(truncatingIfNeeded: start), count: UInt32(truncatingIfNeeded: end &- start), kind: .bare)
    }
    return unsafe quotedField(base, start &+ 1, end)
  }

  /// The quoted cell whose text begins at `start`, after its opening quote.
  @inline(never)
  private static func quotedField(_ base: UnsafeRawPointer, _ start: Int, _ end: Int) -> Field {
    var index = start
    while index &+ BlockMask.width <= end {
      let quotes = unsafe BlockMask(base + index).positions(of: CSVByte.quote)
      if quotes != 0 {
        index &+= BlockMask.lowest(quotes)
        break
      }
      index &+= BlockMask.width
    }
    while index < end, unsafe base.load(fromByteOffset: index, as: UInt8.self) != CSVByte.quote { index &+= 1 }
    let isPlain = index == end &- 1
    return Field(
      start: UInt32(truncatingIfNeeded: start), count: UInt32(truncatingIfNeeded: (isPlain ? index : end) &- start),
      kind: isPlain ? .quoted : .quotedEscaped)
  }
}
