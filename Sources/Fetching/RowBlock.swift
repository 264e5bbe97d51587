// Some rows of a result, one after another in one piece of memory: what is handed from a fetch to a printer.

import Reading

/// One row: where its record stands in a block and where it came from.
package struct RowEntry: Sendable, Equatable {
  /// First byte in the block.
  package var start: Int
  /// Number of bytes.
  package var count: Int
  /// Which input of the dataset the record is from.
  package var inputIndex: Int
  /// Where the record begins, in bytes from the beginning of its input.
  package var offset: Int

  package var range: Range<Int> { start..<(start + count) }
}

/// Rows in order.
package struct RowBlock: Sendable {
  package private(set) var bytes: [UInt8] = []
  package private(set) var rows: [RowEntry] = []

  package init() {}

  /// Empties the block and keeps its memory.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    rows.removeAll(keepingCapacity: true)
  }

  /// Takes rows off the end again, until so many are left.
  mutating func truncate(to count: Int) {
    guard rows.indices.contains(count) else { return }
    bytes.removeLast(bytes.count - rows[count].start)
    rows.removeLast(rows.count - count)
  }

  /// Adds a row.
  package mutating func append(_ record: Span<UInt8>, inputIndex: Int, offset: Int) {
    let start = bytes.count
    unsafe record.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    rows.append(RowEntry(start: start, count: record.count, inputIndex: inputIndex, offset: offset))
  }

  /// Adds the rows of another block, which may be left with anything.
  mutating func append(_ other: inout RowBlock) {
    if rows.isEmpty {
      swap(&self, &other)
      return
    }
    for row in other.rows {
      append(other.bytes.span.extracting(row.range), inputIndex: row.inputIndex, offset: row.offset)
    }
  }

  /// Adds a row of `count` bytes that `fill` writes into the block's bytes from the given position on.
  mutating func append(
    count: Int, inputIndex: Int, offset: Int, fill: (inout [UInt8], Int) throws(ReadError) -> Void
  ) throws(ReadError) {
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: count))
    try fill(&bytes, start)
    rows.append(RowEntry(start: start, count: count, inputIndex: inputIndex, offset: offset))
  }
}
