// One record of CSV, a byte at a time: the slow, obvious reading that defines what a record and a field are. It is no
// scanner; ByteWiseCSVScanner makes one of it, and CSVScanner falls back to it for records with quotes in odd places.

/// The wanted columns of a record, and the place of each in a row of fields.
struct WantedColumns: Sendable {
  /// Indexes of the wanted columns that the file has, ascending.
  let columns: [Int]
  /// For each of `columns`, its place in the row.
  let slots: [Int]
  /// Fields in a row, those of columns that are not in the file among them.
  let slotCount: Int

  /// - Parameter columnIndexes: a column for every place of the row, in any order; -1 where the file has none.
  init(_ columnIndexes: [Int]) {
    let wanted = columnIndexes.indices.filter { columnIndexes[$0] >= 0 }
      .sorted { (columnIndexes[$0], $0) < (columnIndexes[$1], $1) }
    columns = wanted.map { columnIndexes[$0] }
    slots = wanted
    slotCount = columnIndexes.count
  }
}

/// How the reading of one record ended.
enum CSVRecordEnd: Equatable {
  /// The record ends before this position, where a line end or the end of the input stands.
  case complete(end: Int, fieldCount: Int)
  /// The window ends inside the record.
  case incomplete
  /// The input ends inside quotes that opened at this position.
  case unclosedQuote(at: Int)
}

enum CSVRecordReader {
  /// Why an unclosed quote is damage.
  static let unclosedQuoteReason = "quote is not closed"

  /// Reads the record that begins at `start`.
  ///
  /// - Parameters:
  ///   - start: the first byte of a record, which is no line end.
  ///   - isFinal: whether the input ends with the window.
  ///   - put: called with the index and the field of each cell, in order.
  @inline(__always)
  static func read(
    _ window: Span<UInt8>, from start: Int, delimiter: UInt8, isFinal: Bool, put: (Int, Field) -> Void
  ) -> CSVRecordEnd {
    var index = start
    var column = 0
    while true {
      let fieldStart = index
      var firstClosing = -1
      if index < window.count, window[index] == CSVByte.quote {
        index &+= 1
        while true {
          guard index < window.count else {
            return isFinal ? .unclosedQuote(at: fieldStart) : .incomplete
          }
          let byte = window[index]
          index &+= 1
          guard byte == CSVByte.quote else { continue }
          if firstClosing < 0 { firstClosing = index &- 1 }
          guard index < window.count, window[index] == CSVByte.quote else { break }
          index &+= 1
        }
      }
      while index < window.count, window[index] != delimiter, !CSVByte.isLineEnd(window[index]) { index &+= 1 }
      if index == window.count && !isFinal { return .incomplete }
      if firstClosing < 0 {
        put(column, Field(fieldStart..<index, .bare))
      } else if firstClosing == index &- 1 {
        put(column, Field((fieldStart &+ 1)..<firstClosing, .quoted))
      } else {
        put(column, Field((fieldStart &+ 1)..<index, .quotedEscaped))
      }
      column &+= 1
      if index == window.count || window[index] != delimiter { return .complete(end: index, fieldCount: column) }
      index &+= 1
    }
  }

  /// Reads the record that begins at `start` and puts its wanted fields into a row.
  ///
  /// - Parameter row: as many fields as `wanted.slotCount`; the places of wanted columns are all replaced.
  static func read(
    _ window: Span<UInt8>, from start: Int, delimiter: UInt8, isFinal: Bool, wanted: borrowing WantedColumns,
    row: UnsafeMutablePointer<Field>
  ) -> CSVRecordEnd {
    var next = 0
    let end = read(window, from: start, delimiter: delimiter, isFinal: isFinal) { column, field in
      while next < wanted.columns.count, wanted.columns[next] == column {
        unsafe row[wanted.slots[next]] = field
        next &+= 1
      }
    }
    while next < wanted.columns.count {
      unsafe row[wanted.slots[next]] = .missing
      next &+= 1
    }
    return end
  }
}
