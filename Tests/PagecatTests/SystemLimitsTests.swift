// What the system allows no more of: sizes of files, open files, names, room on a disk. What cannot be done with less is an
// error for people with exit status 3 that comes in time, never a signal.

import TestSupport
import Testing

struct SystemLimitsTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Runs a script in a shell, where `"$0"` is the built program, in the folder.
  private func shell(_ script: String) throws -> ProcessResult {
    var runner = ProcessRunner(program: "/bin/bash")
    runner.workingDirectory = folder.path
    runner.environment["TMPDIR"] = folder.path
    return try runner.run(["-c", script, BuiltProducts.directory + "/pagecat"])
  }

  // MARK: The size of files (ulimit -f)

  @Test func `output beyond the largest size of a file is an error`() throws {
    try folder.write("a\n" + String(repeating: "12345678\n", count: 10_000), to: "a.csv")
    let result = try shell("ulimit -f 8; exec \"$0\" a.csv --to csv > out")
    #expect(result.status == 3)
    #expect(result.errors == "pagecat: cannot write to standard output: File too large\n")
  }

  @Test func `a sorted run beyond the largest size of a file is an error`() throws {
    try folder.write("a\n" + (0..<20_000).map { "text \($0 * 7919 % 20_000)\n" }.joined(), to: "a.csv")
    let result = try shell("ulimit -f 8; \"$0\" a.csv --to csv --sort a --memory 64K | cat; exit ${PIPESTATUS[0]}")
    #expect(result.status == 3 && result.output.isEmpty)
    #expect(result.errors == "pagecat: a temporary file (see TMPDIR): cannot write it: File too large\n")
  }

  @Test func `a position beyond the largest size of a file is an error`() throws {
    try folder.write("a\n1\n2\n", to: "a.csv")
    let result = try shell("ulimit -f 0; exec \"$0\" a.csv --to csv --limit 1 --resume p")
    #expect(result.status == 3)
    #expect(result.errors == "pagecat: --resume: cannot write p: File too large\n")
    #expect(folder.names == ["a.csv"])
  }

  @Test func `commands and decompressors end by the signal as ever`() throws {
    try folder.write("a\n1\n", to: "a.csv")
    let writing = "exec head -c 100000 /dev/zero > big"
    let result = try shell("ulimit -f 8; exec \"$0\" a.csv --each '\(writing)'")
    // SIGXFSZ.
    #expect(result.errors == "pagecat: --each: the command was ended on page 1 by signal 25\n")
    #expect(result.status == 128 + 25)
  }

  // MARK: Room for a position (--resume)

  @Test(arguments: ["missing/p", ".", "p/", "a.csv/p"])
  func `what is no place for a position is said before a row`(_ place: String) throws {
    try folder.write("a\n1\n2\n", to: "a.csv")
    let result = try shell("exec \"$0\" a.csv --to csv --limit 1 --resume '\(place)'")
    #expect(result.status == 3 && result.output.isEmpty)
    #expect(result.errors.hasPrefix("pagecat: --resume: cannot "))
    #expect(folder.names == ["a.csv"])
  }

  @Test func `a full disk is said before a row is printed or a command run`() throws {
    try folder.write("a\n1\n2\n", to: "a.csv")
    // A mount that only this script sees; where it may make none, there is nothing to try.
    let script = """
      unshare --mount bash -c '
        mkdir full
        mount -t tmpfs -o size=64k none full || exit 99
        dd if=/dev/zero of=full/rest bs=4k 2> /dev/null
        "$0" a.csv --to csv --limit 1 --resume full/p $1; status=$?
        ls full
        exit $status' "$0"
      """
    for command in ["", "--each=cat"] {
      let result = try shell("\(script) \(command) || { status=$?; rmdir full 2> /dev/null; exit $status; }")
      if result.status == 99 || result.errors.contains("unshare") { return }
      #expect(result.status == 3)
      #expect(result.output == "rest\n")
      #expect(result.errors == "pagecat: --resume: cannot write full/p: No space left on device\n")
    }
  }

  @Test func `a name as long as names may be holds a position`() throws {
    try folder.write("a\n1\n2\n", to: "a.csv")
    let name = String(repeating: "x", count: 255)
    for row in ["1", "2"] {
      let result = try shell("exec \"$0\" a.csv --to csv --no-heading --limit 1 --resume \(name)")
      #expect(result.status == 0 && result.output == row + "\n" && result.errors.isEmpty)
    }
    #expect(folder.names == ["a.csv", name])
  }

  @Test func `a name that is no UTF-8 is the name of the position`() throws {
    try folder.write("a\n1\n2\n", to: "a.csv")
    let result = try shell("\"$0\" a.csv --to csv --limit 1 --resume $'\\xff' > /dev/null && rm $'\\xff'")
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(folder.names == ["a.csv"])
  }

  @Test func `a FIFO is refused for a position and not waited for`() throws {
    let result = try shell("mkfifo f; timeout 30 \"$0\" f --resume p")
    #expect(result.status == 2)
    #expect(result.errors == "pagecat: --resume needs files, and f is none\n")
    #expect(folder.names == ["f"])
  }

  // MARK: Files

  @Test func `more files than may be open at first are read`() throws {
    let result = try shell(
      "ulimit -S -n 64; for i in {1..200}; do echo $'a\\n'$i > $i.csv; done; exec \"$0\" *.csv --count")
    #expect(result.output == "200\n" && result.errors.isEmpty)
    #expect(result.status == 0)
  }

  @Test func `an empty name is seen in the message`() throws {
    let result = try shell("exec \"$0\" ''")
    #expect(result.status == 3)
    #expect(result.errors == "pagecat: '': cannot open it: No such file or directory\n")
  }
}
