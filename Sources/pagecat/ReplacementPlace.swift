// Where the first text stands that was no UTF-8 and became U+FFFD in what was printed. Printers count rows and know no
// files; so the rows are looked at that they have just been given.

import Fetching
import Reading
import Rendering
import TerminalIO

struct ReplacementPlace: Sendable {
  /// Rows of the run before the first one of the present printer.
  private var rowsBefore = 0
  /// Rows looked at so far.
  private var rowCount = 0
  /// The place found, with the line and column that the row's block tells of a pipe.
  private var found: (inputIndex: Int, offset: Int, place: (lineNumber: Int, column: Int)?)?

  /// A new printer begins after so many rows.
  mutating func begin(afterRows count: Int) {
    rowsBefore = count
    rowCount = count
  }

  /// Looks whether something was replaced in rows that were just given to the printer.
  mutating func look(at notes: @autoclosure () -> PrintNotes, rows block: RowBlock, _ range: Range<Int>) {
    defer { rowCount += range.count }
    guard found == nil, let index = notes().firstReplacedRowIndex else { return }
    let rowIndex = range.lowerBound + rowsBefore + index - rowCount
    guard range.contains(rowIndex) else { return }
    let row = block.rows[rowIndex]
    let inside = Self.firstInvalid(block.bytes.span.extracting(row.range)) ?? 0
    found = (row.inputIndex, row.offset + inside, block.place(ofByte: inside, inRow: rowIndex))
  }

  /// The place for a note, with what separates it from the rest; empty where it is not known.
  ///
  /// - Parameter results: whose rows these were.
  func text(_ results: FetchResults) -> String {
    guard let found, let name = results.inputName(found.inputIndex) else { return "" }
    guard let place = results.place(ofOffset: found.offset, inInput: found.inputIndex) ?? found.place else {
      // The lines of a pipe are not counted by a sort, and it cannot be read again.
      return "\(name): byte \(found.offset): "
    }
    let (lineNumber, column) = place
    return "\(name): \(Place(lineNumber: lineNumber, column: column, offset: found.offset).description): "
  }

  /// Whether all of a text is UTF-8.
  static func isUTF8(_ bytes: [UInt8]) -> Bool { firstInvalid(bytes.span) == nil }

  /// The first byte that is part of no character in UTF-8. Text with lone surrogate escapes has none.
  private static func firstInvalid(_ bytes: Span<UInt8>) -> Int? {
    var at = ScalarDecoder.firstNonASCII(bytes, in: 0..<bytes.count)
    while at < bytes.count {
      let scalar = ScalarDecoder.decode(bytes, at: at, end: bytes.count)
      if !scalar.isValid { return at }
      at = ScalarDecoder.firstNonASCII(bytes, in: (at + scalar.count)..<bytes.count)
    }
    return nil
  }
}
