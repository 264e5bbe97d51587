// Where the bytes come from and where they go to makes no difference: a pipe in pieces of any size, a FIFO, a file that
// is open already, gives what the file gives; a reader that goes away ends the program quietly; what cannot be read or
// written is said.

import Foundation
import TestSupport
import Testing

struct PipeTests {
  /// Questions that take every way through the program.
  static let questions: [[String]] = [
    [], ["-s", "id:desc"], ["-s", "id:desc", "-n", "3"], ["-f", "id > 1"], ["-n", "2", "-p", "2"], ["--count"],
    ["--all-columns"],
  ]

  /// Fixtures with a size and an ending that tell their format.
  static func fixtures(below size: Int) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: GoldenCase.fixtures.path)) ?? []
    return names.filter { name in
      guard [".csv", ".json", ".jsonl", ".tsv"].contains(where: { name.hasSuffix($0) }) else { return false }
      return (bytes(name)?.count ?? .max) < size
    }.sorted()
  }

  static func bytes(_ name: String) -> [UInt8]? {
    (try? Data(contentsOf: GoldenCase.fixtures.appending(path: name))).map { Array($0) }
  }

  private func runner(_ program: String? = nil) -> ProcessRunner {
    var runner = program.map { ProcessRunner(program: $0) } ?? ProcessRunner.pagecat()
    runner.workingDirectory = GoldenCase.fixtures.path
    return runner
  }

  /// Runs a script in a shell, in the folder of the fixtures, with `"$0"` for the built program.
  private func shell(_ script: String) throws -> ProcessResult {
    try runner("/bin/bash").run(["-c", script, BuiltProducts.directory + "/pagecat"])
  }

  private func checkPieces(_ name: String, size: Int, _ questions: [[String]], formats: [String]) throws {
    let bytes = try #require(PipeTests.bytes(name))
    let ending = String(name[name.index(after: name.lastIndex(of: ".") ?? name.startIndex)...])
    for question in questions {
      for format in formats {
        let arguments = ["--from", ending, "-t", format] + question
        let expected = try runner().run(arguments + [name])
        let found = try runner().run(arguments, input: .pieces(bytes, size: size))
        try #require(!expected.isTimedOut && !found.isTimedOut)
        #expect(found.output == expected.output, "\(arguments)")
        #expect(found.standardOutput == expected.standardOutput)
        // Where text became U+FFFD, a pipe cannot be read again to count the lines before it.
        let replaced = /line \d+, column \d+, (?=byte \d+: \d+ pieces? of text that is no UTF-8)/
        #expect(
          found.errors.replacing("standard input", with: name) == expected.errors.replacing(replaced, with: ""),
          "\(arguments)")
        #expect(found.status == expected.status)
      }
    }
  }

  @Test(arguments: PipeTests.fixtures(below: 200))
  func `bytes one by one are the file`(_ name: String) throws {
    try checkPieces(name, size: 1, PipeTests.questions, formats: ["jsonl"])
  }

  @Test(arguments: PipeTests.fixtures(below: 1000))
  func `pieces of seven bytes are the file`(_ name: String) throws {
    try checkPieces(name, size: 7, PipeTests.questions, formats: ["table", "json"])
  }

  // No tables: their widths come from what has arrived.
  @Test(arguments: PipeTests.fixtures(below: 1_000_000).filter { PipeTests.bytes($0)?.count ?? 0 >= 4096 })
  func `larger pieces are the file`(_ name: String) throws {
    for size in [4095, 65_536] {
      try checkPieces(
        name, size: size, [[], ["-s", "id:desc"], ["-s", "id", "-n", "3"], ["-f", "id > 1"], ["--count"]],
        formats: ["csv", "jsonl"])
    }
  }

  @Test func `every way to give a file gives the same`() throws {
    let expected = try runner().run(["activities.csv", "-s", "distance", "-t", "csv"])
    #expect(expected.status == 0)
    for script in [
      "cat activities.csv | \"$0\" --sort distance --all -t csv",
      "\"$0\" --sort distance -t csv < activities.csv",
      "\"$0\" --sort distance -t csv - < activities.csv",
      "\"$0\" --sort distance -t csv /dev/stdin < activities.csv",
      "cat activities.csv | \"$0\" --sort distance -t csv /dev/stdin",
      "\"$0\" --sort distance -t csv <(cat activities.csv)",
      "f=$(mktemp -u); mkfifo $f; cat activities.csv > $f & \"$0\" --sort distance -t csv $f; rm $f",
      "\"$0\" --sort distance -t csv activities.csv < damaged-line.jsonl",
      "\"$0\" --sort distance -t csv activities.csv <&-",
      "\"$0\" --sort distance -t csv <(head -1 activities.csv) <(head -1 activities.csv; tail -n +2 activities.csv)",
    ] {
      let found = try shell(script)
      #expect(found.output == expected.output, "\(script)")
      #expect(found.errors == "", "\(script)")
      #expect(found.status == 0, "\(script)")
    }
  }

  @Test func `standard input is read from where it stands`() throws {
    for (sort, lines) in [
      ("", "2\n1\n3\n"), (" -s c1", "1\n2\n3\n"), (" -s c1 -n 2", "1\n2\n"), (" -f 'c1 > 1'", "2\n3\n"),
    ] {
      let script =
        "f=$(mktemp); printf 'first\\n2\\n1\\n3\\n' > $f;"
        + " { read line; \"$0\" --no-header-row --no-heading -t csv\(sort); } < $f; rm $f"
      let found = try shell(script)
      #expect(found.output == lines, "\(script)")
      #expect(found.errors == "")
    }
    // Places count from there, too.
    let found = try shell("{ read line; \"$0\" --no-header-row -t csv --quiet; } < unclosed-quote.csv")
    #expect(found.status == 3)
    #expect(found.errors == "pagecat: standard input: record 2 (line 2, column 3, byte 9): quote is not closed\n")
    #expect(try shell("{ cat > /dev/null; \"$0\" -t csv; } < activities.csv").output == "")
  }

  @Test func `files whose size is not told are read`() throws {
    let found = try shell("\"$0\" --delimiter ' ' --no-header-row /proc/self/stat -t csv -c c2")
    #expect(found.output == "c2\n(pagecat)\n")
    #expect(try shell("\"$0\" /dev/null -t csv").status == 0)
    #expect(try shell("\"$0\" /dev/null -t json").output == "[]\n")
  }

  @Test func `several files are one dataset`() throws {
    let once = try runner().run(["bom.csv", "-t", "csv", "--no-heading"])
    #expect(try runner().run(["bom.csv", "bom.csv", "-t", "csv", "--no-heading"]).output == once.output + once.output)
    #expect(
      try runner().run(["bom.csv", "bom.csv", "-t", "csv", "--no-heading", "-s", "id"]).output == once.output
        + once.output)
    #expect(try runner().run(["ragged.csv", "bom.csv", "ragged.csv", "--count", "--quiet"]).output == "9\n")
    #expect(try shell("\"$0\" - bom.csv -t csv --no-heading < bom.csv").output == once.output + once.output)
    let mixed = try shell(
      "\"$0\" bom.csv wrapped.json pretty.jsonl quoted-tabs.tsv -t csv --quiet -c name,id -s id:desc,name")
    #expect(
      mixed.output
        == "name,id\n\"plain, comma\",3\n\"say \"\"hi\"\"\",2\nsecond,2\nsecond,2\nZürich,1\na\tb,1\nfirst,1\nfirst,1\n"
    )
    #expect(try runner().run(["-", "-"], input: .bytes([])).status == 2)
  }

  @Test func `what cannot be opened is said`() throws {
    let missing = try runner().run(["nowhere.csv"])
    #expect(missing.status == 3)
    #expect(missing.errors == "pagecat: nowhere.csv: cannot open it: No such file or directory\n")
    #expect(try runner().run(["golden"]).status == 3)
    #expect(try shell("\"$0\" < golden").status == 3)
    #expect(try shell("\"$0\" <&-").status == 3)
    let unreadable = try shell("\"$0\" /proc/self/mem")
    #expect(unreadable.status == 3)
    #expect(unreadable.errors.hasPrefix("pagecat: /proc/self/mem: cannot read it: "))
    if getuid() != 0 {
      let locked = try shell("f=$(mktemp); chmod 0 $f; \"$0\" $f; s=$?; rm -f $f; exit $s")
      #expect(locked.status == 3)
    }
  }

  @Test(arguments: ["", "-s id", "-t json", "-t jsonl -f 'id > 0'", "-n 10000", "--count"])
  func `output that cannot be written is an error`(_ options: String) throws {
    let full = try shell("\"$0\" activities.jsonl \(options) > /dev/full")
    #expect(full.status == 3)
    #expect(full.errors == "pagecat: cannot write to standard output: No space left on device\n")
    let closed = try shell("\"$0\" activities.jsonl \(options) >&-")
    #expect(closed.status == 3)
    #expect(closed.errors == "pagecat: cannot write to standard output: Bad file descriptor\n")
  }

  @Test(arguments: ["", "-s id", "-t csv", "--all -n 1"])
  func `a reader that has enough ends the program quietly`(_ options: String) throws {
    let script =
      "for i in $(seq 40); do cat activities.jsonl; done | \"$0\" \(options) | head -1; echo ${PIPESTATUS[1]}"
    let found = try shell(script)
    #expect(found.output.hasSuffix("\n141\n"))
    #expect(found.errors == "")
  }

  @Test func `the first page does not wait for the end of a pipe`() throws {
    // The writer holds the pipe open until the page has been printed.
    let script =
      "f=$(mktemp -u); mkfifo $f; { cat activities.jsonl; read wait < $f; } | { \"$0\" -n 2 -t jsonl; echo done > $f; }; rm $f"
    let found = try shell(script)
    #expect(found.status == 0)
    #expect(found.output.split(separator: "\n").count == 2)
  }
}
