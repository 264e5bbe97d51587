// A GitHub table (GitHub Flavored Markdown, section 4.10). Cells are plain text to it: what Markdown would take for
// markup gets a backslash, and a line break, which a table row cannot hold, becomes `<br>`.

package import Reading
import TerminalIO

package struct MarkdownPrinter: PagePrinter {
  package private(set) var notes = PrintNotes()

  private let columns: [OutputColumn]
  private let printsHeading: Bool
  private let isTerminal: Bool
  private var cellText: CellText
  private var text: [UInt8] = []

  /// - Parameters:
  ///   - columns: the columns, in order.
  ///   - printsHeading: whether the names and the line of dashes come first.
  ///   - isTerminal: whether control characters must be replaced by visible stand-ins.
  ///   - compactJSON: takes the white space out of arrays and objects.
  package init(
    columns: [OutputColumn], printsHeading: Bool = true, isTerminal: Bool = false,
    compactJSON: @escaping JSONCompactor
  ) {
    self.columns = columns
    self.printsHeading = printsHeading
    self.isTerminal = isTerminal
    cellText = CellText(compact: compactJSON)
  }

  package mutating func begin(into output: inout [UInt8]) {
    guard printsHeading, !columns.isEmpty else { return }
    output.append(UInt8(ascii: "|"))
    for column in columns {
      let name = SafeText.safe(column.name)
      appendCell(name.span, to: &output)
    }
    output.append(0x0A)
    output.append(UInt8(ascii: "|"))
    for _ in columns { output.append(contentsOf: " --- |".utf8) }
    output.append(0x0A)
  }

  package mutating func print(record: Span<UInt8>, fields: Span<Field>, into output: inout [UInt8]) {
    output.append(UInt8(ascii: "|"))
    for index in 0..<max(columns.count, fields.count) {
      let field = fields.fieldOrMissing(at: index)
      text.removeAll(keepingCapacity: true)
      if isTerminal {
        notes.countReplaced(cellText.appendSafe(field, in: record, to: &text))
      } else {
        notes.countReplaced(cellText.appendSound(field, in: record, to: &text))
      }
      appendCell(text.span, to: &output)
    }
    output.append(0x0A)
    notes.rowCount &+= 1
  }

  /// Appends ` text |`.
  private func appendCell(_ text: Span<UInt8>, to output: inout [UInt8]) {
    output.append(0x20)
    for index in 0..<text.count {
      let byte = text[index]
      switch byte {
      case 0x0D where index &+ 1 < text.count && text[index &+ 1] == 0x0A: break
      case 0x0A, 0x0D: output.append(contentsOf: "<br>".utf8)
      default:
        if MarkdownPrinter.needsBackslash(text, at: index) { output.append(UInt8(ascii: "\\")) }
        output.append(byte)
      }
    }
    output.append(0x20)
    output.append(UInt8(ascii: "|"))
  }

  private static func needsBackslash(_ text: Span<UInt8>, at index: Int) -> Bool {
    switch text[index] {
    case UInt8(ascii: "\\"), UInt8(ascii: "|"), UInt8(ascii: "`"), UInt8(ascii: "*"), UInt8(ascii: "<"),
      UInt8(ascii: ">"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "~"), UInt8(ascii: "$"):
      return true
    case UInt8(ascii: "_"):
      // Inside a word it is no markup, and names are full of it.
      let isInWord = index > 0 && isWord(text[index &- 1]) && index &+ 1 < text.count && isWord(text[index &+ 1])
      return !isInWord
    case UInt8(ascii: "&"):
      return beginsEntity(text, at: index)
    default:
      return false
    }
  }

  /// Whether `&` would be read as the beginning of an entity: `&amp;`, `&#233;`.
  private static func beginsEntity(_ text: Span<UInt8>, at index: Int) -> Bool {
    var position = index &+ 1
    // The longest name of an entity in HTML has 31 characters.
    let end = min(text.count, index &+ 34)
    while position < end {
      let byte = text[position]
      if byte == UInt8(ascii: ";") { return position > index &+ 1 }
      if byte != UInt8(ascii: "#") && !isWord(byte) { return false }
      position &+= 1
    }
    return false
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
    default: false
    }
  }
}
