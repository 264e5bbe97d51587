// Rows in, exact lines of a table out.

import Reading
import Rendering
import Testing

@Suite struct TablePrinterTests {
  private func printer(
    _ names: [OutputColumn], limits: TableLimits = .none, printsHeading: Bool = true, usesColor: Bool = false
  ) -> TablePrinter {
    TablePrinter(
      columns: names, limits: limits, printsHeading: printsHeading, usesColor: usesColor, compactJSON: compactForTests)
  }

  @Test func columnsLineUp() {
    var table = printer(columns("id", "name", "km", "note"))
    let rows = [
      TestRow([.bare("1"), .bare("short"), .bare("10.5"), .bare("x")]),
      TestRow([.bare("20"), .quoted("somewhat longer"), .bare("7"), .bare("")]),
      TestRow([.bare(""), .bare(""), .bare("-1e3"), .missing]), TestRow([.missing, .missing, .missing, .missing]),
    ]
    #expect(
      printed(&table, rows) == """
        id  name               km  note
         1  short            10.5  x
        20  somewhat longer     7
                             -1e3


        """)
  }

  @Test func headingsOfMixedColumnsStayLeft() {
    var table = printer(columns("value", "wide"))
    let rows = [TestRow([.bare("1"), .quoted("22")]), TestRow([.bare("n/a"), .bare("")])]
    #expect(printed(&table, rows) == "value  wide\n    1    22\nn/a\n")
  }

  @Test func jsonValues() {
    var table = printer(columns("a", "b", "c", "d"))
    let rows = [
      TestRow([.number("1"), .string("1"), .array("[1, 2]"), .true()]),
      TestRow([.null, .string("a\\tb\\n"), .object("{ \"k\": \"v w\" }"), .string("\\ud800")]),
    ]
    #expect(
      printed(&table, rows) == """
        a  b     c            d
        1  1     [1,2]        true
           a␉b␊  {"k":"v w"}  \u{FFFD}

        """)
    #expect(table.notes.replacedCount == 1)
    #expect(table.notes.firstReplacedRowIndex == 1)
  }

  @Test func wideAndCombiningTextLinesUp() {
    var table = printer(columns("name", "end"))
    let names = ["ascii", "漢字テスト", "e\u{301}a\u{308}", "👩‍💻", "🇮🇸", "❤️", "नि"]
    let rows = names.map { TestRow([.bare($0), .bare("|")]) }
    #expect(
      printed(&table, rows) == """
        name        end
        ascii       |
        漢字テスト  |
        e\u{301}a\u{308}          |
        👩‍💻          |
        🇮🇸          |
        ❤️          |
        नि          |

        """)
  }

  @Test func hostileCells() {
    var table = printer(columns("a\u{1B}", "b"))
    let rows = [
      TestRow([.bare("\u{1B}[2J\u{7}"), .quoted("x\r\ny")]), TestRow([.bare([0xFF, 0xFE]), .bare("\u{202E}z\u{9B}")]),
    ]
    #expect(
      printed(&table, rows) == """
        a␛     b
        ␛[2J␇  x␍␊y
        \u{FFFD}\u{FFFD}     <U+202E>z<U+009B>

        """)
    #expect(table.notes.replacedCount == 2)
  }

  @Test func widthsGrowOverPages() {
    var table = printer(columns("a", "b"))
    let pages = [
      [TestRow([.bare("xxxx"), .bare("1")])], [TestRow([.bare("y"), .bare("22")])],
      [TestRow([.bare("zzzzzz"), .bare("333")]), TestRow([.bare("z"), .bare("4")])],
      [TestRow([.bare("w"), .bare("5")])],
    ]
    #expect(
      printed(&table, pages: pages) == """
        a     b
        xxxx  1
        y     22
        zzzzzz  333
        z         4
        w         5

        """)
    #expect(table.layout.widths == [6, 3])
  }

  @Test func longCellsPushTheirOwnLine() {
    var table = printer(columns("a", "b"))
    let long = String(repeating: "x", count: 70)
    let rows = [TestRow([.bare(long), .bare("1")]), TestRow([.bare("s"), .bare("2")])]
    let text = "a" + String(repeating: " ", count: 65) + "b\n\(long)  1\ns" + String(repeating: " ", count: 65) + "2\n"
    #expect(printed(&table, rows) == text)
    #expect(table.notes.cutCellCount == 0)
  }

  @Test func cuttingEverywhere() {
    var table = printer(columns("a", "number"), limits: TableLimits(cut: 5))
    let rows = [
      TestRow([.bare("abcdefgh"), .bare("123456")]), TestRow([.bare("漢字漢字"), .bare("1")]),
      TestRow([.bare("abcde"), .bare("")]),
    ]
    #expect(printed(&table, rows) == "a      numb…\nabcd…  1234…\n漢字…      1\nabcde\n")
    #expect(table.notes.cutCellCount == 4)
  }

  @Test func aCutThatFallsInAWideCharacterLeavesABlank() {
    var table = printer(columns("a", "b"), limits: TableLimits(cut: 4))
    let rows = [TestRow([.bare("漢字漢"), .bare("|")]), TestRow([.bare("👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦"), .bare("|")])]
    #expect(printed(&table, rows) == "a     b\n漢…   |\n👨‍👩‍👧‍👦…   |\n")
  }

  @Test func columnsThatDoNotFitAreLeftOut() {
    var table = printer(columns("aaaa", "bbbb", "cccc", "d"), limits: TableLimits(cut: 64, lineWidth: 11))
    let row = TestRow([.bare("1"), .bare("2"), .bare("3"), .bare("4"), .bare("5")])
    #expect(printed(&table, [row]) == "aaaa  bbbb\n   1     2\n")
    #expect(table.notes.leftOutColumnCount == 3)
    var exact = printer(columns("aaaa", "bbbb"), limits: TableLimits(cut: 64, lineWidth: 10))
    #expect(printed(&exact, [TestRow([.bare("1"), .bare("2")])]) == "aaaa  bbbb\n   1     2\n")
    #expect(exact.notes.leftOutColumnCount == 0)
  }

  @Test func theFirstColumnIsCutToFit() {
    var table = printer(columns("a", "b"), limits: TableLimits(cut: 64, lineWidth: 6))
    #expect(printed(&table, [TestRow([.bare("abcdefgh"), .bare("2")])]) == "a\nabcde…\n")
    #expect(table.notes.cutCellCount == 1)
    #expect(table.notes.leftOutColumnCount == 1)
  }

  @Test func laterPagesStayOnTheScreen() {
    var table = printer(columns("a", "b"), limits: TableLimits(cut: 64, lineWidth: 10))
    let pages = [
      [TestRow([.bare("xx"), .bare("yy")])], [TestRow([.bare("xxxxxxxxxx"), .bare("yyyy"), .bare("extra")])],
      [TestRow([.bare("x"), .bare("y")])],
    ]
    #expect(printed(&table, pages: pages) == "a   b\nxx  yy\nxxxxx…  y…\nx       y\n")
    #expect(table.notes.cutCellCount == 2)
    #expect(table.notes.leftOutColumnCount == 1)
  }

  @Test func extraCellsHaveMadeNames() {
    var table = printer(columns("a", "c3"))
    let rows = [TestRow([.bare("x"), .bare("y")]), TestRow([.bare("x"), .bare("y"), .bare("z"), .bare("7")])]
    #expect(printed(&table, rows) == "a  c3  c3_2  c4\nx  y\nx  y   z      7\n")
  }

  @Test func emptyResults() {
    var empty = printer(columns("id", "name"))
    #expect(printed(&empty, pages: []) == "id  name\n")
    var emptyPage = printer(columns("id", "name"))
    #expect(printed(&emptyPage, pages: [[]]) == "id  name\n")
    var none = printer([])
    #expect(printed(&none, pages: []) == "")
    var noHeading = printer(columns("id"), printsHeading: false)
    #expect(printed(&noHeading, pages: [[TestRow([.bare("1")])]]) == "1\n")
  }

  @Test func theHeadingIsBoldOnRequest() {
    var table = printer(columns("a", "b"), usesColor: true)
    #expect(printed(&table, [TestRow([.bare("x"), .bare("y")])]) == "\u{1B}[1ma  b\u{1B}[0m\nx  y\n")
  }
}
