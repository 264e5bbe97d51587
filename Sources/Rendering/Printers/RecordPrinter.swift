// One line a field, `name  value`, for records with more columns than a screen is wide. Names are lined up; a value
// with line breaks goes on below itself, so that it is never taken for a field.

package import Reading
import TerminalIO

package struct RecordPrinter: PagePrinter {
  package private(set) var notes = PrintNotes()

  private let printsHeading: Bool
  private let isTerminal: Bool
  private let usesColor: Bool
  private let firstRowNumber: Int
  private var madeNames: MadeNames
  private var cellText: CellText
  /// The names, each filled up with blanks to the same width and a gap.
  private var labels: [[UInt8]] = []
  private var labelWidth = 0
  private var text: [UInt8] = []

  /// - Parameters:
  ///   - columns: the columns, in order.
  ///   - hiddenNames: columns of the file that are not among these.
  ///   - firstRowNumber: the number of the first row, from 1.
  ///   - printsHeading: whether each record has a rule with its number above it; a blank line divides them otherwise.
  ///   - isTerminal: whether control characters must be replaced by visible stand-ins.
  ///   - usesColor: whether the rules are bold.
  ///   - compactJSON: takes the white space out of arrays and objects.
  package init(
    columns: [OutputColumn], hiddenNames: [[UInt8]] = [], firstRowNumber: Int = 1, printsHeading: Bool = true,
    isTerminal: Bool = false, usesColor: Bool = false, compactJSON: @escaping JSONCompactor
  ) {
    self.firstRowNumber = firstRowNumber
    self.printsHeading = printsHeading
    self.isTerminal = isTerminal
    self.usesColor = usesColor
    madeNames = MadeNames(columns: columns, hidden: hiddenNames)
    cellText = CellText(compact: compactJSON)
    let names = columns.map { SafeText.safe($0.name) }
    // A very long name does not push all values out of sight.
    labelWidth = min(names.reduce(0) { max($0, DisplayWidth.cells($1)) }, TableLayout.widestColumn)
    for name in names { appendLabel(name) }
  }

  package mutating func print(record: Span<UInt8>, fields: Span<Field>, into output: inout [UInt8]) {
    appendRule(to: &output)
    while labels.count < fields.count { appendLabel(SafeText.safe(madeNames.name(at: labels.count))) }
    for index in 0..<fields.count {
      let field = fields[index]
      if field.kind == .missing { continue }
      let lineStart = output.count
      output.append(contentsOf: labels[index])
      if field.isNull || field.count == 0 {
        while output.count > lineStart, output[output.count - 1] == 0x20 { output.removeLast() }
      } else {
        appendValue(field, in: record, to: &output)
      }
      output.append(0x0A)
    }
    notes.rowCount &+= 1
  }

  private func appendRule(to output: inout [UInt8]) {
    guard printsHeading else {
      if notes.rowCount > 0 { output.append(0x0A) }
      return
    }
    if usesColor { output.append(contentsOf: "\u{1B}[1m".utf8) }
    output.append(contentsOf: "── record \(firstRowNumber &+ notes.rowCount) ──".utf8)
    if usesColor { output.append(contentsOf: "\u{1B}[0m".utf8) }
    output.append(0x0A)
  }

  private mutating func appendLabel(_ name: [UInt8]) {
    let blanks = max(0, labelWidth - DisplayWidth.cells(name)) + TableLayout.gap
    labels.append(name + Array(repeating: 0x20, count: blanks))
  }

  private mutating func appendValue(_ field: Field, in record: Span<UInt8>, to output: inout [UInt8]) {
    if isTerminal {
      notes.countReplaced(cellText.appendSafe(field, in: record, to: &output))
      return
    }
    text.removeAll(keepingCapacity: true)
    notes.countReplaced(cellText.appendSound(field, in: record, to: &text))
    for byte in text {
      output.append(byte)
      if byte == 0x0A { output.append(contentsOf: repeatElement(0x20, count: labelWidth + TableLayout.gap)) }
    }
  }
}
