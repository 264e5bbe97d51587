// Rows in, exact bytes of JSON out.

import Reading
import Rendering
import Testing

@Suite struct JSONPrinterTests {
  private func printer(
    _ names: [OutputColumn], framing: JSONFraming = .lines, shape: JSONRowShape = .columns,
    strings: StringColumns = .none,
    isTerminal: Bool = false
  ) -> JSONPrinter {
    JSONPrinter(
      framing: framing, shape: shape, columns: names, strings: strings, isTerminal: isTerminal,
      compactJSON: compactForTests)
  }

  private func record(_ text: String) -> TestRow {
    var row = TestRow([])
    row.record = Array(text.utf8)
    return row
  }

  @Test func recordsPassThrough() {
    var lines = printer([], shape: .record)
    let records = [record("{ \"a\" : 1.10, \"a\":\"x y\" }"), record("[ 1 ]"), record("\"\\ud800\"")]
    #expect(printed(&lines, records) == "{\"a\":1.10,\"a\":\"x y\"}\n[1]\n\"\\ud800\"\n")
  }

  @Test func anArrayHasOneRecordALine() {
    var array = printer([], framing: .array, shape: .record)
    #expect(printed(&array, [record("{}"), record("1"), record("2")]) == "[\n{},\n1,\n2\n]\n")
    var single = printer([], framing: .array, shape: .record)
    #expect(printed(&single, pages: [[record("{}")], []]) == "[\n{}\n]\n")
    var pages = printer([], framing: .array, shape: .record)
    #expect(printed(&pages, pages: [[record("1")], [record("2")]]) == "[\n1,\n2\n]\n")
    var empty = printer([], framing: .array, shape: .record)
    #expect(printed(&empty, []) == "[]\n")
    var emptyLines = printer([], shape: .record)
    #expect(printed(&emptyLines, []) == "")
  }

  @Test func brokenTextIsReplacedAndCounted() {
    var lines = printer([], shape: .record)
    var row = record("")
    row.record = Array("{\"é\":\"".utf8) + [0xFF, 0x78, 0xC3] + Array("\"}".utf8)
    #expect(
      printed(&lines, [record("{\"é\":1}"), row, record("{}")]) == "{\"é\":1}\n{\"é\":\"\u{FFFD}x\u{FFFD}\"}\n{}\n")
    #expect(lines.notes.replacedCount == 2)
    #expect(lines.notes.firstReplacedRowIndex == 1)
  }

  @Test func namedColumnsOfJSON() {
    var lines = printer(columns("b", "gear.name", "q\"\\"))
    let rows = [
      TestRow([.number("1e400"), .string("a\\u00e9\\/"), .array("[1, 2]")]), TestRow([.missing, .null, .missing]),
      TestRow([.missing, .missing, .missing]), TestRow([.true(), .missing, .object("{ \"x\": 1 }")]),
    ]
    #expect(
      printed(&lines, rows) == #"""
        {"b":1e400,"gear.name":"a\u00e9\/","q\"\\":[1,2]}
        {"gear.name":null}
        {}
        {"b":true,"q\"\\":{"x":1}}

        """#)
    #expect(lines.notes.partlyBareColumnIndexes == [])
  }

  @Test func cellsOfCSV() {
    var lines = printer(columns("n", "t"))
    let rows: [TestRow] = [
      TestRow([.bare("1.10"), .bare("true")]), TestRow([.bare("007"), .bare("false")]),
      TestRow([.bare("-0"), .bare("True")]), TestRow([.bare(""), .quoted("")]), TestRow([.bare("nan"), .missing]),
      TestRow([.quoted("5"), .quoted("a\"b\\\n\t\u{1}")]), TestRow([.bare("tru"), .bare("nulls")]),
    ]
    #expect(
      printed(&lines, rows) == #"""
        {"n":1.10,"t":true}
        {"n":"007","t":false}
        {"n":-0,"t":"True"}
        {"n":null,"t":""}
        {"n":"nan"}
        {"n":"5","t":"a\"b\\\n\t\u0001"}
        {"n":"tru","t":"nulls"}

        """#)
    #expect(lines.notes.partlyBareColumnIndexes == [0, 1])
  }

  @Test func stringsOnRequest() {
    let row = TestRow([.bare("1"), .bare("2"), .bare(""), .bare("true")])
    var all = printer(columns("a", "b", "c"), strings: .all)
    #expect(printed(&all, [row]) == #"{"a":"1","b":"2","c":null,"c4":"true"}"# + "\n")
    var some = printer(columns("a", "b", "c"), strings: .some([1, 99]))
    #expect(printed(&some, [row]) == #"{"a":1,"b":"2","c":null,"c4":true}"# + "\n")
  }

  @Test func extraCellsGetMadeNames() {
    var lines = printer(columns("c3", "x"))
    let rows = [TestRow([.bare("1"), .bare("2"), .bare("3"), .bare("4")]), TestRow([.bare("1"), .bare("2")])]
    #expect(printed(&lines, rows) == #"{"c3":1,"x":2,"c3_2":3,"c4":4}"# + "\n" + #"{"c3":1,"x":2}"# + "\n")
  }

  @Test func extraCellsAreCountedFromHiddenColumnsToo() {
    var lines = JSONPrinter(
      framing: .lines, shape: .columns, columns: columns("a", "b"), hiddenNames: [Array("c5".utf8), [0x78]],
      compactJSON: compactForTests)
    let row = TestRow([.bare("1"), .bare("2"), .bare("3")])
    #expect(printed(&lines, [row]) == #"{"a":1,"b":2,"c5_2":3}"# + "\n")
  }

  @Test func brokenCellsAndNamesAreReplaced() {
    var lines = printer([OutputColumn(name: [0x61, 0xFF])])
    #expect(printed(&lines, [TestRow([.bare([0xE9])])]) == "{\"a\u{FFFD}\":\"\u{FFFD}\"}\n")
    #expect(lines.notes.replacedCount == 1 || lines.notes.replacedCount == 2)
  }

  @Test func aTerminalGetsEscapes() {
    var lines = printer(columns("a"), isTerminal: true)
    let rows = [TestRow([.bare("x\u{202E}\u{1B}\u{7F}")]), TestRow([.bare([0xFF])])]
    #expect(printed(&lines, rows) == #"{"a":"x\u202E\u001b\u007F"}"# + "\n{\"a\":\"\u{FFFD}\"}\n")
    #expect(lines.notes.firstReplacedRowIndex == 1)
  }
}
