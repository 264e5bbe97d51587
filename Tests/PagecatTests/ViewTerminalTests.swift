// More of the pager on a real terminal: a file of two million records, the mouse, signals from outside, files that are replaced
// or end within a line, pipes without an end. Every screen is waited for.

import Foundation
import Glibc
import TerminalIO
import TestSupport
import Testing

/// Two million records of 26 bytes, `number,value,name`; the values are a shuffle of the numbers.
private enum LargeFile {
  static let count = 2_000_000

  static func make() throws -> TemporaryFile {
    var bytes = Array("number,value,name\n".utf8)
    let line = Array("0000000,0000000,ride no 1\n".utf8)
    bytes.reserveCapacity(count * line.count + 100)
    // Block by block, so that the tests' unoptimized code has only the digits to do.
    let block = Array(repeating: line, count: 1000).flatMap { $0 }
    for blockIndex in 0..<(count / 1000) {
      let start = bytes.count
      bytes += block
      for index in 0..<1000 {
        let number = blockIndex * 1000 + index + 1
        put(number, in: &bytes, at: start + index * line.count)
        put(value(number), in: &bytes, at: start + index * line.count + 8)
      }
    }
    // The last one alone has another name.
    bytes[bytes.count - 2] = UInt8(ascii: "9")
    return try TemporaryFile(bytes, ending: ".csv")
  }

  /// 7919 has no factor in common with the count, so no value is there twice.
  static func value(_ number: Int) -> Int { number * 7919 % count }

  static func number(ofValue value: Int) -> Int { (1...count).first { self.value($0) == value } ?? 0 }

  private static func put(_ number: Int, in bytes: inout [UInt8], at start: Int) {
    var rest = number
    var index = start + 6
    while rest > 0 {
      bytes[index] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
      index -= 1
    }
  }

  static func digits(_ number: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: 7 - text.utf8.count) + text
  }
}

struct ViewTerminalTests {
  @Test func `two million records: the end, any row, another order, a search`() throws {
    let file = try LargeFile.make()
    let pager = try PagerSession([file.path], columnCount: 100, lineCount: 24)
    let before = pager.session.settings
    try pager.wait(forStatus: "row 1, ")
    pager.session.type("G")
    try pager.wait(forStatus: "2000000 of 2000000  100%")
    try pager.session.wait(for: "2000000  2000000  \(LargeFile.digits(LargeFile.value(2_000_000)))")
    pager.session.type("1234567G")
    try pager.wait(forStatus: "1234567 of 2000000")
    try pager.session.wait(for: "1234567  1234567  \(LargeFile.digits(LargeFile.value(1_234_567)))")
    pager.session.type("g")
    try pager.session.wait(for: "1  0000001  0007919")
    // To the far end and back.
    pager.session.type("/no 9\r")
    try pager.wait(forRow: 2_000_000)
    pager.session.type("?/^1990000$/\r")
    try pager.wait(forRow: max(1_990_000, LargeFile.number(ofValue: 1_990_000)))
    pager.session.type("g")
    try pager.wait(forRow: 1)
    pager.session.type("lS")
    try pager.wait(forStatus: "sort value:desc")
    let first = LargeFile.number(ofValue: 1_999_999)
    try pager.session.wait(for: "1  \(LargeFile.digits(first))  1999999  ride no 1")
    #expect(try pager.quit() == 0)
    #expect(pager.session.settings == before)
    #expect(!pager.session.terminal.isAlternate && pager.isClean && pager.errorText == "")
  }

  @Test func `the mouse`() throws {
    let text = "number,name\n" + (1...500).map { "\($0),name \($0)\n" }.joined()
    let file = try TemporaryFile(text, ending: ".csv")
    let pager = try PagerSession([file.path])
    try pager.wait(forRow: 1)
    #expect(pager.session.terminal.modes.isSuperset(of: [1000, 1006]))
    pager.session.type("\u{1B}[<65;10;5M\u{1B}[<65;10;5M")
    try pager.wait(forRow: 7)
    pager.session.type("\u{1B}[<64;10;5M")
    try pager.session.wait { $0.text(ofLine: 1).hasPrefix(" 4") }
    // The second row below the names, in the second column; and its release.
    pager.session.type("\u{1B}[<0;15;3M\u{1B}[<0;15;3m")
    try pager.wait(forRow: 5)
    pager.session.type("S")
    try pager.wait(forStatus: "sort name:desc")
    // And a report of a movement, which nobody has asked for.
    pager.session.type("\u{1B}[<35;10;5M\u{1B}[<65;10;5M")
    try pager.wait(forRow: 4)
    #expect(try pager.quit() == 0)
    #expect(pager.session.terminal.modes.isDisjoint(with: [1000, 1006]) && pager.isClean)
  }

  @Test func `stopped and continued by signals from outside`() throws {
    let script = "set -m; \"$@\"; echo \"stopped $?\"; fg; echo \"ended $?\""
    let session = try TerminalSession(
      [
        "/bin/sh", "-c", script, "sh", BuiltProducts.directory + "/pagecat",
        GoldenCase.fixtures.path + "/activities.csv",
      ]
    ) { DisplayWidth.cells(Array($0.utf8)) }
    let before = session.settings
    try session.wait { $0.isAlternate && $0.text.contains("row 1, ") }
    session.signalForeground(SIGTSTP)
    // The shell takes the terminal back, and continues the job at once.
    try session.wait { _ in String(decoding: session.sent, as: UTF8.self).contains("stopped 148") }
    session.type("jj")
    try session.wait { $0.isAlternate && $0.text.contains("row 3, ") }
    // Somebody continues what was never stopped: all is drawn again.
    let sent = session.sent.count
    session.signalForeground(SIGCONT)
    try session.wait { _ in session.sent.count > sent + 500 }
    try session.wait { $0.isAlternate && $0.text.contains("row 3, ") }
    session.type("q")
    #expect(try session.waitForEnd() == 0)
    #expect(String(decoding: session.sent, as: UTF8.self).contains("ended 0"))
    #expect(session.settings == before)
  }

  @Test func `tells of a file that was replaced, and shows the new one when asked to`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("id,name\n" + (1...100).map { "\($0),old\n" }.joined(), to: "data.csv")
    let pager = try PagerSession([path])
    try pager.wait(forRow: 1)
    let next = try folder.write("id,name\n" + (1...50).map { "\($0),new\n" }.joined(), to: "next.csv")
    #expect(unsafe rename(next, path) == 0)
    try pager.look(for: "was replaced; r reads it again")
    #expect(pager.session.terminal.text.contains("old"))
    pager.session.type("r")
    try pager.session.wait { $0.text.contains("new") && !$0.text.contains("old") }
    #expect(unsafe unlink(path) == 0)
    try pager.look(for: "was removed")
    #expect(pager.session.terminal.text.contains("new"))
    #expect(try pager.quit() == 0)
  }

  @Test func `a line that a followed file ends within goes on`() throws {
    let file = try TemporaryFile("id,name\n" + (1...30).map { "\($0),name \($0)\n" }.joined() + "31,na", ending: ".csv")
    let pager = try PagerSession([file.path])
    try pager.wait(forRow: 1)
    pager.session.type("F")
    try pager.session.wait(for: "31  31  na\n")
    FileText.write("me 31\n32,name 32\n33", to: file.path, mode: "a")
    try pager.session.wait { $0.text.contains("31  31  name 31\n") && $0.text.contains("33  33\n") }
    FileText.write(",name 33\n", to: file.path, mode: "a")
    try pager.session.wait { $0.text.contains("33  33  name 33\n") && $0.text.contains("33 of 33") }
    #expect(try pager.quit() == 0)
  }

  @Test(arguments: ["q", "\u{3}", "signal"])
  func `whoever leaves while a file is written leaves nothing behind`(_ way: String) throws {
    let folder = try TemporaryFolder()
    let pager = try PagerSession([], hasPipe: true)
    pager.session.feed("id\n" + (1...400).map { "\($0)\n" }.joined())
    try pager.wait(forRow: 1)
    // The pipe does not end, and so neither does the writing.
    pager.session.type(":w \(folder.path)/out.csv\r")
    try pager.wait(forStatus: "writing")
    try pager.session.wait { _ in folder.names.count == 1 }
    switch way {
    case "q": pager.session.type("q")
    case "signal": pager.session.signal(SIGTERM)
    default:
      pager.session.type("\u{3}")
      try pager.wait(forStatus: "stopped")
      pager.session.type("q")
    }
    #expect(try pager.session.waitForEnd() == (way == "signal" ? 128 + SIGTERM : 0))
    #expect(folder.names == [])
  }

  @Test func `a pipe without an end`() throws {
    let session = try TerminalSession(
      ["/bin/sh", "-c", "yes 7,seven | \"$1\" --no-header-row", "sh", BuiltProducts.directory + "/pagecat"]
    ) { DisplayWidth.cells(Array($0.utf8)) }
    let before = session.settings
    try session.wait { $0.isAlternate && $0.text.contains("7  seven") }
    session.type("5000G")
    try session.wait { $0.text.contains("row 5000, ") }
    session.type("s")
    try session.wait(for: "sorting")
    session.type("\u{3}")
    try session.wait(for: "stopped")
    session.type("G")
    try session.wait { $0.text(ofLine: 11).contains("reading") }
    session.type("\u{1B}")
    try session.wait { $0.text.contains("stopped") && !$0.text(ofLine: 11).contains("reading") }
    session.type("gj")
    try session.wait { $0.text.contains("row 2, ") }
    session.type("q")
    _ = try session.waitForEnd()
    #expect(session.settings == before)
    #expect(session.terminal.unknown.isEmpty)
  }

  @Test func `what is given up half way: a search, an order, a filter, a count, a file`() throws {
    let folder = try TemporaryFolder()
    // As long as the pipe does not end, none of them can, however fast the machine is.
    let pager = try PagerSession([], hasPipe: true)
    pager.session.feed("id,name\n" + (1...400).map { "\($0),name \($0)\n" }.joined())
    try pager.wait(forRow: 1)
    for (keys, progress, end) in [
      ("/nowhere\r", "searching", "\u{1B}"), (":sort name\r", "sorting", "\u{3}"),
      (":filter name contains 'x'\r", "filtering", "\u{1B}"), ("=", "counting", "\u{1B}"),
      (":w \(folder.path)/out.csv\r", "writing", "\u{3}"),
    ] {
      pager.session.type(keys)
      try pager.wait(forStatus: progress)
      pager.session.type(end)
      try pager.wait(forStatus: "stopped")
      pager.session.type("j")
      try pager.session.wait { !$0.text.contains("stopped") }
    }
    try pager.wait(forRow: 6)
    #expect(try pager.quit() == 0)
    #expect(folder.names == [] && pager.isClean)
  }

  @Test func `an order that is given up while a pipe gives nothing`() throws {
    let pager = try PagerSession([], hasPipe: true)
    pager.session.feed("id\n" + (1...40).map { "\($0)\n" }.joined())
    try pager.wait(forRow: 1)
    for _ in 0..<3 {
      pager.session.type("s")
      try pager.wait(forStatus: "sorting")
      pager.session.type("\u{1B}")
      try pager.wait(forStatus: "stopped")
    }
    pager.session.feed("41\n")
    pager.session.type("F")
    try pager.wait(forRow: 41)
    pager.session.endInput()
    pager.session.type("gS")
    try pager.session.wait { $0.text.contains("sort id:desc") && $0.text.contains("1    41\n") }
    #expect(try pager.quit() == 0)
  }
}
