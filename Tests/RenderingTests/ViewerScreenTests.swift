// Whole screens, text and style, at sizes from one cell up.

import Reading
import Rendering
import TerminalIO
import TestSupport
import Testing

@Suite struct ViewerScreenTests {
  @Test func theFirstScreen() {
    let viewer = ViewerFixture(rideColumns, ListedRows(rides(20)))
    #expect(
      viewer.screen
        == """
            name    distance  type
         1  ride 1         0  Run
         2  ride 2       919  Ride
         3  ride 3       838  Hike
         4  ride 4       757  Run
         5  ride 5       676  Ride
         6  ride 6       595  Hike
         rides.csv  csv                                     1 of 20
        """.replacingLeadingBlanks(viewer.screen))
    #expect(viewer.terminal.styledRuns(ofLine: 1) == ["r:1  ", "bur:ride 1", "r:         0  Run" + blanks(36)])
    #expect(viewer.terminal.styledRuns(ofLine: 2) == ["d:2"])
    #expect(!viewer.terminal.isCursorVisible && viewer.isClean)
  }

  @Test func rowsThatAreNotThereFillIn() {
    var viewer = ViewerFixture(rideColumns, ListedRows(rides(20), reached: 2, isComplete: false))
    #expect(viewer.terminal.text(ofLine: 3).hasSuffix("·       ·         ·"))
    #expect(viewer.terminal.text(ofLine: 7).hasSuffix("row 1, 2 loaded"))
    viewer.rows.reached = 20
    viewer.draw()
    #expect(viewer.terminal.text(ofLine: 3) == "3  ride 3       838  Hike")
    viewer.rows.isComplete = true
    viewer.rows.failedRow = 3
    viewer.draw()
    #expect(viewer.terminal.text(ofLine: 4) == "4  not read: disk trouble; r tries again")
  }

  @Test func nothingIsShownBehindARowThatWasNotRead() {
    // A page ends within the screen: what would come on the next one is not known to be there.
    var rows = ListedRows(rides(20), reached: 2, isComplete: false)
    rows.failedRow = 2
    var viewer = ViewerFixture(rideColumns, rows, height: 12)
    #expect(viewer.terminal.text(ofLine: 3) == "3  not read: disk trouble; r tries again")
    for line in 4...10 { #expect(viewer.terminal.text(ofLine: line) == "~") }
    viewer.type("jjjjjj")
    #expect(viewer.state.cursorRow == 2)
    viewer.type("90G")
    viewer.rows.failedRow = viewer.state.topRow + 3
    viewer.draw()
    #expect(viewer.state.cursorRow == viewer.rows.failedRow)
  }

  @Test func anEmptyResultSaysSo() {
    var viewer = ViewerFixture(rideColumns, ListedRows([]))
    #expect(viewer.terminal.text(ofLine: 1) == "no rows")
    #expect(viewer.terminal.text(ofLine: 7).hasSuffix("no rows"))
    viewer.type("jkG gdu\rlh$0*yYn")
    #expect(viewer.terminal.text(ofLine: 1) == "no rows")
  }

  @Test func theEndIsMarked() {
    let viewer = ViewerFixture(rideColumns, ListedRows(rides(2)))
    #expect(viewer.terminal.text(ofLine: 3) == "~")
  }

  @Test func aLongCellIsCutWithDots() {
    let long = ViewerRow([.bare(String(repeating: "x", count: 100)), .bare("漢字漢字")])
    var viewer = ViewerFixture([ViewerColumn("a"), ViewerColumn("b")], ListedRows([long]), width: 90, height: 4)
    #expect(viewer.terminal.text(ofLine: 1) == "1  " + String(repeating: "x", count: 63) + "…  漢字漢字")
    viewer.type("$[[[[")
    #expect(viewer.terminal.text(ofLine: 1).hasSuffix("…  漢…"))
    viewer.type("]]]]")
    #expect(viewer.terminal.text(ofLine: 1).hasSuffix("…  漢字漢字"))
  }

  @Test func hostileCellsAreHarmless() {
    let cells: [TestCell] = [
      .bare("\u{1B}[2J\u{1B}]0;owned\u{7}"), .bare([0xFF, 0x9B, 0x31, 0x6D]), .quoted("a\r\nb\tc"),
      .bare("\u{202E}evil"), .string(#"\u001b[31m\ud800"#), .bare("e" + String(repeating: "\u{301}", count: 5000)),
      .array("[\"\u{1B}[1m\",\n 1]"), .bare(String(repeating: "👨‍👩‍👧‍👦", count: 200)),
    ]
    let columns = cells.indices.map { ViewerColumn(name: Array("\u{1B}[7mc\($0)\n".utf8)) }
    for (width, height) in [(300, 6), (80, 24), (20, 5), (3, 3), (1, 1)] {
      var viewer = ViewerFixture(
        columns, ListedRows([ViewerRow(cells), ViewerRow(cells)]), width: width, height: height,
        name: "\u{1B}]0;x\u{7}.csv")
      viewer.type("j$h\r jJK␛/e\rn*:␛H␛")
      viewer.state.begin(sort: ViewerSort([.init(text: "\u{1B}c")]), filter: "x == \"\u{9B}2J\"")
      viewer.state.message = ViewerMessage("\u{1B}[2J", isError: true)
      viewer.draw()
      #expect(viewer.isClean, "\(width)x\(height) \(viewer.terminal.unknown) \(viewer.terminal.strayControls)")
    }
    let viewer = ViewerFixture(columns, ListedRows([ViewerRow(cells)]), width: 300, height: 4)
    #expect(viewer.screen.contains("␛[2J␛]0;owned␇") && viewer.screen.contains("a␍␊b␉c"))
    #expect(viewer.screen.contains("<U+202E>evil"))
  }

  @Test func everySizeIsDrawn() {
    var random = SeededGenerator(seed: 3)
    let keys = [
      "j", "k", " ", "b", "G", "g", "l", "h", "$", "0", "z", "-", "]", "[", "\r", "␛", "/ri\r", "n", "H", "d",
    ]
    var sizes = [(1, 1), (2, 1), (1, 2), (2, 2), (3, 3), (1, 50), (300, 1), (5, 3), (300, 100)]
    for _ in 0..<30 { sizes.append((1 + random.below(120), 1 + random.below(50))) }
    var viewer = ViewerFixture(rideColumns, ListedRows(rides(300)))
    for (width, height) in sizes {
      viewer.resize(width, height)
      for _ in 0..<12 {
        viewer.type(random.pick(keys))
        #expect(viewer.isClean && viewer.terminal.lines.count == height)
      }
      viewer.type("␛:columns *\r")
    }
  }

  @Test func aScreenOfOneLineShowsARow() {
    var viewer = ViewerFixture(rideColumns, ListedRows(rides(3)), width: 40, height: 1)
    #expect(viewer.screen == "1  ride 1    0  Run" || viewer.screen.hasPrefix("1  ride 1"))
    viewer.type("j")
    #expect(viewer.screen.hasPrefix("2  ride 2"))
    viewer.type("/hike")
    #expect(viewer.screen == "/hike")
    viewer.type("\r")
    #expect(viewer.screen.hasPrefix("3  ride 3"))
    viewer.resize(1, 1)
    #expect(viewer.screen == "…" || viewer.screen == "r")
  }

  @Test func matchesAreHighlighted() {
    var viewer = ViewerFixture(rideColumns, ListedRows(rides(20)))
    viewer.type("/hi\r")
    #expect(viewer.state.cursorRow == 2 && viewer.state.cursorColumn == 2)
    #expect(viewer.terminal.styledRuns(ofLine: 3).contains("bu:Hi"))
    #expect(viewer.terminal.styledRuns(ofLine: 6) == ["d:6", "urf3:Hi"])
    viewer.type("␛")
    #expect(viewer.terminal.styledRuns(ofLine: 6) == ["d:6"])
  }

  @Test func frozenColumnsStay() {
    let columns = (0..<12).map { ViewerColumn("column\($0)") }
    let row = ViewerRow((0..<12).map { .bare("value\($0)") })
    var viewer = ViewerFixture(columns, ListedRows([row]), width: 40, height: 4)
    viewer.type("z$")
    #expect(viewer.terminal.text(ofLine: 1) == "1  value0  │ value9   value10   value11")
    #expect(
      viewer.terminal.text(ofLine: 0).hasPrefix(" ‹ column0") || viewer.terminal.text(ofLine: 0).contains("column11"))
    viewer.type("0")
    #expect(viewer.terminal.text(ofLine: 1) == "1  value0  │ value9   value10   value11")
    viewer.type("z")
    #expect(viewer.terminal.text(ofLine: 1).hasPrefix("1  value0   value1   value2"))
  }

  @Test func manyColumnsCostNoMoreThanThoseInView() {
    let columns = (0..<5000).map { ViewerColumn("c\($0)") }
    let row = ViewerRow((0..<20_050).map { .bare($0 == 5003 ? "long long value" : "v\($0)") })
    var viewer = ViewerFixture(columns, ListedRows(Array(repeating: row, count: 9)), width: 60, height: 10)
    // The cells beyond the header's width get columns too, up to a bound.
    viewer.type("$")
    #expect(viewer.terminal.text(ofLine: 1).hasSuffix("v19998  v19999"))
    viewer.type("0999l999l999l999l999l")
    #expect(viewer.state.cursorColumn == 4995)
    viewer.type("9l")
    #expect(viewer.terminal.text(ofLine: 1).hasSuffix("long long value  v5004"))
    viewer.type("z$")
    #expect(viewer.terminal.text(ofLine: 0).hasSuffix("c20000"))
  }

  @Test func sortedColumnsCarryASign() {
    var viewer = ViewerFixture(rideColumns, ListedRows(rides(5)), width: 70)
    viewer.state.begin(
      sort: ViewerSort([
        .init(text: "type:desc", columnName: Array("type".utf8), isDescending: true),
        .init(text: "distance", columnName: Array("distance".utf8)),
      ]), filter: "distance > 1")
    viewer.draw()
    #expect(viewer.terminal.text(ofLine: 0).hasSuffix("▲ distance  type ▼"))
    #expect(viewer.terminal.text(ofLine: 7).contains("sort type:desc,distance  filter distance > 1"))
  }

  @Test func aLineOfScrollingSendsLittle() {
    let columns = (0..<30).map { ViewerColumn("column\($0)") }
    let rows = (0..<500).map { row in ViewerRow((0..<30).map { .bare("\((row &* 31 &+ $0) &* 7919 % 99991)") }) }
    var viewer = ViewerFixture(columns, ListedRows(rows), width: 200, height: 60)
    viewer.type("100G")
    for key in ["j", "j", "\u{1B}[<65;1;5M", "k"] {
      viewer.type(key)
      #expect(viewer.frame.count <= 4096, "\(key) \(viewer.frame.count)")
    }
    viewer.type("57k")
    for _ in 0..<3 {
      viewer.type("k")
      #expect(viewer.frame.count <= 4096)
    }
  }

  /// Whatever comes into view: longer cells, longer row numbers, emoji, columns that were empty so far.
  @Test func aLongWayLineByLineNeverSendsMuch() {
    var random = SeededGenerator(seed: 11)
    let columns = (0..<14).map { ViewerColumn("column\($0)") }
    let pieces = ["Morning Ride", "漢字", "7", "❄️", "Kraków", "🚴‍♀️", "with kids", "12345.67", ""]
    let rows = (0..<1300).map { row in
      ViewerRow(
        (0..<14).map { column in
          if random.oneIn(60) { return .bare(String(repeating: random.pick(pieces) + " ", count: 1 + random.below(8))) }
          return column == 13 && row < 300 ? .null : .bare(random.pick(pieces))
        })
    }
    for format in [false, true] {
      var viewer = ViewerFixture(columns, ListedRows(rows), width: 200, height: 60, isJSON: format)
      viewer.type(format ? "l3z" : "")
      var most = 0
      // Over the first row numbers of three digits, of four, and back.
      for (start, keys) in [
        ("g59j", ["j"]), ("960G", ["\u{1B}[B", "\u{1B}[<65;9;9M"]), ("1050G", ["k", "\u{1B}[<64;9;9M"]),
      ] {
        viewer.type(start)
        for key in keys {
          for _ in 0..<60 {
            viewer.type(key)
            most = max(most, viewer.frame.count)
          }
        }
      }
      #expect(most <= 4096, "\(most)")
    }
  }

  @Test func columnsStandStillLineByLineAndGrowElsewhere() {
    let rows = (0..<100).map { row in
      ViewerRow([.bare(row == 20 ? "a much longer name" : "name"), .bare("x"), .bare(row == 20 ? "the end" : "e")])
    }
    let columns = [ViewerColumn("a"), ViewerColumn("b"), ViewerColumn("c")]
    var viewer = ViewerFixture(columns, ListedRows(rows), width: 60, height: 12)
    viewer.type("20j")
    #expect(viewer.screen.contains("21  a much longer name  x  the end"))
    viewer = ViewerFixture(columns, ListedRows(rows), width: 60, height: 12)
    for _ in 0..<20 { viewer.type("j") }
    // The last column may grow, for nothing stands behind it.
    #expect(viewer.screen.contains("21  a m…  x  the end"))
    viewer.type("y")
    #expect(viewer.screen.contains("21  a m…  x  the end"))
    viewer.type("l")
    #expect(viewer.screen.contains("21  a much longer name  x  the end"))
  }

  @Test func help() {
    var viewer = ViewerFixture(rideColumns, ListedRows(rides(5)), width: 80, height: 24)
    viewer.type("H")
    #expect(viewer.terminal.text(ofLine: 0).hasPrefix("pagecat: keys"))
    viewer.type("G")
    #expect(viewer.terminal.text(ofLine: 22).hasPrefix("end, Alt-B"))
    viewer.type("q")
    #expect(viewer.terminal.text(ofLine: 1).hasPrefix("1  ride 1"))
    #expect(viewer.effects.isEmpty)
  }

  @Test func theRecordInFull() {
    let json = #"{"id":7,"gear":{"name":"Trail","tags":[],"sizes":[1, 2]},"note":"a\nb \"q\"","empty":{}}"#
    let row = ViewerRow(record: Array(json.utf8), fields: [Field(6..<7, .number)])
    var viewer = ViewerFixture([ViewerColumn("id")], ListedRows([row]), width: 30, height: 16, isJSON: true)
    viewer.type("\r")
    #expect(
      viewer.screen.hasPrefix(
        #"""
        {
          "id": 7,
          "gear": {
            "name": "Trail",
            "tags": [],
            "sizes": [
              1,
              2
            ]
          },
          "note": "a\nb \"q\"",
          "empty": {}
        }
        """#))
    #expect(viewer.terminal.styledRuns(ofLine: 1) == [#"b:  "id""#])
    viewer.resize(10, 5)
    #expect(viewer.terminal.text(ofLine: 2) == "  \"gear\":")
    viewer.type("\u{1B}[D")
    #expect(viewer.state.overlay == nil)
  }

  @Test func theFieldsOfARecord() {
    let row = ViewerRow([.bare("Ann"), .quoted("two\nlines"), .bare(""), .bare("extra")])
    var viewer = ViewerFixture(
      [ViewerColumn("name"), ViewerColumn("note"), ViewerColumn("id")], ListedRows([row, row]), width: 30, height: 8)
    viewer.type("\r")
    #expect(viewer.screen.hasPrefix("name  Ann\nnote  two\n      lines\nid\nc4    extra"))
    viewer.type("J")
    #expect(viewer.state.cursorRow == 1 && viewer.screen.hasPrefix("name  Ann"))
    viewer.type("K␛")
    #expect(viewer.state.cursorRow == 0 && viewer.state.overlay == nil)
  }
}

private func blanks(_ count: Int) -> String { String(repeating: " ", count: count) }

extension String {
  /// Source code cannot show blanks before a line of a literal at will: takes them from the screen.
  fileprivate func replacingLeadingBlanks(_ screen: String) -> String {
    let lines = split(separator: "\n", omittingEmptySubsequences: false)
    let others = screen.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == others.count else { return self }
    return zip(lines, others).map { line, other in
      String(other.prefix { $0 == " " }) + line.drop { $0 == " " }
    }.joined(separator: "\n")
  }
}
