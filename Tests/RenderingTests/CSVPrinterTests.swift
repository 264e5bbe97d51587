// Rows in, exact bytes of CSV out.

import Reading
import Rendering
import TestSupport
import Testing

@Suite struct CSVPrinterTests {
  private func csv(
    _ names: [OutputColumn], _ rows: [[TestCell]], from source: Character = ",", to delimiter: Character = ",",
    lineEnd: CSVLineEnd = .lf, printsHeading: Bool = true, isTerminal: Bool = false
  ) -> String {
    var printer = CSVPrinter(
      columns: names, delimiter: delimiter.asciiValue ?? 0, lineEnd: lineEnd, printsHeading: printsHeading,
      isTerminal: isTerminal, compactJSON: compactForTests)
    return printed(&printer, rows.map { TestRow($0, delimiter: source) })
  }

  @Test func cleanRowsAreCopied() {
    let rows: [[TestCell]] = [[.bare("1"), .bare("x y"), .bare("")], [.bare(""), .bare(""), .bare("z")]]
    #expect(csv(columns("a", "b", "c"), rows) == "a,b,c\n1,x y,\n,,z\n")
    #expect(csv(columns("a", "b", "c"), rows, printsHeading: false) == "1,x y,\n,,z\n")
    #expect(csv(columns("a", "b", "c"), rows, lineEnd: .crlf) == "a,b,c\r\n1,x y,\r\n,,z\r\n")
  }

  @Test func quotesStandOnlyWhereTheyMust() {
    let rows: [[TestCell]] = [
      [.quoted("plain"), .quoted("a,b"), .quoted("say \"hi\"")], [.quoted(""), .quoted("x\ny"), .quoted("x\ry")],
      [.bare("5\" pipe"), .bare("a"), .bare("\tb'")],
    ]
    #expect(
      csv(columns("a", "b", "c"), rows)
        == "a,b,c\nplain,\"a,b\",\"say \"\"hi\"\"\"\n\"\",\"x\ny\",\"x\ry\"\n\"5\"\" pipe\",a,\tb'\n")
  }

  @Test func aQuoteAnywhereInARunIsFound() {
    for index in 0..<24 {
      var cells = Array(repeating: TestCell.bare("v"), count: 24)
      cells[index] = .bare("v\"")
      var expected = Array(repeating: "v", count: 24)
      expected[index] = "\"v\"\"\""
      #expect(csv([], [cells]) == expected.joined(separator: ",") + "\n")
    }
  }

  @Test func anotherDialectIsWrittenAnew() {
    let rows: [[TestCell]] = [[.bare("1,5"), .bare("a;b"), .quoted("c;d")], [.bare("x"), .bare("\ty"), .bare("")]]
    #expect(csv(columns("a,x", "b", "c"), rows, from: "|") == "\"a,x\",b,c\n\"1,5\",a;b,c;d\nx,\ty,\n")
    #expect(csv(columns("a", "b", "c"), rows, from: "|", to: "\t") == "a\tb\tc\n1,5\ta;b\tc;d\nx\t\"\ty\"\t\n")
    #expect(csv(columns("a", "b", "c"), rows, from: "|", to: ";") == "a;b;c\n1,5;\"a;b\";\"c;d\"\nx;\ty;\n")
  }

  @Test func blankRowsAreNoBlankLines() {
    #expect(csv(columns("a"), [[.bare("")], [.quoted("")], [.missing], [.bare("x")]]) == "a\n\"\"\n\"\"\n\"\"\nx\n")
  }

  @Test func shortRowsAreFilledAndLongOnesKept() {
    let rows: [[TestCell]] = [
      [.bare("1")], [.bare("1"), .missing, .missing], [.bare("1"), .bare("2"), .bare("3"), .bare("4"), .quoted("5,6")],
    ]
    #expect(csv(columns("a", "b", "c"), rows) == "a,b,c\n1,,\n1,,\n1,2,3,4,\"5,6\"\n")
  }

  @Test func columnsInAnotherOrder() {
    let row = TestRow([.bare("first"), .bare("second"), .bare("third")])
    var printer = CSVPrinter(columns: columns("c", "a", "b"), compactJSON: compactForTests)
    var output: [UInt8] = []
    let fields = [row.fields[2], row.fields[0], row.fields[1]]
    printer.print(record: row.record.span, fields: fields.span, into: &output)
    #expect(output == Array("third,first,second\n".utf8))
  }

  @Test func jsonValuesAreDecoded() {
    let rows: [[TestCell]] = [
      [.number("1.10"), .string("a"), .string(""), .null],
      [.true(), .string("a\\nb"), .string("q\\\"q"), .array("[1, \"a b\"]")],
      [.missing, .string("\\u00e9"), .string("x,y"), .object("{ \"a\" : 1 }")],
    ]
    #expect(
      csv(columns("a", "b", "c", "d"), rows)
        == "a,b,c,d\n1.10,a,\"\",\ntrue,\"a\nb\",\"q\"\"q\",\"[1,\"\"a b\"\"]\"\n,é,\"x,y\",\"{\"\"a\"\":1}\"\n")
  }

  @Test func loneSurrogatesAreReplacedAndCounted() {
    var printer = CSVPrinter(columns: columns("a"), printsHeading: false, compactJSON: compactForTests)
    let text = printed(&printer, [TestRow([.string("ok")]), TestRow([.string("x\\ud800y\\ud83d\\ude00")])])
    #expect(text == "ok\nx\u{FFFD}y😀\n")
    #expect(printer.notes.replacedCount == 1)
    #expect(printer.notes.firstReplacedRowIndex == 1)
    #expect(printer.notes.rowCount == 2)
  }

  @Test func brokenBytesStayAsTheyAre() {
    var printer = CSVPrinter(columns: columns("a", "b"), printsHeading: false, compactJSON: compactForTests)
    let bytes = printedBytes(&printer, [[TestRow([.bare([0xE9, 0xFF]), .bare([0x80])])]])
    #expect(bytes == [0xE9, 0xFF, 0x2C, 0x80, 0x0A])
    #expect(printer.notes.replacedCount == 0)
  }

  @Test func aTerminalIsNotDriven() {
    let rows: [[TestCell]] = [[.bare("\u{1B}[2J"), .quoted("a\nb,c"), .bare([0xFF]), .bare("")]]
    #expect(csv(columns("a\u{7}", "b", "c", "d"), rows, isTerminal: true) == "a␇,b,c,d\n␛[2J,\"a␊b,c\",\u{FFFD},\n")
  }

  @Test func namesAreQuotedAndKeptAsTheFileHasThem() {
    let names = [
      OutputColumn(name: Array("qty".utf8)), OutputColumn(name: Array("qty_2".utf8), originalName: Array("qty".utf8)),
      OutputColumn("a \"b\""),
    ]
    #expect(csv(names, []) == "qty,qty,\"a \"\"b\"\"\"\n")
    #expect(csv([], []) == "")
  }

  /// The obvious twin of all the runs and searches.
  @Test func agreesWithAnObviousTwin() {
    var random = SeededGenerator(seed: 11)
    let alphabet: [String] = ["a", "b", "\"", ",", ";", "\n", "\r", " ", "é", "\t", "longer text here"]
    for _ in 0..<1000 {
      let source = random.pick([",", ";"] as [Character])
      let cells: [TestCell] = (0..<(1 + random.below(6))).map { _ in
        let text = (0..<random.below(5)).map { _ in random.pick(alphabet) }.joined()
        let mayBeBare =
          !text.hasPrefix("\"") && !text.utf8.contains { [0x0A, 0x0D, source.asciiValue ?? 0].contains($0) }
        return mayBeBare && !random.oneIn(3) ? .bare(text) : .quoted(text)
      }
      let expected = cells.map { cell -> String in
        var text = String(decoding: cell.bytes, as: UTF8.self)
        if cell.kind == .bare {
          text = text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
        }
        let quotes = cell.kind == .bare ? text.isEmpty : false
        let must = text.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) } || (cell.kind != .bare && text.isEmpty)
        return must && !quotes ? "\"\(text)\"" : text
      }.joined(separator: ",")
      #expect(csv([], [cells], from: source) == (expected.isEmpty ? "\"\"" : expected) + "\n")
    }
  }
}
