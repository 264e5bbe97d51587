// Any bytes with any fields, sound or not: no printer traps, and text formats stay text.

import Reading
import Rendering
import TestSupport
import Testing

@Suite struct HostileRowsTests {
  private let kinds: [FieldKind] = [
    .missing, .bare, .quoted, .quotedEscaped, .null, .false, .true, .number, .string, .stringEscaped, .array, .object,
  ]
  private let interesting: [UInt8] = [
    0x22, 0x22, 0x5C, 0x75, 0x2C, 0x0A, 0x0D, 0x00, 0x1B, 0x7F, 0x7C, 0xC2, 0x85, 0xE2, 0x80, 0xAE, 0xED, 0xA0, 0xF0,
    0x31,
    0x61, 0x20,
  ]

  private func row(_ random: inout SeededGenerator) -> TestRow {
    var row = TestRow([])
    let isLong = random.oneIn(8)
    row.record = (0..<random.below(isLong ? 600 : 40)).map { _ in
      random.oneIn(4) ? UInt8(random.below(256)) : random.pick(interesting)
    }
    for _ in 0..<random.below(6) {
      let start = random.below(row.record.count + 4)
      let count = random.below(row.record.count + 4)
      row.fields.append(Field(start..<(start + count), random.pick(kinds)))
    }
    return row
  }

  @Test(arguments: 0..<12)
  func nothingTraps(_ seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<60 {
      let pages = (0..<(1 + random.below(3))).map { _ in (0..<random.below(4)).map { _ in row(&random) } }
      let names = [columns(), columns("a"), columns("c3", "b\n\u{202E}", "long name of a column")][random.below(3)]
      let isTerminal = random.oneIn(2)
      var csv = CSVPrinter(columns: names, isTerminal: isTerminal, compactJSON: compactForTests)
      expectText(printedBytes(&csv, pages), isSound: isTerminal, breaks: isTerminal)
      var records = JSONPrinter(
        framing: .lines, shape: .record, columns: names, isTerminal: isTerminal, compactJSON: compactForTests)
      expectText(printedBytes(&records, pages))
      var objects = JSONPrinter(
        framing: .array, shape: .columns, columns: names, isTerminal: isTerminal, compactJSON: compactForTests)
      expectText(printedBytes(&objects, pages))
      var markdown = MarkdownPrinter(columns: names, isTerminal: isTerminal, compactJSON: compactForTests)
      expectText(printedBytes(&markdown, pages), breaks: isTerminal)
      var record = RecordPrinter(columns: names, isTerminal: isTerminal, compactJSON: compactForTests)
      expectText(printedBytes(&record, pages), breaks: isTerminal)
      let limits = TableLimits(
        cut: random.oneIn(2) ? nil : random.below(12), lineWidth: random.oneIn(2) ? nil : random.below(40))
      var table = TablePrinter(columns: names, limits: limits, compactJSON: compactForTests)
      let bytes = printedBytes(&table, pages)
      expectText(bytes, breaks: true)
      let heading = names.isEmpty && pages.allSatisfy { $0.allSatisfy { $0.fields.isEmpty } } ? 0 : 1
      let rowCount = pages.reduce(0) { $0 + $1.count }
      let lineCount = bytes.reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
      #expect(lineCount == rowCount + heading || lineCount == rowCount)
    }
  }

  private func expectText(_ bytes: [UInt8], isSound: Bool = true, breaks: Bool = false) {
    if isSound { #expect(String(validating: bytes, as: UTF8.self) != nil) }
    if breaks { #expect(!bytes.contains(0x1B) && !bytes.contains(0x0D) && !bytes.contains(0x7F)) }
  }
}
