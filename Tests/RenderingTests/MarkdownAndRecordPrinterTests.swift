// Rows in, exact Markdown and exact records out.

import Reading
import Rendering
import Testing

@Suite struct MarkdownPrinterTests {
  private func markdown(
    _ names: [OutputColumn], _ rows: [[TestCell]], printsHeading: Bool = true, isTerminal: Bool = false
  ) -> String {
    var printer = MarkdownPrinter(
      columns: names, printsHeading: printsHeading, isTerminal: isTerminal, compactJSON: compactForTests)
    return printed(&printer, rows.map { TestRow($0) })
  }

  @Test func aTable() {
    let rows: [[TestCell]] = [
      [.bare("1"), .quoted("x,y")], [.bare(""), .missing], [.bare("1"), .bare("2"), .bare("3")],
    ]
    #expect(
      markdown(columns("a", "b|c"), rows) == """
        | a | b\\|c |
        | --- | --- |
        | 1 | x,y |
        |  |  |
        | 1 | 2 | 3 |

        """)
    #expect(markdown(columns("a"), [[.bare("1")]], printsHeading: false) == "| 1 |\n")
    #expect(markdown([], []) == "")
  }

  @Test(arguments: [
    ("a|b", #"a\|b"#), (#"a\|b"#, #"a\\\|b"#), ("x\ny", "x<br>y"), ("x\r\ny", "x<br>y"), ("x\ry", "x<br>y"),
    ("*b* `c` ~d~", #"\*b\* \`c\` \~d\~"#), ("start_date", "start_date"), ("_x_", #"\_x\_"#),
    ("<b>", #"\<b\>"#), ("[a](b)", #"\[a\](b)"#), ("a&b=1", "a&b=1"), ("&amp;", #"\&amp;"#), ("&#233;", #"\&#233;"#),
    ("&;", "&;"), ("é漢👩‍💻", "é漢👩‍💻"),
  ])
  func markup(_ text: String, _ expected: String) {
    #expect(markdown(columns("a"), [[.quoted(text)]], printsHeading: false) == "| \(expected) |\n")
  }

  @Test func hostileText() {
    var printer = MarkdownPrinter(columns: columns("a"), printsHeading: false, compactJSON: compactForTests)
    let rows = [TestRow([.string("\\ud800")]), TestRow([.bare([0xFF])])]
    #expect(printed(&printer, rows) == "| \u{FFFD} |\n| \u{FFFD} |\n")
    #expect(printer.notes.replacedCount == 2)
    let cells: [[TestCell]] = [[.quoted("\u{1B}\n")]]
    #expect(markdown(columns("a"), cells, printsHeading: false, isTerminal: true) == "| ␛␊ |\n")
  }
}

@Suite struct RecordPrinterTests {
  private func printer(
    _ names: [OutputColumn], firstRowNumber: Int = 1, printsHeading: Bool = true, isTerminal: Bool = false,
    usesColor: Bool = false
  ) -> RecordPrinter {
    RecordPrinter(
      columns: names, firstRowNumber: firstRowNumber, printsHeading: printsHeading, isTerminal: isTerminal,
      usesColor: usesColor, compactJSON: compactForTests)
  }

  @Test func fieldsLineUp() {
    var records = printer(columns("id", "gear.name", "漢"), firstRowNumber: 41)
    let rows = [
      TestRow([.number("1.10"), .string("a\\u00e9"), .array("[1, 2]")]), TestRow([.null, .missing, .string("")]),
      TestRow([.bare("1"), .bare("2"), .bare("3"), .bare("4")]),
    ]
    #expect(
      printed(&records, rows) == """
        ── record 41 ──
        id         1.10
        gear.name  aé
        漢         [1,2]
        ── record 42 ──
        id
        漢
        ── record 43 ──
        id         1
        gear.name  2
        漢         3
        c4         4

        """)
  }

  @Test func lineBreaksAndHostileText() {
    let rows = [TestRow([.quoted("x\ny\u{1B}")]), TestRow([.bare([0xFF])])]
    var plain = printer(columns("a"), printsHeading: false)
    #expect(printed(&plain, rows) == "a  x\n   y\u{1B}\n\na  \u{FFFD}\n")
    #expect(plain.notes.firstReplacedRowIndex == 1)
    var terminal = printer(columns("a"), isTerminal: true, usesColor: true)
    #expect(
      printed(&terminal, rows)
        == "\u{1B}[1m── record 1 ──\u{1B}[0m\na  x␊y␛\n\u{1B}[1m── record 2 ──\u{1B}[0m\na  \u{FFFD}\n")
  }
}
