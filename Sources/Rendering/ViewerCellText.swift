// The text of a cell for the screen: safe, on one line, and never more of it than can be seen, so that a cell of
// megabytes costs no more than another.

import Reading
import TerminalIO

/// Makes the texts of cells; keeps its memory between calls.
struct ViewerCellText {
  private(set) var bytes: [UInt8] = []
  private(set) var width = 0
  /// Whether it counts as a number and stands to the right.
  private(set) var isNumber = false
  private var cell = CellText(compact: ViewerCellText.compact)

  /// Reads a cell.
  ///
  /// - Parameter mostCells: how much of it can be seen; a wider cell is only known to be wider.
  mutating func read(_ field: Field, in record: Span<UInt8>, mostCells: Int) {
    bytes.removeAll(keepingCapacity: true)
    width = 0
    isNumber = false
    if field.isNull { return }
    let range = field.range(in: record)
    // Marks and escapes take bytes without taking cells; what has more than sixteen a cell is cut earlier.
    var end = range.lowerBound + min(range.count, mostCells &* 16 &+ 256)
    while end < range.upperBound && end > range.lowerBound && record[end] & 0xC0 == 0x80 { end -= 1 }
    _ = cell.appendSafe(Field(range.lowerBound..<end, field.kind), in: record, to: &bytes)
    width = DisplayWidth.cells(bytes.span, in: 0..<bytes.count)
    if end < range.upperBound { width = max(width, mostCells &+ 1) }
    switch field.kind {
    case .number: isNumber = true
    case .bare: isNumber = NumericText.isNumber(record, in: range)
    default: break
    }
  }

  /// Writes what was read into part of a line, cut with `…` where it is wider.
  ///
  /// - Parameter match: finds what is to be highlighted.
  func draw(
    into screen: inout ScreenBuffer, start: Int, width available: Int, lineIndex: Int, style: Style,
    match: ViewerMatch?, matchStyle: (Style) -> Style
  ) {
    ViewerCellText.draw(
      bytes, width: width, into: &screen, start: start, available: available, lineIndex: lineIndex, isRight: isNumber,
      style: style)
    guard let match else { return }
    var position = 0
    let shift = isNumber && width < available ? available - width : 0
    while position < bytes.count, let found = match(bytes.span, position), found.lowerBound >= position {
      let before = DisplayWidth.cells(bytes.span, in: 0..<min(found.lowerBound, bytes.count))
      let upper = min(max(found.upperBound, found.lowerBound), bytes.count)
      let cells = DisplayWidth.cells(bytes.span, in: found.lowerBound..<upper)
      if before >= available { return }
      screen.restyle(
        lineIndex: lineIndex, from: start + shift + before, count: min(cells, available - shift - before), matchStyle)
      position = max(upper, position + 1)
    }
  }

  /// Writes a safe text into part of a line.
  static func draw(
    _ text: [UInt8], width: Int, into screen: inout ScreenBuffer, start: Int, available: Int, lineIndex: Int,
    isRight: Bool = false, style: Style
  ) {
    guard available > 0 else { return }
    if width <= available {
      let shift = isRight ? available - width : 0
      screen.write(
        text.span, in: 0..<text.count, columnIndex: start + shift, lineIndex: lineIndex, limit: available - shift,
        style: style)
      return
    }
    let prefix = DisplayWidth.prefix(text.span, in: 0..<text.count, cells: available - 1)
    screen.write(
      text.span, in: 0..<prefix.end, columnIndex: start, lineIndex: lineIndex, limit: prefix.cells, style: style)
    screen.write("…", columnIndex: start + prefix.cells, lineIndex: lineIndex, limit: 1, style: style)
  }

  /// Takes the white space out of the beginning of an array or object; it may end anywhere.
  private static func compact(_ text: Span<UInt8>, _ output: inout [UInt8]) {
    var isInString = false
    var isEscaped = false
    for index in 0..<text.count {
      let byte = text[index]
      if isInString {
        isInString = isEscaped || byte != UInt8(ascii: "\"")
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
      } else if byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
        continue
      } else {
        isInString = byte == UInt8(ascii: "\"")
      }
      output.append(byte)
    }
  }
}
