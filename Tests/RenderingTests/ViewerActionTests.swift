// What keys do: tables of keys, where the cursor is then, and what the program is asked for.

import Reading
import Rendering
import TerminalIO
import TestSupport
import Testing

/// 60 rows of 7 columns on a screen with ten lines of rows.
private func viewer(rows count: Int = 60, reached: Int? = nil, isComplete: Bool = true) -> ViewerFixture {
  let columns = (1...7).map { ViewerColumn("c\($0)") }
  let rows = (0..<count).map { row in ViewerRow((0..<7).map { .bare("\(row)-\($0)") }) }
  return ViewerFixture(columns, ListedRows(rows, reached: reached, isComplete: isComplete), width: 80, height: 12)
}

@Suite struct ViewerActionTests {
  /// A terminal may say that it is as high as it likes, and a person may type any number.
  @Test(arguments: ["", "H", "\r"], ["\u{2}", " ", "\u{1B}[5~"])
  func hugeCountsInHighWindowsAreNoTrap(_ keys: String, _ page: String) {
    let columns = [ViewerColumn("c1")]
    let rows = ListedRows((0..<60).map { ViewerRow([.bare("\($0)")]) })
    var viewer = ViewerFixture(columns, rows, width: 3, height: 12)
    viewer.resize(3, 65_535)
    viewer.type(keys + "9223372036854775807" + page)
    #expect(viewer.state.cursorRow < 60)
  }

  @Test(arguments: [
    ("j", 1, 0), ("jjk", 1, 0), ("k", 0, 0), ("5j", 5, 0), ("12j", 12, 3), ("12jk", 11, 3), ("\u{1B}[B\u{1B}[B", 2, 0),
    ("\u{E}\u{10}", 0, 0), (" ", 10, 10), ("f", 10, 10), ("2f", 20, 20), ("\u{1B}[6~", 10, 10), ("\u{6}\u{2}", 0, 0),
    ("2 b", 10, 10), ("b", 0, 0), ("99 ", 59, 50), ("d", 5, 5), ("du", 0, 0), ("7dd", 14, 14), ("7du", 0, 0),
    ("\u{4}\u{4}\u{15}", 5, 5), ("G", 59, 50), ("Gg", 0, 0), ("30G", 29, 20), ("30g", 29, 20), ("1000G", 59, 50),
    ("\u{1B}[F", 59, 50), ("\u{1B}OF\u{1B}OH", 0, 0), ("G3k", 56, 50), ("GGk ", 59, 50), ("20G3b", 0, 0),
    ("99999999999999999999j", 59, 50), ("99999999999999999999f", 59, 50), ("99999999999999999999G", 59, 50),
    ("G99999999999999999999b", 0, 0), ("5␛j", 1, 0), ("5Xj", 1, 0), ("\n", 1, 0), (":30\r", 29, 20),
    (":page 2\r", 20, 11), (":page 99999999999999999\r", 59, 50), (":1\r", 0, 0), ("\u{5}", 1, 1),
    ("\u{5}\u{19}", 1, 0),
    ("\u{1B}[<65;3;4M", 3, 3), ("j\u{1B}[<65;3;4M\u{1B}[<64;3;4M", 3, 0), ("\u{1B}[<64;3;4M", 0, 0),
    ("\u{1B}[<0;10;5M", 3, 0), ("\u{1B}[<0;10;12M", 0, 0), ("100\u{1B}[<65;1;1M", 3, 3),
  ])
  func rows(_ keys: String, _ row: Int, _ top: Int) {
    var viewer = viewer()
    viewer.type(keys)
    #expect(
      viewer.state.cursorRow == row && viewer.state.topRow == top, "\(viewer.state.cursorRow) \(viewer.state.topRow)")
    #expect(viewer.effects.isEmpty)
  }

  @Test(arguments: [
    ("l", 1), ("h", 0), ("3l", 3), ("99l", 6), ("$", 6), ("$0", 0), ("$^", 0), ("lll0", 0), ("$h", 5), ("\u{1B}[C", 1),
    ("10l", 6), ("l-", 2), ("$-", 5), ("l-h", 0), ("ll-0ll", 3), ("\u{1B}[<0;22;1M", 3),
  ])
  func columns(_ keys: String, _ column: Int) {
    var viewer = viewer()
    viewer.type(keys)
    #expect(viewer.state.cursorColumn == column)
  }

  @Test(
    arguments: [
      ("s", [.sort(ViewerSort([.init(text: "c1", columnName: Array("c1".utf8))]))]),
      ("lS", [.sort(ViewerSort([.init(text: "c2:desc", columnName: Array("c2".utf8), isDescending: true)]))]),
      ("r", [.reload]), ("q", [.quit(printsCommand: false)]), ("x", [.quit(printsCommand: true)]),
      (":q\r", [.quit(printsCommand: false)]), (":x\r", [.quit(printsCommand: true)]), ("F", [.follow(true)]),
      ("FF", [.follow(true), .follow(false)]), ("F␛", [.follow(true), .follow(false)]),
      ("y", [.copy(Array("0-0".utf8))]), ("ljy", [.copy(Array("1-1".utf8))]),
      ("Y", [.copy(Array("0-0,0-1,0-2,0-3,0-4,0-5,0-6".utf8))]), ("\u{1A}", [.suspend]), ("\u{C}", [.redraw]),
      ("&c1 > 3\r", [.filter("c1 > 3")]), ("&\r", []), ("&c1␛", []), ("*", [.filter(#"c1 == "0-0""#)]),
      (":sort c2:desc, c1\r", [.sort(ViewerSort([.init(text: "c2:desc, c1")]))]), (":sort\r", [.sort(ViewerSort())]),
      (":filter c1 == 1 \r", [.filter("c1 == 1")]), (":columns c1,c2\r", [.columns("c1,c2")]), (":columns *\r", []),
      (":w out.csv\r", [.write(path: "out.csv", overwrites: false)]),
      (":w! a b.json\r", [.write(path: "a b.json", overwrites: true)]), (":nonsense\r", []), (":page x\r", []),
      (":w\r", []), (":\r", []), ("\u{3}", []), ("\u{3}\u{3}", [.interrupt]), ("\u{3}j\u{3}", []), ("\u{3}X\u{3}", []),
      ("/x\u{3}\u{3}", []), ("\rs", []), ("\rY", [.copy(Array("0-0,0-1,0-2,0-3,0-4,0-5,0-6".utf8))]), ("\rq", []),
      ("Hq", []), ("\rx", [.quit(printsCommand: true)]), ("=", []),
    ] as [(String, [ViewerEffect])])
  func effects(_ keys: String, _ effects: [ViewerEffect]) {
    var viewer = viewer()
    viewer.type(keys)
    #expect(viewer.effects == effects)
  }

  @Test func theNextSortKeyIsAddedOrReplaced() {
    var viewer = viewer()
    var sorts: [ViewerSort] = []
    for keys in ["s", "l+S", "+s", "h+S", "l+␛S"] {
      viewer.type(keys)
      guard case .sort(let sort) = viewer.takeEffects().last else { continue }
      sorts.append(sort)
      viewer.state.accept(sort: sort)
    }
    #expect(sorts.map(\.text) == ["c1", "c1,c2:desc", "c1,c2", "c1:desc,c2", "c2:desc"])
    #expect(viewer.state.cursorRow == 0)
  }

  @Test func whatACommandAskedForIsGoneOnFromWhileItIsOnItsWay() {
    var viewer = viewer()
    viewer.type(":sort c3:desc\rl+s")
    guard case .sort(let sort) = viewer.takeEffects().last else {
      Issue.record("nothing is sorted")
      return
    }
    #expect(sort.text == "c3:desc,c2")
    viewer.type(":filter c1 == 1\r")
    #expect(viewer.takeEffects() == [.filter("c1 == 1")])
    viewer.type("&\r")
    #expect(viewer.takeEffects() == [])
  }

  @Test(
    arguments: [
      ("s", "the order was given up"), ("&x\r", "the filter was given up"),
      ("s&x\r", "the order and the filter were given up"), ("", nil),
    ] as [(String, String?)])
  func whatDoesNotComeAnyMoreIsNotWanted(_ keys: String, _ message: String?) {
    var viewer = viewer()
    viewer.type(keys)
    viewer.state.dropChange()
    #expect(viewer.state.message?.text == message)
    _ = viewer.takeEffects()
    viewer.type("&y\rl+S")
    #expect(
      viewer.takeEffects() == [
        .filter("y"), .sort(ViewerSort([.init(text: "c2:desc", columnName: Array("c2".utf8), isDescending: true)])),
      ])
  }

  @Test func theEndIsLookedForWhereItIsNotKnown() {
    var viewer = viewer(reached: 20, isComplete: false)
    viewer.type("G=")
    #expect(viewer.takeEffects() == [.seekEnd, .countTotal])
    viewer.type("  f")
    // No further than a screen beyond what has come.
    #expect(viewer.state.cursorRow == 29)
    viewer.type("50G")
    #expect(viewer.state.cursorRow == 49)
    viewer.rows.reached = 30
    viewer.rows.rows.removeLast(30)
    viewer.rows.isComplete = true
    viewer.draw()
    #expect(viewer.state.cursorRow == 29 && viewer.state.topRow == 20)
    viewer.type("=")
    #expect(viewer.effects.isEmpty && viewer.state.message?.text == "row 30 of 30")
  }

  @Test func theRowsInViewAreTold() {
    var viewer = viewer(rows: 1000)
    _ = viewer.state.apply(.moveRows(15), rows: viewer.rows)
    #expect(viewer.state.settle(on: viewer.rows) == ViewerRowsInView(rows: 6..<16, isJump: false))
    _ = viewer.state.apply(.goToRow(500), rows: viewer.rows)
    #expect(viewer.state.settle(on: viewer.rows) == ViewerRowsInView(rows: 490..<500, isJump: true))
  }

  @Test func followingStaysAtTheEnd() {
    var viewer = viewer(rows: 30)
    viewer.type("F")
    #expect(viewer.state.cursorRow == 29)
    viewer.rows.rows += viewer.rows.rows
    viewer.rows.reached = 60
    viewer.draw()
    #expect(viewer.state.cursorRow == 59 && viewer.terminal.text(ofLine: 11).contains("following"))
    viewer.type("k")
    #expect(viewer.takeEffects() == [.follow(true), .follow(false)] && viewer.state.cursorRow == 58)
  }

  @Test func aPassIsCancelledByEscapeOrControlC() {
    for key in ["␛", "\u{3}"] {
      var viewer = viewer()
      viewer.state.progress = "sorting 40%"
      viewer.draw()
      #expect(viewer.terminal.text(ofLine: 11).contains("sorting 40%  1 of 60"))
      viewer.type("j" + key)
      #expect(viewer.effects == [.cancel])
    }
  }

  @Test(
    arguments: [
      (TestCell.number("1.10"), "c == 1.10"), (.true(), "c == true"), (.null, "c is null"), (.missing, "c is null"),
      (.bare(""), "c is null"), (.quoted(""), #"c == """#), (.bare("007"), #"c == "007""#),
      (.quoted("a\"b"), #"c == "a\"b""#),
      (.string(#"x\ny"#), #"c == "x\ny""#), (.bare("\u{1B}[m"), #"c == "\u001b[m""#), (.array("[1]"), nil),
      (.object("{}"), nil),
    ] as [(TestCell, String?)])
  func aCellBecomesAFilter(_ cell: TestCell, _ filter: String?) {
    var viewer = ViewerFixture([ViewerColumn("c")], ListedRows([ViewerRow([cell])]))
    viewer.type("*")
    #expect(viewer.takeEffects() == (filter.map { [.filter($0)] } ?? []))
    guard let filter else { return }
    viewer.state.accept(filter: "a or b")
    viewer.type("*")
    #expect(viewer.effects == [.filter("(a or b) and \(filter)")])
  }

  @Test(arguments: [
    ("name", "name", "name"), ("gear.name", "gear.name", "gear.name"), ("Start Time", "Start Time", "`Start Time`"),
    ("time:desc", "`time:desc`", "`time:desc`"), ("Last, First", "`Last, First`", "`Last, First`"),
    ("a`b", "{a`b}", "{a`b}"), ("in", "in", "`in`"), ("2nd", "2nd", "`2nd`"), ("größe", "größe", "größe"),
    ("", "``", "``"),
    ("a-b", "a-b", "`a-b`"), (" x", "` x`", "` x`"),
  ])
  func namesAreQuotedWhereTheyMust(_ name: String, _ sort: String, _ filter: String) {
    #expect(ViewerNames.inSort(Array(name.utf8)) == sort)
    #expect(ViewerNames.inFilter(Array(name.utf8)) == filter)
  }

  @Test func searchGoesThroughTheLoadedRowsAndThenBeyond() {
    var viewer = viewer(reached: 40, isComplete: false)
    viewer.type("/30-2\r")
    #expect(viewer.state.cursorRow == 30 && viewer.state.cursorColumn == 2 && viewer.effects.isEmpty)
    viewer.type("n")
    #expect(viewer.takeEffects() == [.search(ViewerSearchRequest(text: "30-2", row: 40, isBackward: false))])
    viewer.type("g/5-0\r3n")
    #expect(viewer.state.cursorRow == 35)
    viewer.type("2N")
    #expect(viewer.state.cursorRow == 15)
    viewer.type("?25-\rn")
    #expect(viewer.state.message == ViewerMessage("no match before this row: 25-", isError: true))
    viewer.type("g/zzz\r")
    #expect(
      viewer.takeEffects() == [.search(ViewerSearchRequest(text: "zzz", row: 40, isBackward: false, isWhole: true))])
    viewer.state.found(row: 55, column: 3)
    #expect(viewer.state.cursorRow == 55 && viewer.state.cursorColumn == 3)
    viewer.type("/\r")
    #expect(viewer.takeEffects() == [.search(ViewerSearchRequest(text: "zzz", row: 56, isBackward: false))])
  }

  @Test func aSearchThatComesToAnEndTellsWhetherThereIsNone() {
    var viewer = viewer()
    for (keys, message) in [
      ("/zzz\r", "not found: zzz"), ("j/zzz\r", "no match after this row: zzz"),
      ("g/30-2\rn", "no match after this row: 30-2"), ("N", "no match before this row: 30-2"),
      ("g/0-0\rN", "no match before this row: 0-0"), ("G?zzz\r", "not found: zzz"),
      ("G?30-2\rk?30-2\r", "no match before this row: 30-2"), ("g/59-0\r5N", "no match before this row: 59-0"),
    ] {
      viewer.type(keys)
      #expect(viewer.state.message == ViewerMessage(message, isError: true), "\(keys)")
    }
  }

  @Test func expressionsThatAreWrongAreGivenBackWithACaret() {
    var viewer = viewer()
    viewer.type("//(/\r")
    #expect(viewer.terminal.text(ofLine: 10) == "//(/")
    #expect(viewer.terminal.text(ofLine: 11) == "  ^ a parenthesis is not closed")
    #expect(viewer.terminal.cursor == (4, 10) && viewer.terminal.isCursorVisible)
    viewer.type("␛&c1 >> 漢 x\r")
    #expect(viewer.takeEffects() == [.filter("c1 >> 漢 x")])
    viewer.state.reject(ViewerRejection("a value is expected", offset: 10))
    viewer.draw()
    #expect(viewer.terminal.text(ofLine: 10) == "&c1 >> 漢 x")
    #expect(viewer.terminal.text(ofLine: 11) == "          ^ a value is expected")
    viewer.type("\u{7F}")
    #expect(viewer.terminal.text(ofLine: 11) == "&c1 >> 漢")
    viewer.type("␛:sort  q:foo\r")
    viewer.state.reject(ViewerRejection("no modifier foo", offset: 2))
    viewer.draw()
    #expect(viewer.terminal.text(ofLine: 11) == "         ^ no modifier foo")
    viewer.type("␛:bogus\r")
    #expect(viewer.terminal.text(ofLine: 11).hasPrefix(" ^ no such command; there are N, columns"))
    viewer.type("␛")
    #expect(viewer.state.prompt == nil)
    // Without something typed the reason is a message.
    viewer.type("s")
    viewer.state.reject(ViewerRejection("cannot sort"))
    #expect(viewer.state.message == ViewerMessage("cannot sort", isError: true) && viewer.state.prompt == nil)
  }

  @Test func overwritingIsAskedFor() {
    var viewer = viewer()
    for (key, effects) in [("y", [ViewerEffect.write(path: "out.csv", overwrites: true)]), ("n", []), ("␛", [])] {
      viewer.type(":w out.csv\r")
      #expect(viewer.takeEffects() == [.write(path: "out.csv", overwrites: false)])
      viewer.state.ask(overwrite: "out.csv")
      viewer.draw()
      #expect(viewer.terminal.text(ofLine: 11) == "out.csv exists; overwrite it? (y/n)")
      viewer.type("j" + key)
      #expect(viewer.takeEffects() == effects && viewer.state.cursorRow == 0)
    }
  }

  @Test func whatIsTypedOfACommandIsShown() {
    var viewer = viewer()
    viewer.type("12")
    #expect(viewer.terminal.text(ofLine: 11).hasSuffix("12  1 of 60"))
    viewer.type("␛+")
    #expect(viewer.terminal.text(ofLine: 11).hasSuffix("+  1 of 60"))
    viewer.type("j")
    #expect(
      viewer.terminal.text(ofLine: 11).hasSuffix("csv  " + String(repeating: " ", count: 57) + "2 of 60")
        || viewer.terminal.text(ofLine: 11).hasSuffix(" 2 of 60"))
  }

  @Test func hiddenColumnsAreNamed() {
    var viewer = viewer()
    viewer.type("l--")
    #expect(viewer.state.hiddenColumnsText == "c2,c3" && viewer.terminal.text(ofLine: 11).contains("hidden"))
    viewer.type("h------------")
    #expect(viewer.state.hiddenColumnsText.split(separator: ",").count == 6)
    viewer.type(":columns *\r")
    #expect(viewer.state.hiddenColumnsText == "" && viewer.effects.isEmpty)
  }

  @Test func aHiddenColumnThatNoOptionCanNameIsNotNamed() {
    let rows = ListedRows([ViewerRow([.bare("1"), .bare("2"), .bare("3")])])
    var viewer = ViewerFixture([ViewerColumn("a"), ViewerColumn("b")], rows)
    viewer.type("$-")
    #expect(viewer.terminal.text(ofLine: 0).hasSuffix("a  b") && viewer.state.hiddenColumnsText == "")
    viewer.type("-")
    #expect(viewer.state.hiddenColumnsText == "b")
  }

  @Test func otherColumnsAreShown() {
    var viewer = viewer()
    viewer.type("3lz")
    viewer.state.show(columns: [ViewerColumn("c4"), ViewerColumn("c2")], columnsText: "c4,c2")
    #expect(viewer.state.cursorColumn == 0 && viewer.state.frozenCount == 0)
    viewer.type(":columns *\r")
    #expect(viewer.effects == [.columns("*")])
  }

  @Test func aPasteIsTypedOnlyIntoALine() {
    var viewer = viewer()
    viewer.type("\u{1B}[200~qG\u{1B}[201~")
    #expect(viewer.effects.isEmpty && viewer.state.cursorRow == 0)
    viewer.type("/\u{1B}[200~a\nb\u{1B}[2J\u{1B}[201~")
    #expect(viewer.terminal.text(ofLine: 11) == "/a b [2J" && viewer.isClean)
  }
}
