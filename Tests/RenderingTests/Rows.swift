// Rows for the printers' tests: cells are written down, the record and its fields are made from them.

import Reading
import Rendering

/// One cell of a test row. Its text is what stands in the record between quotes, or bare.
struct TestCell {
  var bytes: [UInt8]
  var kind: FieldKind

  static let missing = TestCell(bytes: [], kind: .missing)
  static let null = TestCell(bytes: Array("null".utf8), kind: .null)
  /// An unquoted CSV cell.
  static func bare(_ text: String) -> TestCell { TestCell(bytes: Array(text.utf8), kind: .bare) }
  static func bare(_ bytes: [UInt8]) -> TestCell { TestCell(bytes: bytes, kind: .bare) }
  /// A quoted CSV cell, with its text as it is meant.
  static func quoted(_ text: String) -> TestCell {
    let bytes = text.utf8.flatMap { $0 == UInt8(ascii: "\"") ? [$0, $0] : [$0] }
    return TestCell(bytes: bytes, kind: bytes.count == text.utf8.count ? .quoted : .quotedEscaped)
  }
  static func number(_ text: String) -> TestCell { TestCell(bytes: Array(text.utf8), kind: .number) }
  static func `true`() -> TestCell { TestCell(bytes: Array("true".utf8), kind: .true) }
  /// A JSON string as it stands between its quotes.
  static func string(_ raw: String) -> TestCell {
    TestCell(bytes: Array(raw.utf8), kind: raw.contains("\\") ? .stringEscaped : .string)
  }
  static func string(_ raw: [UInt8]) -> TestCell { TestCell(bytes: raw, kind: .string) }
  static func array(_ text: String) -> TestCell { TestCell(bytes: Array(text.utf8), kind: .array) }
  static func object(_ text: String) -> TestCell { TestCell(bytes: Array(text.utf8), kind: .object) }
}

/// A record with its fields.
struct TestRow {
  var record: [UInt8] = []
  var fields: [Field] = []

  init(_ cells: [TestCell], delimiter: Character = ",") {
    let quote = UInt8(ascii: "\"")
    for (index, cell) in cells.enumerated() {
      if index > 0 { record += Array(String(delimiter).utf8) }
      let hasQuotes = [.quoted, .quotedEscaped, .string, .stringEscaped].contains(cell.kind)
      if hasQuotes { record.append(quote) }
      let start = record.count
      record += cell.bytes
      let end = record.count
      if hasQuotes { record.append(quote) }
      fields.append(Field(start..<(cell.kind == .quotedEscaped ? end + 1 : end), cell.kind))
    }
  }
}

/// Takes out blanks outside strings; stands in for the reader's.
let compactForTests: JSONCompactor = { text, output in
  var isInString = false
  var isEscaped = false
  for index in 0..<text.count {
    let byte = text[index]
    if isInString {
      isInString = isEscaped || byte != UInt8(ascii: "\"")
      isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
    } else if byte <= 0x20 {
      continue
    } else {
      isInString = byte == UInt8(ascii: "\"")
    }
    output.append(byte)
  }
}

func columns(_ names: String...) -> [OutputColumn] { names.map { OutputColumn($0) } }

/// Prints pages and gives all the bytes.
func printedBytes(_ printer: inout some PagePrinter, _ pages: [[TestRow]]) -> [UInt8] {
  var output: [UInt8] = []
  printer.begin(into: &output)
  for page in pages {
    for row in page { printer.print(record: row.record.span, fields: row.fields.span, into: &output) }
    printer.endPage(into: &output)
  }
  printer.finish(into: &output)
  return output
}

func printed(_ printer: inout some PagePrinter, _ rows: [TestRow]) -> String {
  String(decoding: printedBytes(&printer, [rows]), as: UTF8.self)
}

func printed(_ printer: inout some PagePrinter, pages: [[TestRow]]) -> String {
  String(decoding: printedBytes(&printer, pages), as: UTF8.self)
}
