// Input that is odd or hostile in what it is or holds: devices and files of no size, encodings that break off, bytes that are no
// text, sizes that nothing fits into. Always rows, a note or an error with its place, and never a signal.

import TestSupport
import Testing

struct HostileInputTests {
  static let formats = ["csv", "tsv", "json", "jsonl", "markdown", "record", "table"]

  private func shell(_ script: String, _ file: TemporaryFile? = nil) throws -> ProcessResult {
    try ProcessRunner(program: "/bin/bash").run(
      ["-c", script, BuiltProducts.directory + "/pagecat"] + (file.map { [$0.path] } ?? []))
  }

  private func run(_ bytes: [UInt8], _ arguments: [String]) throws -> ProcessResult {
    try ProcessRunner.pagecat().run(arguments, input: .bytes(bytes))
  }

  private func run(_ text: String, _ arguments: [String]) throws -> ProcessResult {
    try run(Array(text.utf8), arguments)
  }

  // MARK: What input is

  @Test func `no file with a terminal on standard input is a hint`() throws {
    let result = try ProcessRunner.pagecat().run([], input: .terminal)
    #expect(result.status == 2 && result.output.isEmpty)
    #expect(result.errors.hasPrefix("pagecat: no FILE given, and standard input is a terminal; usage: "))
  }

  @Test func `with a file given standard input is left alone`() throws {
    let file = try TemporaryFile("a\n1\n")
    for options in ["-t csv", "-s a -t csv", "--count", "-t csv --each cat"] {
      let result = try shell("printf 'not read' | { \"$0\" \"$1\" \(options) > /dev/null; cat; }", file)
      #expect(result.output == "not read", "\(options)")
    }
  }

  @Test func `what a pipe has to be asked for twice goes to a file without a name in TMPDIR`() throws {
    let folder = try TemporaryFolder()
    let file = try TemporaryFile("{\"a\":1}\n{\"b\":2}\n")
    let kept = try shell("cat \"$1\" | TMPDIR=\(folder.path) \"$0\" --all-columns -t csv", file)
    #expect(kept.output == "a,b\n1,\n,2\n" && kept.status == 0)
    #expect(folder.names.isEmpty)
    let nowhere = try shell("cat \"$1\" | TMPDIR=/nonexistent \"$0\" --all-columns -t csv", file)
    #expect(nowhere.status == 3)
    #expect(
      nowhere.errors
        == "pagecat: standard input: cannot keep it in a temporary file: No such file or directory\n")
    // A file is read again where it is.
    #expect(try shell("TMPDIR=/nonexistent \"$0\" \"$1\" --all-columns -t csv", file).status == 0)
    #expect(try shell("TMPDIR=/nonexistent \"$0\" --all-columns -t csv < \"$1\"", file).status == 0)
  }

  @Test func `a FIFO is opened once and read once`() throws {
    let folder = try TemporaryFolder()
    let fifo = folder.file("fifo")
    // The writer opens it once; a second reader would wait for ever.
    for options in ["", "-s a", "-s a -n 1 -p 2", "--count", "--all-columns", "-f 'a > 1'", "--explain"] {
      let result = try shell(
        "rm -f \(fifo); mkfifo \(fifo); printf '{\"a\":1}\\n{\"a\":2}\\n' > \(fifo) & \"$0\" \(fifo) -t jsonl \(options)"
      )
      #expect(result.status == 0 && !result.isTimedOut, "\(options)")
    }
  }

  @Test func `places that cannot be read are named with the reason`() throws {
    let folder = try TemporaryFolder()
    for (path, reason) in [
      (folder.path, "is a directory, and a file was expected"),
      (folder.file("none"), "cannot open it: No such file or directory"),
      (folder.file("none") + "/x", "cannot open it: No such file or directory"),
      ("/proc/self/mem", "cannot read it: Input/output error"),
      ("/dev/tty", "cannot open it: No such device or address"),
    ] {
      let result = try shell("setsid -w \"$0\" \(path) -t csv")
      #expect(result.status == 3 && result.output.isEmpty)
      #expect(result.errors == "pagecat: \(path): \(reason)\n")
    }
    let file = try folder.write("a\n1\n", to: "f")
    #expect(try shell("\"$0\" \(file)/x").errors == "pagecat: \(file)/x: cannot open it: Not a directory\n")
    // Who is not root cannot read it. Root can, so another user is asked where there is one.
    let locked = try shell(
      "chmod 0 \(file); chmod 755 \(folder.path); setpriv --reuid 65534 --clear-groups \"$0\" \(file)")
    if !locked.errors.hasPrefix("setpriv") {
      #expect(locked.errors == "pagecat: \(file): cannot open it: Permission denied\n" && locked.status == 3)
    }
  }

  @Test func `files of the system without a size are read`() throws {
    #expect(
      try shell("\"$0\" /proc/self/status --delimiter : --no-header-row -n 1 -t csv --no-heading").output
        == "Name,\tpagecat\n")
    #expect(try shell("\"$0\" /proc/self/status --delimiter : --no-header-row -s c1 -n 1 -t csv").status == 0)
    #expect(try shell("\"$0\" /dev/zero --memory 1M").errors.hasSuffix("a record is larger than 1048576 bytes\n"))
    #expect(try shell("head -c 100 /dev/zero | \"$0\" --count").output == "0\n")
    // One that is longer than what the system gives at a time: the mappings of a program that waits.
    let options = "$f --no-header-row --delimiter : --no-heading --quiet -t csv"
    let counts = try shell(
      "coproc cat; echo x >&${COPROC[1]}; read x <&${COPROC[0]}; f=/proc/$COPROC_PID/smaps; grep -c '' $f;"
        + " \"$0\" \(options) | grep -c ''; \"$0\" \(options) -s c1 | grep -c ''; \"$0\" \(options) --count; :"
    ).output.split(separator: "\n").map { Int($0) ?? 0 }
    #expect(counts.count == 4 && counts[0] > 200 && Set(counts).count == 1, "\(counts)")
  }

  // MARK: What input holds

  @Test(arguments: formats)
  func `NUL bytes are text like any other`(_ format: String) throws {
    let result = try run("a,b\n1,\0\n\0\0,2\n", ["-t", format, "--quiet"])
    #expect(result.status == 0)
    let found = result.standardOutput.count { $0 == 0 }
    switch format {
    case "json", "jsonl": #expect(found == 0 && result.output.components("\\u0000") == 3)
    case "table": #expect(found == 0 && result.output.components("␀") == 3)
    default: #expect(found == 3)
    }
    let inJSON = try run("{\"a\":\0}", ["-t", format])
    #expect(inJSON.status == 3 && inJSON.errors.contains("line 1, column 6, byte 5"))
  }

  /// Bytes that are no UTF-8, and what becomes of them: in csv and tsv nothing.
  @Test(arguments: formats)
  func `invalid UTF-8 is kept in csv and tsv, replaced and counted elsewhere, with the first place`(
    _ format: String
  ) throws {
    let cell: [UInt8] = [0x61, 0xFF, 0x62, 0xC3, 0x28, 0xED, 0xA0, 0x80]
    let csv = Array("x,y\nok,é\n1,".utf8) + cell + Array("\n".utf8) + [0x80] + Array(",2\n".utf8)
    let json = Array("{\"x\":\"é\"}\n{\"x\":\"".utf8) + cell + Array("\"}\n".utf8)
    let isFaithful = format == "csv" || format == "tsv"
    for (bytes, ending, place, count) in [
      (csv, ".csv", "line 3, column 4, byte 13", 4), (json, ".jsonl", "line 2, column 8, byte 18", 3),
    ] {
      let file = try TemporaryFile(bytes, ending: ending)
      for sort in [[], ["--sort", "x", "--all"]] {
        let result = try ProcessRunner.pagecat().run([file.path, "-t", format, "--quiet"] + sort)
        #expect(result.status == 0)
        #expect(result.standardOutput.contains(cell) == isFaithful)
        #expect(result.output.utf8.elementsEqual(result.standardOutput) == !isFaithful)
        let notes = try ProcessRunner.pagecat().run([file.path, "-t", format] + sort).errors
        #expect(notes.contains("U+FFFD") == !isFaithful)
        if !isFaithful && sort.isEmpty {
          #expect(
            notes.contains(
              "pagecat: \(file.path): \(place): \(count) pieces of text that is no UTF-8 became U+FFFD, first in row 2\n"
            ),
            "\(notes)")
        }
      }
    }
  }

  @Test func `the place of replaced text is right on later pages, in other files, and behind a sort`() throws {
    let bad: [UInt8] = [0xFF]
    let first = try TemporaryFile("x\n" + (0..<30).map { "\($0)\n" }.joined())
    let second = try TemporaryFile(Array("x\n40\nz".utf8) + bad + Array("\n50\n".utf8))
    func places(_ arguments: [String]) throws -> String {
      try ProcessRunner.pagecat().run([first.path, second.path] + arguments).errors
        .replacing(second.path, with: "SECOND")
    }
    let place =
      "pagecat: SECOND: line 3, column 2, byte 6: 1 piece of text that is no UTF-8 became U+FFFD, first in row"
    for format in ["table", "jsonl", "record"] {
      let note = "\(place) 32\n"
      #expect(try places(["-t", format]).hasPrefix(note), "\(format)")
      #expect(try places(["-t", format, "--all", "-n", "7"]).hasPrefix(note), "\(format)")
      #expect(try places(["-t", format, "--each", "cat > /dev/null", "-n", "7"]).hasPrefix(note), "\(format)")
      #expect(try places(["-t", format, "-n", "3", "-s", "x:desc"]).hasPrefix("\(place) 3\n") == false)
      #expect(try places(["-t", format, "-s", "x"]).contains("\(place) 33\n"), "\(format)")
    }
    #expect(try places(["-t", "csv"]) == "")
  }

  @Test func `names that are no UTF-8 are counted too`() throws {
    let bytes = Array("a,b".utf8) + [0xFF] + Array("\n1,2\n".utf8)
    #expect(try run(bytes, ["-t", "csv"]).standardOutput == bytes)
    for format in ["table", "json", "jsonl", "markdown", "record"] {
      let result = try run(bytes, ["-t", format])
      #expect(result.errors == "pagecat: 1 column name with text that is no UTF-8, shown as U+FFFD\n", "\(format)")
    }
  }

  @Test func `invalid UTF-8 outside a string of JSON is damage`() throws {
    for (bytes, place) in [
      ([0x7B, 0xFF], "byte 1"), ([0x5B, 0x31, 0x2C, 0xC3, 0xA9, 0x5D], "byte 3"), ([0x31, 0xFF], "byte 0"),
    ] as [([UInt8], String)] {
      let result = try run(bytes, ["-t", "jsonl", "--from", "json"])
      #expect(result.status == 3 && result.errors.contains("\(place))"), "\(result.errors)")
    }
  }

  @Test(arguments: formats)
  func `lone surrogate escapes stay escapes in JSON, and are replaced and counted elsewhere`(_ format: String) throws {
    let text = "{\"a\":\"x\\ud800y\",\"b\":\"\\udc00\"}\n"
    let result = try run(text, ["-t", format])
    if format == "jsonl" || format == "json" {
      #expect(result.output.contains(text.dropLast()) && result.errors.isEmpty)
    } else {
      #expect(result.output.components("\u{FFFD}") == 2)
      #expect(
        result.errors
          == "pagecat: standard input: byte 0: 2 pieces of text that is no UTF-8 became U+FFFD, first in row 1\n")
    }
    let picked = try run(text, ["-t", "jsonl", "-c", "a"])
    #expect(picked.output == "{\"a\":\"x\\ud800y\"}\n")
  }

  static let encoded: [(bytes: [UInt8], encoding: String, output: String, error: String)] = [
    ([0xFF, 0xFE], "", "", ""),
    ([0xFF, 0xFE, 0x61], "", "", "line 1, column 1, byte 2: the input ends inside a character of UTF-16LE"),
    (
      [0xFE, 0xFF, 0x00, 0x61, 0x00, 0x0A, 0x00], "", "",
      "line 2, column 1, byte 6: the input ends inside a character of UTF-16BE"
    ),
    (
      [0xFF, 0xFE, 0x61, 0, 0x0A, 0, 0x3D, 0xD8], "", "",
      "line 2, column 1, byte 6: the input ends inside a character of UTF-16LE"
    ),
    ([0xFF, 0xFE, 0x00, 0xDC, 0x61, 0], "", "", "line 1, column 1, byte 2: bytes that are no text in UTF-16LE"),
    ([0xFF, 0xFE, 0x61, 0, 0x0A, 0, 0x3D, 0xD8, 0x00, 0xDE, 0x0A, 0], "", "a\n😀\n", ""),
    ([0x61, 0x0A, 0xE9, 0x0A], "ISO-8859-1", "a\né\n", ""),
    ([0x61, 0x0A, 0x81, 0x0A], "CP1252", "", "line 2, column 1, byte 2: bytes that are no text in CP1252"),
    ([0x61, 0x0A, 0xFF, 0x0A], "ASCII", "", "line 2, column 1, byte 2: bytes that are no text in ASCII"),
    (
      [0x61, 0, 0x2C, 0], "", "",
      "looks like UTF-16 without a byte order mark, and UTF-8 was expected; try --encoding UTF-16LE"
    ),
    (
      [0, 0x61, 0, 0x2C], "", "",
      "looks like UTF-16 without a byte order mark, and UTF-8 was expected; try --encoding UTF-16BE"
    ),
    ([0xEF, 0xBB, 0xBF, 0x61, 0x0A, 0xEF, 0xBB, 0xBF, 0x0A], "", "a\n\u{FEFF}\n", ""),
  ]

  @Test(arguments: encoded)
  func `text in other encodings`(
    _ row: (bytes: [UInt8], encoding: String, output: String, error: String)
  ) throws {
    let arguments = ["-t", "csv"] + (row.encoding.isEmpty ? [] : ["--encoding", row.encoding])
    let file = try TemporaryFile(row.bytes)
    for isPipe in [true, false] {
      let result = try ProcessRunner.pagecat().run(
        arguments + (isPipe ? [] : [file.path]), input: isPipe ? .pieces(row.bytes, size: 1) : .nothing)
      let name = isPipe ? "standard input" : file.path
      #expect(result.errors == (row.error.isEmpty ? "" : "pagecat: \(name): \(row.error)\n"))
      #expect(result.status == (row.error.isEmpty ? 0 : 3))
      if row.error.isEmpty { #expect(result.standardOutput == Array(row.output.utf8)) }
    }
  }

  @Test func `a line of a gigabyte is an error with its place, not a death`() throws {
    for (start, place) in [
      ("a\\n1\\n", "record 2 (line 3, column 1, byte 4)"),
      ("{\"a\":1}\\n{\"a\":\"", "record 2 (line 2, column 1, byte 8)"),
      ("", "line 1, column 1, byte 0"),
    ] {
      let result = try shell(
        "(printf '\(start)'; head -c 1000000000 /dev/zero | tr '\\0' x) | (ulimit -v 2000000; \"$0\" --memory 8M -t csv)"
      )
      #expect(result.status == 3)
      #expect(
        result.errors == "pagecat: standard input: \(place): a record is larger than 8388608 bytes\n")
    }
  }

  @Test func `a record may have exactly as many bytes as --memory says`() throws {
    for count in [65_535, 65_536, 65_537] {
      let isTooLarge = count > 65_536
      let cell = String(repeating: "x", count: count)
      let object = "{\"a\":\"" + String(repeating: "x", count: count - 8) + "\"}"
      for (text, place) in [
        ("a\n\(cell)\n1\n", "line 2, column 1, byte 2"), ("\(object)\n{\"a\":1}\n", "line 1, column 1, byte 0"),
      ] {
        for options in [[], ["-s", "a"], ["--count"]] {
          let result = try run(text, ["-t", "csv", "--memory", "64K"] + options)
          #expect(result.status == (isTooLarge ? 3 : 0), "\(count) \(options)")
          #expect(result.errors.contains("(\(place)): a record is larger than 65536 bytes") == isTooLarge)
        }
      }
    }
  }

  @Test func `of several files of all kinds the error names the right one`() throws {
    let csv = try TemporaryFile("a,b\n1,2\n", ending: ".csv")
    let lines = try TemporaryFile("{\"a\":3}\n{\"b\":4}\n", ending: ".jsonl")
    let wide = try TemporaryFile([0xFF, 0xFE] + Array("a\u{0}\n\u{0}5\u{0}\n\u{0}".utf8), ending: ".txt")
    let packed = try SystemProgram.run("gzip", ["-c"], on: Array("[{\"a\":6}]".utf8)).map { try TemporaryFile($0) }
    let sound = [csv, lines, wide] + [packed].compactMap { $0 }
    let paths = sound.map(\.path)
    let whole = try ProcessRunner.pagecat().run(paths + ["-t", "csv"])
    #expect(whole.output == "a,b\n1,2\n3,\n,4\n5,\n" + (packed == nil ? "" : "6,\n"))
    #expect(whole.status == 0 && whole.errors.isEmpty)
    let damaged: [([UInt8], String, String)] = [
      (Array("a\n\"x\n".utf8), ".csv", "record 1 (line 2, column 1, byte 2): quote is not closed"),
      (Array("{\"a\":1}\n{\"a\":}\n".utf8), ".jsonl", "record 2 (line 2, column 6, byte 13): expected a value"),
      (
        [0xFF, 0xFE, 0x61, 0, 0x0A, 0, 0x00], ".txt",
        "line 2, column 1, byte 6: the input ends inside a character of UTF-16LE"
      ),
    ]
    for (bytes, ending, error) in damaged {
      let bad = try TemporaryFile(bytes, ending: ending)
      for place in 0...paths.count {
        var files = paths
        files.insert(bad.path, at: place)
        for options in [[], ["-s", "a"], ["--count"]] {
          let result = try ProcessRunner.pagecat().run(files + ["-t", "csv"] + options)
          #expect(result.status == 3)
          #expect(result.errors.hasSuffix("pagecat: \(bad.path): \(error)\n"), "\(result.errors)")
        }
      }
    }
  }

  @Test func `bytes of no meaning end in rows or an error`() throws {
    var random = SeededGenerator(seed: 7)
    for round in 0..<60 {
      let starts: [[UInt8]] = [
        [], [0xFF, 0xFE], [0x1F, 0x8B], [0x28, 0xB5, 0x2F, 0xFD], [0x5B], [0x7B], [0xEF, 0xBB, 0xBF], [0x22], [0],
        Array("BZh91AY&SY".utf8), [0x04, 0x22, 0x4D, 0x18], [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0],
      ]
      var bytes = starts[round % starts.count]
      for _ in 0..<Int.random(in: 0...300, using: &random) { bytes.append(UInt8.random(in: 0...255, using: &random)) }
      let result = try run(bytes, ["-t", Self.formats[round % 7]])
      #expect([0, 3].contains(result.status), "\(bytes): \(result.errors)")
      if result.status == 3 { #expect(result.errors.hasPrefix("pagecat: standard input: ")) }
    }
  }
}

extension String {
  /// How often a text stands in this one.
  fileprivate func components(_ text: String) -> Int { ranges(of: text).count }
}
