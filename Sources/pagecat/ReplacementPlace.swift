// Where the first text stands that was no UTF-8 and became U+FFFD in what was printed. Printers count rows and know no
// files, and a table prints a row only at the end of its page; so the rows of a page are remembered until the printer has
// had them.

import Fetching
import Reading
import Rendering
import TerminalIO

struct ReplacementPlace: Sendable {
  private let inputs: [DatasetInput]
  /// Rows of the run before the first one of the present printer.
  private var rowsBefore = 0
  /// Rows looked at so far.
  private var rowCount = 0
  /// The latest rows that the printer may not have printed yet.
  private var held: [RowEntry] = []
  /// The row found, and where in its record.
  private var found: (inputIndex: Int, offset: Int)?

  init(inputs: [DatasetInput]) {
    self.inputs = inputs
  }

  /// A new printer begins after so many rows.
  mutating func begin(afterRows count: Int) {
    rowsBefore = count
    rowCount = count
    held = []
  }

  /// Looks whether something was replaced in rows that were just given to the printer.
  mutating func look(
    at notes: @autoclosure () -> PrintNotes, rows block: RowBlock, _ range: Range<Int>, endsPage: Bool, pageSize: Int
  ) {
    defer { rowCount += range.count }
    guard found == nil else { return }
    if let index = notes().firstReplacedRowIndex {
      // Counted from the first row held back.
      let place = rowsBefore + index - (rowCount - held.count)
      if held.indices.contains(place) {
        found = (held[place].inputIndex, held[place].offset)
      } else if block.rows.indices.contains(range.lowerBound + place - held.count) {
        let row = block.rows[range.lowerBound + place - held.count]
        let inside = Self.firstInvalid(block.bytes.span.extracting(row.range))
        found = (row.inputIndex, row.offset + (inside ?? 0))
      }
      held = []
      return
    }
    held = endsPage ? [] : (held + block.rows[range]).suffix(pageSize)
  }

  /// The place for a note, with what separates it from the rest; empty where it is not known.
  var text: String {
    guard let found, inputs.indices.contains(found.inputIndex) else { return "" }
    let source = inputs[found.inputIndex].source
    guard let (lineNumber, column) = source.place(ofOffset: found.offset) else {
      // A pipe cannot be read again to count its lines.
      return "\(source.name): byte \(found.offset): "
    }
    return "\(source.name): \(Place(lineNumber: lineNumber, column: column, offset: found.offset).description): "
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
