// Compressed input of every kind that is read, through the built program: whole, in several members, cut, damaged, with the
// program that unpacks missing, and let go of early.

import Glibc
import TestSupport
import Testing

struct CompressedInputTests {
  static let programs: [(name: String, compress: [String])] = [
    ("gzip", ["-c"]), ("zstd", ["-cq"]), ("xz", ["-c0"]), ("bzip2", ["-c"]), ("lz4", ["-cq"]),
  ]

  /// Lines that do not pack well, some hundred kilobytes of them.
  static let lines: String =
    "n\n" + (0..<40_000).map { "\($0 &* 2_654_435_761 % 1_000_000_007)\n" }.joined()

  private static func packed(_ program: (name: String, compress: [String]), _ text: String) throws -> [UInt8]? {
    try SystemProgram.run(program.name, program.compress, on: Array(text.utf8))
  }

  private func shell(_ script: String, _ file: TemporaryFile) throws -> ProcessResult {
    try ProcessRunner(program: "/bin/bash").run(["-c", script, BuiltProducts.directory + "/pagecat", file.path])
  }

  @Test(arguments: programs.indices)
  func `all members are read, from a file, a pipe and standard input, whatever the name`(_ index: Int) throws {
    guard let first = try Self.packed(Self.programs[index], "{\"a\":1}\n"),
      let second = try Self.packed(Self.programs[index], "{\"a\":2}\n")
    else { return }
    for ending in ["", ".csv", ".json.gz"] {
      let file = try TemporaryFile(first + second, ending: ending)
      for script in [
        "\"$0\" \"$1\" -t jsonl", "\"$0\" -t jsonl < \"$1\"", "cat \"$1\" | \"$0\" -t jsonl",
        "\"$0\" -t jsonl <(cat \"$1\")", "\"$0\" -s a -t jsonl --all < \"$1\"", "cat \"$1\" | \"$0\" -s a -t jsonl",
      ] {
        let result = try shell(script, file)
        #expect(result.output == "{\"a\":1}\n{\"a\":2}\n" && result.errors.isEmpty && result.status == 0, "\(script)")
      }
    }
  }

  /// Cut, and changed in its last bytes, where the sums and lengths stand.
  @Test(arguments: programs.indices, ["cut", "changed", "cut early"])
  func `damage is an error that names the program, after the rows before it`(_ index: Int, _ damage: String) throws {
    let program = Self.programs[index]
    guard var bytes = try Self.packed(program, Self.lines) else { return }
    switch damage {
    case "cut": bytes.removeLast(5)
    case "cut early": bytes.removeLast(bytes.count - 20)
    default:
      // zstd and lz4 end with the sum itself; the others have something behind it.
      let back = ["gzip": 6, "xz": 20, "bzip2": 3][program.name] ?? 2
      bytes[bytes.count - back] ^= 0x55
    }
    let file = try TemporaryFile(bytes)
    for script in ["\"$0\" \"$1\" -t csv", "cat \"$1\" | \"$0\" -t csv", "\"$0\" \"$1\" --count", "\"$0\" \"$1\" -s n"]
    {
      let result = try shell(script, file)
      #expect(result.status == 3, "\(script) \(result.errors)")
      #expect(result.errors.contains(": '\(program.name)' failed with status "), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1)
      if script.hasSuffix("csv") { #expect(Self.lines.hasPrefix(result.output)) } else { #expect(result.output == "") }
    }
  }

  @Test(arguments: programs.indices)
  func `standard input is unpacked from where it stands`(_ index: Int) throws {
    guard let bytes = try Self.packed(Self.programs[index], "n\n2\n1\n") else { return }
    let file = try TemporaryFile(Array("a line\n".utf8) + bytes)
    for (options, output) in [("", "n\n2\n1\n"), ("-s n", "n\n1\n2\n")] {
      let result = try shell("{ read -r line; \"$0\" -t csv \(options); } < \"$1\"", file)
      #expect(result.output == output && result.errors.isEmpty && result.status == 0, "\(result.errors)")
    }
  }

  @Test(arguments: programs.indices)
  func `nothing that is packed is nothing`(_ index: Int) throws {
    guard let bytes = try Self.packed(Self.programs[index], "") else { return }
    let file = try TemporaryFile(bytes)
    for (script, output) in [
      ("\"$0\" \"$1\" -t csv", ""), ("cat \"$1\" | \"$0\" -t json", "[]\n"),
      ("\"$0\" --from csv --count < \"$1\"", "0\n"),
    ] {
      let result = try shell(script, file)
      #expect(result.output == output && result.errors.isEmpty && result.status == 0, "\(script)")
    }
  }

  @Test func `frames of lz4 as they were of old`() throws {
    guard let bytes = try SystemProgram.run("lz4", ["-lcq"], on: Array("n\n1\n".utf8)) else { return }
    #expect(try shell("\"$0\" \"$1\" -t csv", try TemporaryFile(bytes)).output == "n\n1\n")
  }

  @Test func `garbage behind the last member is an error too`() throws {
    guard let bytes = try Self.packed(Self.programs[0], "n\n1\n") else { return }
    let file = try TemporaryFile(bytes + Array("garbage".utf8))
    let result = try shell("\"$0\" \"$1\" -t csv", file)
    #expect(result.output == "n\n1\n")
    #expect(result.status == 3)
    #expect(
      result.errors.contains("'gzip' failed with status 2: gzip: stdin: decompression OK, trailing garbage ignored"))
  }

  @Test(arguments: programs.indices)
  func `a program that is missing is named, whatever the input is`(_ index: Int) throws {
    let name = Self.programs[index].name
    guard let bytes = try Self.packed(Self.programs[index], "n\n1\n") else { return }
    let file = try TemporaryFile(bytes)
    for script in ["PATH=/nonexistent \"$0\" \"$1\"", "PATH= \"$0\" \"$1\"", "cat \"$1\" | PATH=/nonexistent \"$0\""] {
      let result = try ProcessRunner(program: "/bin/bash").run(
        ["-c", "cd /; " + script, BuiltProducts.directory + "/pagecat", file.path])
      let source = script.hasPrefix("cat") ? "standard input" : file.path
      #expect(result.status == 3 && result.output.isEmpty)
      #expect(
        result.errors == "pagecat: \(source): cannot run '\(name)': not found; install it or decompress first\n")
    }
  }

  @Test(arguments: ["while :; do echo 1; done", "exec sleep 1000", "trap '' PIPE; while :; do echo 1; done"])
  func `a full page ends the program, whatever it is doing`(_ rest: String) throws {
    let folder = try TemporaryFolder()
    // In the place of gzip: a page, and then something without end. Its number is kept, to see that it is gone.
    let path = try folder.write("#!/bin/sh\necho $$ > $PIDFILE\necho n; echo 1; echo 2; \(rest)\n", to: "gzip")
    _ = unsafe chmod(path, 0o755)
    let file = try TemporaryFile([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0])
    let fifo = folder.file("fifo")
    for source in [
      "\"$0\" \"$1\"", "cat \"$1\" | \"$0\"",
      // A pipe whose writer says nothing more.
      "mkfifo \(fifo); exec 3<> \(fifo); cat \"$1\" >&3; \"$0\" \(fifo)",
    ] {
      let result = try shell(
        "export PIDFILE=\(folder.file("pid")); PATH=\(folder.path):$PATH; \(source) -n 2 -t csv 3>&-;"
          + " timeout 30 tail --pid=$(cat $PIDFILE) -f /dev/null && echo gone", file)
      #expect(result.output == "n\n1\n2\ngone\n", "\(source)")
      #expect(result.errors.isEmpty, "\(source)")
    }
  }

  @Test func `every kind of bomb is bounded in memory`() throws {
    // A hundred megabytes of one field, which --memory does not allow, in an address space that would not hold it.
    for program in Self.programs where SystemProgram.path(program.name) != nil {
      let pack = ([program.name] + program.compress).joined(separator: " ")
      let file = try TemporaryFile("a\n")
      let result = try shell(
        "(cat \"$1\"; head -c 100000000 /dev/zero) | \(pack) | (ulimit -v 2000000; \"$0\" --memory 4M --to csv)", file)
      #expect(result.status == 3)
      #expect(
        result.errors
          == "pagecat: standard input: record 1 (line 2, column 1, byte 2): a record is larger than 4194304 bytes\n",
        "\(program.name)")
    }
  }

  /// What a program says on standard error never holds up what it makes, nor is its last word lost.
  @Test func `a program that talks much is read to its end`() throws {
    let folder = try TemporaryFolder()
    // In the place of gzip: rows, and more words than a pipe holds, before, between and behind them.
    let script = """
      #!/bin/sh
      talk() { i=0; while [ $i -lt 3000 ]; do echo "word $i word word word word word word word word" >&2; i=$((i+1)); done; }
      talk; echo n; echo 1; talk; echo 2; exec >&-; talk; echo 'the last word' >&2; exit 5
      """
    let path = try folder.write(script, to: "gzip")
    _ = unsafe chmod(path, 0o755)
    let file = try TemporaryFile([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0])
    for source in ["\"$0\" \"$1\"", "cat \"$1\" | \"$0\""] {
      let result = try shell("PATH=\(folder.path):$PATH; \(source) -t csv", file)
      #expect(result.output == "n\n1\n2\n")
      #expect(result.errors.hasSuffix(": 'gzip' failed with status 5: the last word\n"), "\(result.errors)")
      #expect(result.status == 3)
    }
  }

  @Test func `a program that is killed is an error that says so`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("#!/bin/sh\necho n; echo 1; kill -KILL $$\n", to: "gzip")
    _ = unsafe chmod(path, 0o755)
    let file = try TemporaryFile([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0])
    let result = try shell("PATH=\(folder.path):$PATH; \"$0\" \"$1\" -t csv", file)
    #expect(result.output == "n\n1\n")
    #expect(result.errors == "pagecat: \(file.path): line 3, column 1, byte 4: 'gzip' was ended by signal 9\n")
    #expect(result.status == 3)
  }
}
