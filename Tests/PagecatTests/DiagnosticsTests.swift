// What is written to standard error, and with which status the program ends.

import Glibc
import Testing

@testable import pagecat

struct DiagnosticsTests {
  static let quotations: [(data: [UInt8], quoted: String)] = [
    ([], "''"),
    (Array("a b".utf8), "'a b'"),
    (Array("été 中 🚲".utf8), "'été 中 🚲'"),
    (Array("a\tb\r\n\0".utf8), "'a␉b␍␊␀'"),
    (Array("\u{1B}[2J\u{7F}".utf8), "'␛[2J␡'"),
    (Array("\u{9B}31m".utf8), "'\u{FFFD}31m'"),
    (Array("a\u{202E}b\u{2066}c\u{200F}d\u{061C}".utf8), "'a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}'"),
    (Array("\u{FEFF}a\u{2028}\u{E0041}".utf8), "'\u{FFFD}a\u{FFFD}\u{FFFD}'"),
    ([0xFF, 0x61, 0xC3], "'\u{FFFD}a\u{FFFD}'"),
    (Array(String(repeating: "x", count: 60).utf8), "'" + String(repeating: "x", count: 60) + "'"),
    (Array(String(repeating: "x", count: 61).utf8), "'" + String(repeating: "x", count: 60) + "…'"),
    (Array(String(repeating: "🚲", count: 60).utf8), "'" + String(repeating: "🚲", count: 60) + "'"),
    (Array(String(repeating: "🚲", count: 999).utf8), "'" + String(repeating: "🚲", count: 60) + "…'"),
    (Array(repeating: 0x80, count: 999), "'" + String(repeating: "\u{FFFD}", count: 60) + "…'"),
  ]

  @Test(arguments: quotations)
  func `data is cut and made harmless`(_ data: [UInt8], _ quoted: String) {
    #expect(Diagnostics.quoted(data) == quoted)
  }

  @Test func `the name of a file is made harmless, not cut`() {
    let path = String(repeating: "long/", count: 99)
    #expect(Diagnostics.fileName(Array(path.utf8) + [0x1B, 0xFF]) == path + "␛\u{FFFD}")
    #expect(Diagnostics.fileName(Array("-".utf8)) == "standard input")
    #expect(Diagnostics.fileName(Array("./-".utf8)) == "./-")
  }

  @Test func `a message is a line, or several`() {
    #expect(Diagnostics.line("a") == Array("pagecat: a\n".utf8))
    #expect(Diagnostics.line("a\n  ^ é") == Array("pagecat: a\n  ^ é\n".utf8))
    #expect(Diagnostics.line("a\r\nb\u{1B}") == Array("pagecat: a␍\nb␛\n".utf8))
  }

  @Test func `quiet silences notes, not errors`() throws {
    for isQuiet in [false, true] {
      var ends: [Int32] = [-1, -1]
      try #require(unsafe pipe(&ends) == 0)
      let diagnostics = Diagnostics(isQuiet: isQuiet, descriptor: ends[1])
      diagnostics.note("note")
      diagnostics.error("error")
      close(ends[1])
      #expect(readAll(ends[0]) == Array((isQuiet ? "" : "pagecat: note\n").utf8) + Array("pagecat: error\n".utf8))
      close(ends[0])
    }
  }

  @Test func `nobody to tell is no reason to end`() throws {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe pipe(&ends) == 0)
    close(ends[0])
    Diagnostics(isQuiet: false, descriptor: ends[1]).error("error")
    close(ends[1])
    Diagnostics(isQuiet: false, descriptor: -1).error("error")
  }
}

struct ExitStatusTests {
  @Test func `the statuses are those of the manual`() {
    #expect(pagecat.ExitStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5])
  }

  @Test func `of several statuses the gravest counts`() {
    let inOrder: [pagecat.ExitStatus] = [.inputOutput, .usage, .stale, .skipped, .noRows, .done]
    for (index, first) in inOrder.enumerated() {
      for second in inOrder[index...] {
        #expect(first.combined(with: second) == first)
        #expect(second.combined(with: first) == first)
      }
    }
  }
}

/// Everything that comes from a descriptor until its end.
func readAll(_ descriptor: Int32) -> [UInt8] {
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
    if count < 0 && errno == EINTR { continue }
    if count <= 0 { return bytes }
    bytes += buffer[..<count]
  }
}
