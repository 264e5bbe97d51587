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
  /// Where lines stand, for rows of a stream: behind a mark, what stands between two rows is between them here too.
  private var marks: [LineMark] = []

  package init() {}

  /// Empties the block and keeps its memory.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    rows.removeAll(keepingCapacity: true)
    marks.removeAll(keepingCapacity: true)
  }

  /// Takes rows off the end again, until so many are left.
  mutating func truncate(to count: Int) {
    guard rows.indices.contains(count) else { return }
    bytes.removeLast(bytes.count - rows[count].start)
    rows.removeLast(rows.count - count)
    marks.removeAll { $0.rowIndex >= count }
  }

  /// Adds a row.
  package mutating func append(_ record: Span<UInt8>, inputIndex: Int, offset: Int) {
    append(record, behind: 0, inputIndex: inputIndex, offset: offset)
  }

  /// Adds a row together with so many bytes that stand before it.
  mutating func append(_ text: Span<UInt8>, behind separatorCount: Int, inputIndex: Int, offset: Int) {
    let start = bytes.count + separatorCount
    unsafe text.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    rows.append(
      RowEntry(start: start, count: text.count - separatorCount, inputIndex: inputIndex, offset: offset))
  }

  /// Takes note of the lines before the next row; nil where they were not counted.
  mutating func mark(_ lines: LineCounter?) {
    if lines == nil, let last = marks.last, last.lines == nil { return }
    marks.append(LineMark(rowIndex: rows.count, lines: lines))
  }

  /// Line and column of a byte of a row that came from a stream; nil where they were not counted. Of a file, they are to be
  /// had from the file.
  package func place(ofByte index: Int, inRow rowIndex: Int) -> (lineNumber: Int, column: Int)? {
    guard rows.indices.contains(rowIndex), let mark = marks.last(where: { $0.rowIndex <= rowIndex }),
      var counter = mark.lines
    else { return nil }
    let end = rows[rowIndex].start + min(index, rows[rowIndex].count)
    counter.feed(bytes.span.extracting(rows[mark.rowIndex].start..<end))
    return (counter.lineNumber, counter.column)
  }

  /// Adds the rows of another block, which may be left with anything.
  mutating func append(_ other: inout RowBlock) {
    if rows.isEmpty {
      swap(&self, &other)
      return
    }
    let (start, firstRow) = (bytes.count, rows.count)
    bytes.append(contentsOf: other.bytes)
    rows.append(
      contentsOf: other.rows.lazy.map { row in
        RowEntry(start: start + row.start, count: row.count, inputIndex: row.inputIndex, offset: row.offset)
      })
    marks.append(
      contentsOf: other.marks.lazy.map { LineMark(rowIndex: firstRow + $0.rowIndex, lines: $0.lines) })
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
