// What the built program makes of compressed, encoded, wrapped and damaged input: rows, messages and exit statuses.

import Glibc
import TestSupport
import Testing

@testable import pagecat

struct InputTests {
  private func run(_ arguments: [String], on text: String) throws -> ProcessResult {
    try ProcessRunner.pagecat().run(arguments, input: .bytes(Array(text.utf8)))
  }

  /// Runs `script` in a shell, where `"$0"` is the built program and `"$1"` a file with these bytes.
  private func shell(_ script: String, file: TemporaryFile) throws -> ProcessResult {
    try ProcessRunner(program: "/bin/sh").run(["-c", script, BuiltProducts.directory + "/pagecat", file.path])
  }

  @Test func `a program that is missing is named, with what to do`() throws {
    let file = try TemporaryFile([0x28, 0xB5, 0x2F, 0xFD, 0, 0, 0, 0], ending: ".zst")
    let result = try shell("PATH=/nonexistent \"$0\" \"$1\"", file: file)
    #expect(result.status == 3)
    #expect(
      result.errors
        == "pagecat: \(file.path): cannot run 'zstd': not found; install it or decompress first\n")
  }

  @Test func `a cut archive is an error after its rows, quoted from the program`() throws {
    let lines = "n\n" + (0..<5000).map { "\($0 &* 2_654_435_761 % 1_000_003)\n" }.joined()
    guard let bytes = try SystemProgram.run("gzip", ["-c"], on: Array(lines.utf8)) else { return }
    let file = try TemporaryFile(Array(bytes[..<(bytes.count / 2)]))
    let result = try shell("\"$0\" \"$1\" --to csv", file: file)
    #expect(result.status == 3)
    #expect(lines.hasPrefix(result.output) && result.output.count > 1000)
    #expect(result.errors.contains("'gzip' failed with status 1: gzip: stdin: unexpected end of file"))
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test func `a full page ends the program that unpacks, without a word from it`() throws {
    guard
      let bytes = try SystemProgram.run(
        "gzip", ["-c"], on: Array(("n\n" + String(repeating: "1234\n", count: 400_000)).utf8))
    else { return }
    let file = try TemporaryFile(bytes)
    for script in ["\"$0\" \"$1\" -n 2 --to csv", "cat \"$1\" | \"$0\" -n 2 --to csv"] {
      let result = try shell(script, file: file)
      #expect(result.status == 0 && result.output == "n\n1234\n1234\n" && result.errors.isEmpty)
    }
    let gone = try shell("\"$0\" \"$1\" --to csv | head -n 1", file: file)
    #expect(gone.output == "n\n" && gone.errors.isEmpty)
  }

  @Test func `compressed input is sorted, from a file and from a pipe`() throws {
    guard let bytes = try SystemProgram.run("gzip", ["-c"], on: Array("n\n2\n10\n1\n".utf8)) else { return }
    let file = try TemporaryFile(bytes, ending: ".csv.gz")
    for options in ["--limit 9", ""] {
      for script in ["\"$0\" \"$1\" -s n --to csv \(options)", "cat \"$1\" | \"$0\" -s n --to csv \(options)"] {
        #expect(try shell(script, file: file).output == "n\n1\n2\n10\n")
      }
    }
  }

  @Test func `an encoding that nobody knows is a usage error`() throws {
    let result = try run(["--encoding", "nosuch"], on: "a\n1\n")
    #expect(result.status == 2)
    #expect(
      result.errors
        == "pagecat: invalid value 'nosuch' for '--encoding'; expected an encoding that this system knows; see 'iconv -l'\n"
    )
  }

  @Test func `UTF-16 without a mark says so, and how to read it`() throws {
    let text = "a\0,\0b\0\n\0"
    let result = try run([], on: text)
    #expect(result.status == 3)
    #expect(
      result.errors.hasSuffix(
        "looks like UTF-16 without a byte order mark, and UTF-8 was expected; try --encoding UTF-16LE\n"))
    #expect(try run(["--encoding", "UTF-16LE", "--to", "csv"], on: text + "1\0,\0" + "2\0\n\0").output == "a,b\n1,2\n")
  }

  @Test func `damage in encoded text names the line of the text and the byte of the file`() throws {
    var runner = ProcessRunner.pagecat()
    runner.workingDirectory = "/"
    let bytes: [UInt8] = [0xFF, 0xFE, 0x61, 0, 0x0A, 0, 0x62, 0, 0x0A, 0, 0x63, 0, 0x3D, 0xD8, 0x64, 0, 0x0A, 0]
    let result = try runner.run(["--to", "csv"], input: .bytes(bytes))
    #expect(result.status == 3)
    #expect(result.output == "a\nb\n")
    #expect(result.errors == "pagecat: standard input: line 3, column 2, byte 12: bytes that are no text in UTF-16LE\n")
  }

  @Test func `the array of records by its path`() throws {
    let text = "{\"meta\":{\"ids\":[1,2]},\"rows\":[{\"a\":1}]}"
    #expect(try run(["--to", "jsonl", "--records", "meta.ids"], on: text).output == "1\n2\n")
    #expect(try run(["--to", "jsonl", "--records", "."], on: text).output == text + "\n")
    let missing = try run(["--to", "jsonl", "--records", "meta.id"], on: text)
    #expect(missing.status == 2)
    #expect(missing.output.isEmpty)
    #expect(
      missing.errors == "pagecat: --records: standard input: no array at 'meta.id'; there are 'meta.ids', 'rows'\n")
    let elsewhere = try run(["--records", "a.b"], on: "{\"b\":[1],\"a\":[2],\"x\":{\"a\":{\"b\":[3]}}}")
    #expect(elsewhere.status == 2 && elsewhere.output.isEmpty)
    #expect(elsewhere.errors.contains("no array at 'a.b'; there are 'b', 'a', 'x.a.b'"), "\(elsewhere.errors)")
    #expect(try run(["--records", "a..b"], on: text).status == 2)
    #expect(try run(["--records", "b", "--to", "jsonl"], on: "{\"a\":tru}").status == 3)
  }

  @Test func `damaged lines are left out, counted, and told by the status`() throws {
    let text = "{\"a\":1}\n{\"a\":\n{\"a\":3}\n{\"a\":x}\n{\"a\":2}\n"
    for options in [[], ["--sort", "a"], ["--sort", "a", "--limit", "5"]] {
      let result = try run(["--to", "csv", "--on-error", "skip"] + options, on: text)
      #expect(result.status == 4)
      #expect(result.output == (options.isEmpty ? "a\n1\n3\n2\n" : "a\n1\n2\n3\n"))
      #expect(
        result.errors
          == "pagecat: standard input: line 4, column 1, byte 22: expected ',' or '}' after a value; 2 damaged records left out\n"
      )
    }
    #expect(try run(["--count", "--on-error", "skip"], on: text).output == "3\n")
    #expect(try run(["--count", "--on-error", "skip"], on: text).status == 4)
    // 4 before 1, and 3 before 4.
    #expect(try run(["--on-error", "skip", "--filter", "a == 9"], on: text).status == 4)
    #expect(try run(["--on-error", "skip", "--to", "jsonl"], on: "[{\"a\":x},\"").status == 3)
    #expect(try run(["--on-error", "skip", "--quiet"], on: text).errors.isEmpty)
    // Where the page ends before the damage, none was read.
    #expect(try run(["--on-error", "skip", "--to", "jsonl", "-n", "1"], on: text).output == "{\"a\":1}\n")
    #expect(try run(["--to", "jsonl"], on: text).status == 3)
    #expect(try run(["--on-error", "stop", "--to", "jsonl"], on: text).status == 3)
  }

  @Test func `an open quote in CSV cannot be left out`() throws {
    let result = try run(["--on-error", "skip", "--to", "csv"], on: "a\n1\n\"2\n3\n")
    #expect(result.status == 3)
    #expect(result.errors.contains("line 3, column 1, byte 4"))
  }

  @Test(arguments: [("64K", true), ("1m", false), ("1G", false), ("70000", true)])
  func `a record may be as large as --memory`(_ size: String, _ isError: Bool) throws {
    let text = "a\n1\n\(String(repeating: "x", count: 100_000))\n"
    let result = try run(["--to", "csv", "--memory", size], on: text)
    #expect(result.status == (isError ? 3 : 0))
    if isError { #expect(result.errors.contains("record 2 (line 3, column 1, byte 4): a record is larger than")) }
  }

  @Test(arguments: ["", "K", "0", "-1", "1T", "1.5G", "99999999999G", "lots"])
  func `sizes that are none`(_ size: String) throws {
    #expect(try run(["--memory", size], on: "a\n").status == 2)
  }

  @Test func `a bomb costs no memory`() throws {
    // A gigabyte of one record in a few kilobytes; the address space that is allowed holds a part of it only.
    guard SystemProgram.path("zstd") != nil else { return }
    let file = try TemporaryFile(Array("a\n".utf8))
    let result = try shell(
      "(cat \"$1\"; head -c 1000000000 /dev/zero) | zstd -cq | \"$0\" --memory 16M --to csv", file: file)
    #expect(result.status == 3)
    #expect(result.errors.contains("record 1 (line 2, column 1, byte 2): a record is larger than 16777216 bytes"))
  }
}
