// The pager as a person has it: the built program on a pseudo-terminal, keys in, screens out. Screens are those of the emulated
// terminal, and every screen is waited for.

import Foundation
import Glibc
import TerminalIO
import TestSupport
import Testing

private let fixtures = GoldenCase.fixtures.path

private func numbers(_ range: ClosedRange<Int>, header: Bool = true) -> String {
  (header ? "number,name\n" : "") + range.map { "\($0),name \($0)\n" }.joined()
}

struct ViewTests {
  @Test func `opens, moves and quits`() throws {
    let file = try TemporaryFile(numbers(1...500), ending: ".csv")
    let pager = try PagerSession([file.path])
    let before = pager.session.settings
    let first = try pager.wait(forStatus: "row 1, ")
    #expect(first.hasPrefix("    number  name\n 1       1  name 1\n"))
    #expect(pager.session.settings != before)
    pager.session.type("jj")
    try pager.wait(forStatus: "row 3, ")
    pager.session.type(" ")
    try pager.session.wait(for: "name 20")
    pager.session.type("G")
    try pager.wait(forStatus: "500 of 500  100%")
    try pager.session.wait(for: "500     500  name 500")
    pager.session.type("g")
    try pager.wait(forStatus: "1 of 500")
    pager.session.type("250G")
    try pager.wait(forStatus: "250 of 500")
    #expect(try pager.quit() == 0)
    #expect(pager.session.settings == before)
    #expect(!pager.session.terminal.isAlternate)
    #expect(pager.session.terminal.isCursorVisible)
    #expect(pager.session.terminal.modes.isDisjoint(with: [1000, 1006, 2004, 2026]))
    #expect(pager.errorText == "")
    #expect(pager.isClean)
  }

  @Test func `prints what fits the screen`() throws {
    let file = try TemporaryFile(numbers(1...5), ending: ".csv")
    let pager = try PagerSession([file.path])
    #expect(try pager.session.waitForEnd() == 0)
    #expect(!pager.session.sent.contains(0x1B) || pager.session.terminal.modes.isEmpty)
    #expect(pager.session.terminal.text.contains("     5  name 5"))
  }

  @Test func `opens for what fits when it is asked to`() throws {
    let file = try TemporaryFile(numbers(1...5), ending: ".csv")
    let pager = try PagerSession([file.path, "--interactive"])
    try pager.wait(forStatus: "1 of 5")
    #expect(try pager.quit() == 0)
  }

  @Test func `opens at a page`() throws {
    let file = try TemporaryFile(numbers(1...500), ending: ".csv")
    let pager = try PagerSession([file.path, "--limit", "50", "--page", "3"])
    try pager.wait(forStatus: "row 101, ")
    pager.session.type("k")
    try pager.wait(forStatus: "row 100, ")
    #expect(try pager.quit() == 0)
  }

  @Test func `sorts by the column of the cursor`() throws {
    let pager = try PagerSession([fixtures + "/activities.json"], columnCount: 120)
    try pager.wait(forStatus: "row 1, ")
    pager.session.type("llllS")
    let screen = try pager.session.wait(for: "sort distance:desc")
    #expect(screen.contains("distance ▼") || screen.contains("▼ distance"))
    pager.session.type("hh+s")
    try pager.session.wait(for: "sort distance:desc,type")
    pager.session.type(":sort startDat:asc:number:text\r")
    try pager.session.wait(for: "exclude each other")
    pager.session.type("\u{15}sort nothing\r")
    try pager.session.wait(for: "unknown column 'nothing'")
    pager.session.type("\u{1B}")
    try pager.session.wait(for: "sort distance:desc,type")
    #expect(try pager.quit() == 0)
  }

  @Test func `filters, and shows where an expression is wrong`() throws {
    let pager = try PagerSession([fixtures + "/activities.csv"])
    try pager.wait(forStatus: "row 1, ")
    pager.session.type("&distance >> 5\r")
    let wrong = try pager.session.wait(for: "^")
    #expect(wrong.contains("&distance >> 5\n          ^ unknown operator"))
    pager.session.type("\u{15}distance > 100000\r")
    try pager.wait(forStatus: "filter distance > 100000")
    pager.session.type("&\u{15}distance > 1e9\r")
    try pager.session.wait(for: "no row matches the filter")
    #expect(try pager.quit() == 0)
  }

  @Test func `searches beyond what is loaded`() throws {
    let file = try TemporaryFile(numbers(1...30_000), ending: ".csv")
    let pager = try PagerSession([file.path])
    try pager.wait(forStatus: "row 1, ")
    pager.session.type("/name 29999\r")
    try pager.wait(forRow: 29_999)
    pager.session.type("?/e 1\\d\\d$/\r")
    try pager.wait(forRow: 199)
    pager.session.type("n")
    try pager.wait(forRow: 198)
    pager.session.type("/nowhere\r")
    try pager.session.wait(for: "no match after this row: nowhere")
    pager.session.type("g")
    try pager.wait(forRow: 1)
    pager.session.type("/nowhere\r")
    try pager.session.wait(for: "not found: nowhere")
    pager.session.type("G?nowhere\r")
    try pager.session.wait(for: "not found: nowhere")
    #expect(try pager.quit() == 0)
  }

  @Test func `shows a record`() throws {
    let pager = try PagerSession([fixtures + "/activities.json"], lineCount: 30)
    try pager.wait(forStatus: "row 1, ")
    pager.session.type("\r")
    let screen = try pager.session.wait(for: "\n  \"name\": ")
    #expect(screen.hasPrefix("{\n  \"id\": 9007199254740993,\n"))
    pager.session.type("J")
    try pager.wait(forStatus: "row 2, ")
    pager.session.type("\u{1B}[D")
    try pager.session.wait { !$0.text.hasPrefix("{") }
    #expect(try pager.quit() == 0)
  }

  @Test func `shows the cells beyond the header where a column is hidden`() throws {
    let file = try TemporaryFile("a,b,c\n1,2,3\n4,5,6,seven,8\n", ending: ".csv")
    let pager = try PagerSession([file.path, "--interactive", "--hide", "b"])
    try pager.wait(forStatus: "1 of 2")
    #expect(pager.session.terminal.text.hasPrefix("   a  c  c4     c5\n1  1  3\n2  4  6  seven   8\n"))
    pager.session.type("j\r")
    try pager.session.wait(for: "c5  8")
    #expect(pager.session.terminal.text.hasPrefix("a   4\nc   6\nc4  seven\nc5  8\n"))
    pager.session.type("\u{1B}[D")
    try pager.session.wait(for: "a  c  c4")
    #expect(try pager.quit() == 0)
  }

  @Test func `writes, and asks before it overwrites`() throws {
    let folder = try TemporaryFolder()
    let pager = try PagerSession([fixtures + "/activities.csv", "--columns", "id,type", "--filter", "type == 'Run'"])
    try pager.session.wait { $0.isAlternate }
    pager.session.type(":w \(folder.path)/out.jsonl\r")
    try pager.session.wait(for: "written to")
    let first = FileText.read(folder.path + "/out.jsonl")
    #expect(first.hasPrefix("{\"id\":"))
    FileText.write("kept\n", to: folder.path + "/out.jsonl", mode: "w")
    pager.session.type(":w \(folder.path)/out.jsonl\r")
    try pager.session.wait(for: "overwrite it?")
    pager.session.type("n")
    try pager.session.wait(for: "nothing written")
    #expect(FileText.read(folder.path + "/out.jsonl") == "kept\n")
    pager.session.type(":w \(folder.path)/out.jsonl\r")
    try pager.session.wait(for: "overwrite it?")
    pager.session.type("y")
    try pager.session.wait(for: "written to")
    #expect(FileText.read(folder.path + "/out.jsonl") == first)
    #expect(try pager.quit() == 0)
  }

  @Test func `prints the command line that shows the same`() throws {
    let pager = try PagerSession([fixtures + "/activities.csv"], columnCount: 160)
    try pager.wait(forStatus: "row 1, ")
    pager.session.type("ls")
    try pager.wait(forStatus: "sort name")
    pager.session.type("&type == 'Run'\r")
    try pager.wait(forStatus: "filter type")
    pager.session.type("x")
    #expect(try pager.session.waitForEnd() == 0)
    #expect(
      pager.session.terminal.text.contains(
        "pagecat \(fixtures)/activities.csv --filter 'type == '\\''Run'\\''' --sort name"))
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `ends by a signal with the terminal given back`(_ number: Int32) throws {
    let pager = try PagerSession([fixtures + "/activities.csv"])
    let before = pager.session.settings
    try pager.wait(forStatus: "row 1, ")
    pager.session.signal(number)
    #expect(try pager.session.waitForEnd() == 128 + number)
    #expect(pager.session.settings == before)
    #expect(!pager.session.terminal.isAlternate)
  }

  @Test func `Ctrl-C twice ends by SIGINT`() throws {
    let pager = try PagerSession([fixtures + "/activities.csv"])
    try pager.wait(forStatus: "row 1, ")
    pager.session.type("\u{3}")
    try pager.session.wait(for: "so does Ctrl-C once more")
    pager.session.type("\u{3}")
    #expect(try pager.session.waitForEnd() == 128 + SIGINT)
  }

  @Test func `stops and goes on`() throws {
    // Only a job of a shell can be stopped: a group whose parent is elsewhere is not.
    let script = "set -m; \"$@\"; echo \"stopped $?\"; stty -a; fg; echo \"ended $?\"; stty -a"
    let session = try TerminalSession(
      ["/bin/sh", "-c", script, "sh", BuiltProducts.directory + "/pagecat", fixtures + "/activities.csv"],
      lineCount: 30
    ) { DisplayWidth.cells(Array($0.utf8)) }
    let before = session.settings
    try session.wait { $0.isAlternate && $0.text.contains("row 1, ") }
    session.type("\u{1A}")
    try session.wait {
      $0.text.contains("stopped 148") && $0.isAlternate && $0.text.contains("row 1, ") || $0.isAlternate
    }
    session.type("j")
    try session.wait { $0.isAlternate && $0.text.contains("row 2, ") }
    session.type("q")
    #expect(try session.waitForEnd() == 0)
    let text = String(decoding: session.sent, as: UTF8.self)
    #expect(text.contains("stopped 148"))
    #expect(text.contains("ended 0"))
    #expect(session.settings == before)
    // What a shell saw in between: echo, and lines.
    #expect(text.components(separatedBy: " icanon ").count == 3)
    #expect(!text.contains("-icanon"))
  }

  @Test func `hostile cells do not drive the terminal`() throws {
    let hostile = "\u{1B}]0;owned\u{7}\u{1B}[2J\u{9B}31m\u{202E}x\u{8}\u{1B}[?1049l"
    let file = try TemporaryFile(
      "{\"a\\u001b\": \"\", \"b\": \"\(escaped(hostile))\"}\n"
        + (1...30).map { "{\"b\": \($0)}\n" }.joined(), ending: ".jsonl")
    let csv = try TemporaryFile("a,b\u{1B}[2J\n" + (1...30).map { "\($0),\(hostile)\n" }.joined(), ending: ".csv")
    for path in [file.path, csv.path] {
      let pager = try PagerSession([path], columnCount: 100)
      try pager.wait(forRow: 1)
      pager.session.type("l\r")
      try pager.session.wait { $0.isAlternate && !$0.text.contains("›") }
      pager.session.type("\u{1B}[D")
      pager.session.type("x")
      _ = try pager.session.waitForEnd()
      #expect(pager.session.terminal.commands.isEmpty)
      #expect(pager.isClean)
    }
  }

  @Test(arguments: [(1, 1), (2, 2), (7, 3), (200, 60)])
  func `draws at any size`(_ columnCount: Int, _ lineCount: Int) throws {
    let pager = try PagerSession([fixtures + "/activities.json", "-i"], columnCount: columnCount, lineCount: lineCount)
    try pager.session.wait { $0.isAlternate && $0.lines.contains { $0.contains { $0.text != " " } } }
    pager.session.type("jjlls\r\u{1B}[D/e\rnH")
    if columnCount == 200 {
      try pager.session.wait(for: "pagecat: keys")
    }
    pager.session.resize(columnCount: 80, lineCount: 24, entering: TTY.entering)
    try pager.session.wait(for: "pagecat: keys")
    pager.session.type("q")
    try pager.wait(forStatus: "sort ")
    #expect(try pager.quit() == 0)
    #expect(pager.isClean)
  }

  @Test func `takes data from a pipe and keys from the terminal`() throws {
    let pager = try PagerSession([], hasPipe: true)
    pager.session.feed(numbers(1...3))
    try pager.session.wait { $0.isAlternate && $0.text.contains("name 3") }
    pager.session.feed(numbers(4...6, header: false))
    try pager.session.wait(for: "name 6")
    pager.session.type("j")
    try pager.wait(forStatus: "row 2, ")
    pager.session.feed(numbers(7...300, header: false))
    pager.session.type("F")
    try pager.wait(forStatus: "row 300, ")
    // Earlier rows, and another order, after the pipe was read.
    pager.session.type("g")
    try pager.session.wait(for: " 1       1  name 1")
    pager.session.endInput()
    pager.session.type("S")
    try pager.session.wait { $0.text.contains("sort number:desc") && $0.text.contains("300  name 300") }
    pager.session.type("/name 17\r")
    try pager.session.wait(for: "name 179")
    try pager.wait(forRow: 122)
    #expect(try pager.quit() == 0)
  }

  @Test func `follows a file that grows`() throws {
    let file = try TemporaryFile(numbers(1...100), ending: ".csv")
    let pager = try PagerSession([file.path])
    try pager.wait(forStatus: "row 1, ")
    pager.session.type("F")
    try pager.wait(forStatus: "100 of 100")
    FileText.write(numbers(101...120, header: false), to: file.path, mode: "a")
    try pager.session.wait(for: "name 120")
    #expect(try pager.quit() == 0)
  }

  @Test func `tells of a file that became shorter, and reads it again`() throws {
    let file = try TemporaryFile(numbers(1...90_000), ending: ".csv")
    let pager = try PagerSession([file.path], columnCount: 120)
    try pager.wait(forStatus: "row 1, ")
    FileText.write(numbers(1...50), to: file.path, mode: "w")
    pager.session.type("80000G")
    try pager.session.wait(for: "became shorter")
    pager.session.type("r")
    try pager.session.wait(for: "name 50")
    #expect(try pager.quit() == 0)
  }

  @Test func `an error is told when its row is shown, and at the end`() throws {
    let good = (1...100).map { "{\"a\": \($0)}\n" }.joined()
    let file = try TemporaryFile(good + "{\"a\": tru}\n", ending: ".jsonl")
    let early = try PagerSession([file.path])
    try early.wait(forStatus: "row 1, ")
    #expect(try early.quit() == 0)
    let late = try PagerSession([file.path])
    try late.wait(forStatus: "row 1, ")
    late.session.type("90G")
    try late.wait(forStatus: "row 90, ")
    // Movements go a screen beyond what has come, so it must have.
    try late.session.wait(for: "90  90")
    late.session.type("\u{6}\u{6}")
    try late.session.wait(for: "not read: ")
    #expect(try late.quit() == 3)
    #expect(late.errorText.contains("line 101"))
  }

  @Test func `a wrong name or a dumb terminal opens no pager`() throws {
    let wrong = try PagerSession([fixtures + "/activities.csv", "--sort", "nam"])
    #expect(try wrong.session.waitForEnd() == 2)
    #expect(wrong.errorText == "pagecat: --sort: unknown column 'nam'; did you mean 'name'?\n")
    let dumb = try PagerSession([fixtures + "/activities.csv", "--columns", "id"], environment: ["TERM": "dumb"])
    #expect(try dumb.session.waitForEnd() == 0)
    #expect(!dumb.session.sent.contains(0x1B))
  }
}

private func escaped(_ text: String) -> String {
  text.unicodeScalars.map { scalar in
    let digits = String(scalar.value, radix: 16)
    return scalar.value < 0x20 ? "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits : String(scalar)
  }.joined()
}
