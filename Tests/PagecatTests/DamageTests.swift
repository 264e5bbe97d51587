// Damaged input through the built program: where the error is said to be, what is printed before it, what is left out when
// that is asked for, and that nothing of it is ever lost in silence.

import Dispatch
import Glibc
import TestSupport
import Testing

struct DamageTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var text: String
    /// `record 1 (line 1, column 2, byte 1): what is wrong`
    var error: String
    /// The rows before the damage as jsonl.
    var output = ""
    var testDescription: String { text.debugDescription }

    init(_ text: String, _ error: String, _ output: String = "") {
      self.text = text
      self.error = error
      self.output = output
    }
  }

  /// The grammar, numbers, escapes and control characters of JSON, each with its place; of CSV the unclosed quote, where it opened.
  static let rows: [Row] = [
    Row("{\"a\":1}\n{\"a\":01}", "record 2 (line 2, column 6, byte 13): number with a leading zero", "{\"a\":1}\n"),
    Row("[{\"a\":1.}]", "record 1 (line 1, column 7, byte 6): not a number as JSON writes them"),
    Row("[{\"a\":+1}]", "record 1 (line 1, column 7, byte 6): expected a value"),
    Row("[{\"a\":1e}]", "record 1 (line 1, column 7, byte 6): not a number as JSON writes them"),
    Row("[{\"a\":NaN}]", "record 1 (line 1, column 7, byte 6): expected a value"),
    Row("[{\"a\":tru}]", "record 1 (line 1, column 7, byte 6): expected a value; text belongs in double quotes"),
    Row("[{\"a\":\"\\x\"}]", "record 1 (line 1, column 8, byte 7): unknown escape in a string"),
    Row(
      "[{\"a\":\"é\\u12g4\"}]", "record 1 (line 1, column 9, byte 9): '\\u' without four hexadecimal digits in a string"
    ),
    Row(
      "[{\"a\":\"x\ty\"}]",
      "record 1 (line 1, column 9, byte 8): control character in a string, where JSON wants an escape"),
    Row(
      "[{\"a\":\"x\n\"}]",
      "record 1 (line 1, column 9, byte 8): control character in a string, where JSON wants an escape"),
    Row("[{\"a\":1,}]", "record 1 (line 1, column 9, byte 8): expected a name in double quotes after ','"),
    Row("[{\"a\" 1}]", "record 1 (line 1, column 7, byte 6): expected ':' after a name"),
    Row("[{'a':1}]", "record 1 (line 1, column 3, byte 2): expected a name in double quotes or '}'"),
    Row("[{a:1}]", "record 1 (line 1, column 3, byte 2): expected a name in double quotes or '}'"),
    Row(
      "[{\"a\":1} {\"a\":2}]", "record 2 (line 1, column 10, byte 9): expected ',' or ']' after an element",
      "{\"a\":1}\n"),
    Row("[{\"a\":1},]", "record 2 (line 1, column 10, byte 9): expected a value", "{\"a\":1}\n"),
    Row("[{\"a\":1}", "record 2 (line 1, column 9, byte 8): the input ends inside an array", "{\"a\":1}\n"),
    Row("[\r\n{\"a\":\r[1}]", "record 1 (line 3, column 3, byte 11): expected ',' or ']' after an element"),
    // Between values there need be nothing, but a word or a number ends where the next thing is none of its own.
    Row("[1] truefalse", "record 2 (line 1, column 5, byte 4): expected 'true' and nothing more", "1\n"),
    Row("[1]12true", "record 2 (line 1, column 4, byte 3): not a number as JSON writes them", "1\n"),
    Row("{\"rows\":[{\"a\":1}],\"x\":[}", "record 2 (line 1, column 24, byte 23): expected a value or ']'"),
    Row(
      "{\"a\":1}\n{\"a\":\"open\n",
      "record 2 (line 2, column 11, byte 18): control character in a string, where JSON wants an escape", "{\"a\":1}\n"),
    Row("{\"a\":1}\n{\"é\":\"open", "record 2 (line 2, column 6, byte 14): string is not closed", "{\"a\":1}\n"),
    Row(
      "a,b\n1,2\r\n\n3,\"x\n\"\n4,\"open,\n5,6\n", "record 3 (line 6, column 3, byte 19): quote is not closed",
      "{\"a\":1,\"b\":2}\n{\"a\":3,\"b\":\"x\\n\"}\n"),
    Row("\"open,\n5,6\n", "line 1, column 1, byte 0: quote is not closed"),
  ]

  @Test(arguments: rows)
  func `the place and the rows before it`(_ row: Row) throws {
    let bytes = Array(row.text.utf8)
    let file = try TemporaryFile(bytes)
    for isPipe in [false, true] {
      let name = isPipe ? "standard input" : file.path
      func run(_ arguments: [String]) throws -> ProcessResult {
        try ProcessRunner.pagecat().run(
          arguments + (isPipe ? [] : [file.path]), input: isPipe ? .pieces(bytes, size: 5) : .nothing)
      }
      for options in [
        ["-t", "jsonl"], ["-t", "table"], ["-s", "a", "-t", "csv"], ["--count"], ["-f", "a == 99", "-t", "csv"],
        // Damage outside the columns that are asked for is damage too.
        ["-c", "other", "--count"],
      ] where !(row.text.first == "a" || row.text.first == "\"") || options.count < 4 {
        let result = try run(options)
        #expect(result.status == 3, "\(options)")
        #expect(result.errors.hasSuffix("pagecat: \(name): \(row.error)\n"), "\(options) \(result.errors)")
        if options.last == "jsonl" && !row.text.hasPrefix("{\"rows") { #expect(result.output == row.output) }
        if options.last == "--count" || options.first == "-s" { #expect(result.output == "") }
      }
    }
  }

  /// An object that wraps the records, with damage before the first sound one.
  @Test(arguments: [
    ("{\"rows\":[x,{\"a\":1},{\"a\":2}]}", "line 1, column 10, byte 9", 1),
    ("{\"n\":[1],\"rows\":[\n tru,\n{\"a\":x}, {\"a\":1},{\"a\":2}]}\n", "line 2, column 2, byte 19", 2),
    ("{\"rows\":[{\"a\":x},{\"a\":1},{\"a\":2}]}", "line 1, column 15, byte 14", 1),
  ])
  func `damage that begins the array of a wrapper is one of its elements`(
    _ text: String, _ place: String, _ count: Int
  ) throws {
    let bytes = Array(text.utf8)
    let file = try TemporaryFile(bytes, ending: ".json")
    for isPipe in [false, true] {
      let name = isPipe ? "standard input" : file.path
      for sort in [[], ["-s", "a:number"]] {
        func run(_ options: [String]) throws -> ProcessResult {
          try ProcessRunner.pagecat().run(
            ["-t", "jsonl"] + sort + options + (isPipe ? ["-"] : [file.path]),
            input: isPipe ? .pieces(bytes, size: 5) : .nothing)
        }
        let left = try run(["--on-error", "skip"])
        #expect(left.output == "{\"a\":1}\n{\"a\":2}\n" && left.status == 4)
        #expect(left.errors.contains("pagecat: \(name): records are the array 'rows'\n"))
        let records = count == 1 ? "1 damaged record" : "\(count) damaged records"
        #expect(left.errors.contains("pagecat: \(name): \(place): expected a value"))
        #expect(left.errors.hasSuffix("; \(records) left out\n"), "\(left.errors)")
        let stopped = try run([])
        #expect(stopped.output == "" && stopped.status == 3)
        #expect(stopped.errors.contains("pagecat: \(name): record 1 (\(place)): expected a value"))
      }
    }
  }

  @Test func `damage behind the page that was asked for was not read`() throws {
    let text = "{\"a\":1}\n{\"a\":2}\n{\"a\":x}\n"
    let result = try ProcessRunner.pagecat().run(["-t", "csv", "-n", "2"], input: .bytes(Array(text.utf8)))
    #expect(result.output == "a\n1\n2\n" && result.status == 0 && result.errors.isEmpty)
  }

  /// Whatever looks at the first megabyte for columns leaves the damage there to its row.
  @Test(arguments: ["csv", "tsv", "table", "jsonl", "json", "markdown", "record"])
  func `damage among the records that the columns come from is an error at its row`(_ format: String) throws {
    for count in [1, 3, 999, 1001, 20_000] {
      let lines = (1...count).map { "{\"a\":\($0)}\n" }.joined()
      for (damage, reason) in [
        ("{\"a\":\n", "the input ends inside an object"), ("{\"b\":.5}\n{\"a\":0}\n", "expected a value"),
      ] {
        for isPipe in [true, false] {
          let text = Array((lines + damage).utf8)
          let file = try TemporaryFile(text)
          let result = try ProcessRunner.pagecat().run(
            ["-t", format] + (isPipe ? [] : [file.path]), input: isPipe ? .bytes(text) : .nothing)
          #expect(result.status == 3)
          #expect(result.errors.contains("record \(count + 1) (line "), "\(count) \(result.errors)")
          #expect(result.errors.hasSuffix(": \(reason)\n"), "\(result.errors)")
          #expect(result.output.contains("\(count)"))
        }
      }
    }
  }

  /// What could be left out, and then something that cannot.
  @Test(arguments: [
    [], ["-s", "a"], ["-s", "a", "-n", "5"], ["--count"], ["--each", "cat"], ["-f", "a > 0"], ["--all-columns"],
  ])
  func `records left out are told also where the run ends in an error`(_ options: [String]) throws {
    for (text, leftOut, error) in [
      (
        "[{\"a\":1},{\"a\":x},{\"a\":y},{\"b\":\"",
        "line 1, column 15, byte 14: expected a value; 2 damaged records left out",
        "record 4 (line 1, column 31, byte 30): string is not closed"
      ),
      (
        "{\"rows\":[{\"a\":1},{\"a\":x}],\"z\":}",
        "line 1, column 23, byte 22: expected a value; 1 damaged record left out",
        "record 3 (line 1, column 31, byte 30): expected a value"
      ),
    ] {
      let result = try ProcessRunner.pagecat().run(
        ["--on-error", "skip", "-t", "jsonl"] + options, input: .bytes(Array(text.utf8)))
      #expect(result.status == 3)
      let lines = result.errors.split(separator: "\n").filter { !$0.contains("records are the array") }
      #expect(
        lines == ["pagecat: standard input: \(leftOut)", "pagecat: standard input: \(error)"], "\(result.errors)")
    }
  }

  @Test func `and in a file that several threads read`() throws {
    var text = "["
    for number in 0..<400_000 { text += number == 5 || number == 390_000 ? "{\"a\":x}," : "{\"a\":\(number)}," }
    let file = try TemporaryFile(text + "{\"b\":\"")
    for options in [["-s", "a", "-n", "3"], ["-s", "a", "-t", "jsonl"], ["--count"]] {
      let result = try ProcessRunner.pagecat().run([file.path, "--on-error", "skip"] + options)
      #expect(result.status == 3 && result.output.isEmpty)
      let lines = result.errors.split(separator: "\n")
      #expect(lines.count == 2)
      #expect(lines.first?.hasSuffix("expected a value; 2 damaged records left out") == true)
      #expect(lines.last?.contains(": record 400001 (line 1, ") == true)
    }
  }

  /// Large enough for several ranges as they are cut by default.
  @Test func `an element that is nested too deep, in the middle of a file that several threads read`() throws {
    var text = "["
    for number in 0..<300_000 {
      if number == 150_000 {
        text += String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000) + ","
      }
      text += "{\"a\":\(number)},"
    }
    let file = try TemporaryFile(text + "{}]")
    let offset = (0..<150_000).reduce(1) { $0 + "{\"a\":\($1)},".utf8.count } + 9_999
    for options in [["--count"], ["-s", "a", "-n", "3"], ["-s", "a", "-t", "jsonl"], ["-f", "a < 0"]] {
      let result = try ProcessRunner.pagecat().run([file.path] + options)
      #expect(result.status == 3 && result.output.isEmpty)
      #expect(
        result.errors
          == "pagecat: \(file.path): record 150001 (line 1, column \(offset + 1), byte \(offset)): nested more than 10000 deep\n",
        "\(options)")
    }
  }

  @Test func `other notes come before the error too, where rows were printed`() throws {
    let result = try ProcessRunner.pagecat().run(["-t", "csv"], input: .bytes(Array("a,b\n1\n2,\"x\n".utf8)))
    #expect(result.output == "a,b\n1,\n")
    #expect(
      result.errors
        == "pagecat: standard input: 1 record has fewer fields than the header, the first in line 2\n"
        + "pagecat: standard input: record 2 (line 3, column 3, byte 8): quote is not closed\n")
    let quiet = try ProcessRunner.pagecat().run(["-t", "csv", "--quiet"], input: .bytes(Array("a,b\n1\n2,\"x\n".utf8)))
    #expect(quiet.errors.split(separator: "\n").count == 1)
  }

  /// Whoever writes may go on for days; a pass that all threads take part in must not wait for that.
  @Test(arguments: [["--count"], ["--sort", "a"]], [1, 20_000])
  func `is told while the pipe stays open`(_ options: [String], _ rowCount: Int) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("pipe")
    try #require(unsafe mkfifo(path, 0o600) == 0)
    let opening = unsafe open(path, O_RDWR | O_CLOEXEC)
    defer { close(opening) }
    let text = Array(((0..<rowCount).map { "{\"a\":\($0)}\n" }.joined() + "{\"a\":}\n").utf8)
    DispatchQueue.global().async {
      var rest = text[...]
      while !rest.isEmpty {
        let put = unsafe rest.withUnsafeBytes { unsafe write(opening, $0.baseAddress, $0.count) }
        if put <= 0 { return }
        rest = rest.dropFirst(put)
      }
    }
    let result = try ProcessRunner.pagecat().run(options + ["--from", "jsonl", path])
    #expect(result.status == 3)
    #expect(result.errors.contains("record \(rowCount + 1) (line \(rowCount + 1), column 6"))
  }
}
