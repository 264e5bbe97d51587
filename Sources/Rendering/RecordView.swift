// One record in full: pretty JSON, or one field a line, broken into lines of the screen. It is made once for a record
// and a width and kept, so that scrolling costs nothing.

import Reading
import TerminalIO

/// The record that is looked at.
package struct RecordView: Sendable {
  /// More of a record is not laid out; a person who wants megabytes writes them to a file.
  static let mostBytes = 1 << 20
  static let mostLines = 50_000

  /// A line of the screen.
  struct Line: Sendable, Equatable {
    /// Safe text.
    var text: [UInt8]
    /// How much of it, from the left, is a name.
    var nameCount = 0
    /// Blanks before what goes on in the next line of the screen.
    var indent = 0
  }

  /// The first line that is shown.
  package internal(set) var topLine = 0
  private(set) var lines: [Line] = []
  private(set) var row = -1
  private var width = 0

  package init() {}

  /// Whether it holds another row, or is laid out for another width.
  func needsUpdate(row: Int, width: Int) -> Bool { self.row != row || self.width != width }

  /// Lays out a row.
  ///
  /// - Parameter hiddenNames: columns of the file that are not among these.
  mutating func show(
    _ row: Int, _ content: ViewerRow, columns: [ViewerColumn], hiddenNames: [[UInt8]], isJSON: Bool, width: Int
  ) {
    if self.row != row { topLine = 0 }
    self.row = row
    self.width = width
    let all =
      isJSON
      ? RecordView.pretty(content.record)
      : RecordView.fields(content, columns, hiddenNames: hiddenNames, width: width)
    lines.removeAll(keepingCapacity: true)
    for line in all {
      append(line)
      if lines.count >= RecordView.mostLines { break }
    }
    if content.record.count > RecordView.mostBytes || lines.count >= RecordView.mostLines {
      lines.append(Line(text: Array("… the record has \(content.record.count) bytes; :w writes it in full".utf8)))
    }
  }

  /// Takes a row that is not there: the lines of the one before go.
  mutating func showNothing(_ row: Int, width: Int) {
    if self.row != row { topLine = 0 }
    self.row = -1
    self.width = width
    lines.removeAll()
  }

  /// Breaks a line at the edge of the screen.
  private mutating func append(_ line: Line) {
    var start = 0
    // What goes on stands below its beginning where that leaves room for it.
    let indent = line.indent <= width / 2 ? line.indent : 0
    repeat {
      let lead = Array(repeating: UInt8(0x20), count: start == 0 ? 0 : indent)
      let prefix = DisplayWidth.prefix(line.text.span, in: start..<line.text.count, cells: width - lead.count)
      // A glyph wider than the screen goes nowhere else either.
      let end = prefix.end > start ? prefix.end : line.text.count
      lines.append(
        Line(text: lead + line.text[start..<end], nameCount: start == 0 ? min(line.nameCount, end) : 0))
      start = end
    } while start < line.text.count && lines.count < RecordView.mostLines
  }

  // MARK: Fields

  private static func fields(
    _ content: ViewerRow, _ columns: [ViewerColumn], hiddenNames: [[UInt8]], width: Int
  ) -> [Line] {
    let record = content.record.span
    var cell = CellText { text, output in output.append(copying: text) }
    // Long names do not push all values aside.
    let labelWidth = min(columns.reduce(0) { max($0, $1.nameWidth) }, ViewerColumn.widest / 2, max(4, width / 3))
    var lines: [Line] = []
    var byteCount = 0
    var names = MadeNames(columns: columns.map { OutputColumn(name: $0.name) }, hidden: hiddenNames)
    for (index, field) in content.fields.enumerated() {
      if byteCount > mostBytes { break }
      var text = index < columns.count ? columns[index].safeName : SafeText.safe(names.name(at: index))
      let nameCount = text.count
      text += Array(repeating: 0x20, count: max(0, labelWidth - DisplayWidth.cells(text)) + 2)
      if field.kind == .missing { continue }
      let indent = DisplayWidth.cells(text)
      let range = field.range(in: record)
      let shown = Field(range.lowerBound..<(range.lowerBound + min(range.count, mostBytes)), field.kind)
      byteCount += range.count
      var value: [UInt8] = []
      _ = cell.appendSound(shown, in: record, to: &value)
      // A value with line breaks goes on below itself.
      for (number, piece) in value.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
        var piece = Array(piece)
        if piece.last == 0x0D { piece.removeLast() }
        let lead = number == 0 ? text : Array(repeating: 0x20, count: indent)
        lines.append(
          Line(text: lead + SafeText.safe(piece), nameCount: number == 0 ? nameCount : 0, indent: labelWidth + 2))
      }
    }
    return lines
  }

  // MARK: JSON

  /// The lines of a JSON value with two blanks a level; nothing in its tokens is changed.
  private static func pretty(_ bytes: [UInt8]) -> [Line] {
    let end = min(bytes.count, mostBytes)
    var lines: [Line] = []
    var line = Line(text: [])
    var depth = 0
    var position = 0
    func indented() -> Line {
      let blanks = 2 * min(depth, 40)
      return Line(text: Array(repeating: 0x20, count: blanks), indent: blanks + 2)
    }
    func finish() {
      let name = SafeText.safe(Array(line.text.prefix(line.nameCount)))
      let rest = SafeText.safe(Array(line.text.dropFirst(line.nameCount)))
      lines.append(Line(text: name + rest, nameCount: name.count, indent: line.indent))
    }
    while position < end && lines.count < mostLines {
      let byte = bytes[position]
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      case UInt8(ascii: "\""):
        let start = position
        position += 1
        while position < end && bytes[position] != byte {
          position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        position = min(position + 1, end)
        line.text += bytes[start..<position]
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        line.text.append(byte)
        position += 1
        let next = skipBlanks(bytes, position, end)
        if next < end && (bytes[next] == UInt8(ascii: "}") || bytes[next] == UInt8(ascii: "]")) {
          line.text.append(bytes[next])
          position = next + 1
        } else {
          depth += 1
          finish()
          line = indented()
        }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth = max(0, depth - 1)
        finish()
        line = indented()
        line.text.append(byte)
        position += 1
      case UInt8(ascii: ","):
        line.text.append(byte)
        position += 1
        finish()
        line = indented()
      case UInt8(ascii: ":"):
        if line.nameCount == 0 { line.nameCount = line.text.count }
        line.text += [byte, 0x20]
        position += 1
      default:
        line.text.append(byte)
        position += 1
      }
    }
    finish()
    return lines
  }

  private static func skipBlanks(_ bytes: [UInt8], _ start: Int, _ end: Int) -> Int {
    var position = start
    while position < end && (bytes[position] == 0x20 || (0x09...0x0D).contains(bytes[position])) { position += 1 }
    return position
  }
}
