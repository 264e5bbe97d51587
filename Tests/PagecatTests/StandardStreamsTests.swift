// The standard streams as a shell may leave them: closed, full, slow, with nobody at the other end.

import Glibc
import TestSupport
import Testing

@testable import pagecat

struct StandardStreamsTests {
  /// Runs `script` in a shell, where `"$0"` is the built program.
  private func shell(_ script: String) throws -> ProcessResult {
    var runner = ProcessRunner(program: "/bin/sh")
    runner.environment["PAGECAT_OPTIONS"] = "--bogus"
    return try runner.run(["-c", script, BuiltProducts.directory + "/pagecat"])
  }

  @Test(arguments: ["--help", "--version"])
  func `a full disk is an error`(_ option: String) throws {
    let result = try shell("\"$0\" \(option) > /dev/full")
    #expect(result.status == 3)
    #expect(result.errors == "pagecat: cannot write to standard output: No space left on device\n")
  }

  @Test func `a closed output is an error`() throws {
    let result = try shell("\"$0\" --help >&-")
    #expect(result.status == 3)
    #expect(result.errors == "pagecat: cannot write to standard output: Bad file descriptor\n")
  }

  @Test func `everything closed is no crash`() throws {
    #expect(try shell("\"$0\" --help <&- >&- 2>&-").status == 3)
    #expect(try shell("\"$0\" --bogus <&- >&- 2>&-").status == 2)
  }

  @Test func `a closed input does not matter to help`() throws {
    let result = try shell("\"$0\" --version <&-")
    #expect(result.status == 0)
    #expect(result.output == HelpText.version)
  }

  @Test func `a reader that is gone ends the program by SIGPIPE`() throws {
    var runner = ProcessRunner.pagecat()
    runner.isOutputRead = false
    let result = try runner.run(["--help"])
    #expect(result.status == 128 + SIGPIPE)
    #expect(result.errors.isEmpty)
  }

  @Test func `a parent that ignores SIGPIPE changes nothing`() throws {
    var runner = ProcessRunner(program: "/bin/sh")
    runner.isOutputRead = false
    let result = try runner.run(["-c", "trap '' PIPE; exec \"$0\" --help", BuiltProducts.directory + "/pagecat"])
    #expect(result.status == 128 + SIGPIPE)
    #expect(result.errors.isEmpty)
  }

  @Test func `an error that nobody reads is still the status`() throws {
    var runner = ProcessRunner.pagecat()
    runner.areErrorsRead = false
    #expect(try runner.run(["--bogus"]).status == 2)
  }

  @Test func `without a file a terminal gets a hint`() throws {
    let result = try ProcessRunner.pagecat().run(["--limit", "5"], input: .terminal)
    #expect(result.status == 2)
    #expect(
      result.errors
        == "pagecat: no FILE given, and standard input is a terminal; usage: \(HelpText.usage); see 'pagecat --help'\n")
  }

  @Test func `PAGECAT_OPTIONS is not read for a pipe`() throws {
    #expect(try !shell("\"$0\" --limit 5 </dev/null").errors.contains("PAGECAT_OPTIONS"))
  }

  @Test func `PAGECAT_OPTIONS is read for a terminal, after a request for help`() throws {
    var runner = ProcessRunner.pagecat()
    runner.isOutputTerminal = true
    runner.environment["PAGECAT_OPTIONS"] = "--bogus"
    let result = try runner.run(["--limit", "5"])
    #expect(result.status == 2)
    #expect(result.errors == "pagecat: PAGECAT_OPTIONS: unknown option '--bogus'; see 'pagecat --help'\n")
    #expect(try runner.run(["--version"]).output == "pagecat 0.1.0\r\n")
  }

  @Test func `a slow reader gets everything, also where writing does not block`() async throws {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    _ = fcntl(writing, F_SETFL, O_WRONLY | O_NONBLOCK)
    let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    let writer = Task.detached {
      defer { close(writing) }
      try OutputWriter(descriptor: writing).write(bytes.span)
    }
    #expect(readAll(reading) == bytes)
    try await writer.value
    close(reading)
  }

  @Test func `what cannot be written is said`() {
    #expect(throws: OutputError(code: EBADF)) { try OutputWriter(descriptor: -1).write("a") }
    #expect(throws: Never.self) { try OutputWriter(descriptor: -1).write("") }
    #expect(throws: Never.self) { try OutputWriter(descriptor: -1).close() }
  }
}

struct ProcessRunnerTests {
  @Test func `more than a pipe holds goes both ways at once`() throws {
    let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
    let result = try ProcessRunner(program: "/bin/cat").run([], input: .bytes(bytes))
    #expect(result.standardOutput == bytes)
    #expect(result.status == 0)
  }

  @Test func `a program that does not read its input is no problem`() throws {
    let bytes = [UInt8](repeating: 0x61, count: 1_000_000)
    #expect(try ProcessRunner(program: "/bin/sh").run(["-c", "exit 7"], input: .bytes(bytes)).status == 7)
  }

  @Test func `a program that hangs is killed`() throws {
    var runner = ProcessRunner(program: "/bin/sh")
    runner.timeLimit = 0
    let result = try runner.run(["-c", "exec sleep 600"])
    #expect(result.isTimedOut)
    #expect(result.status == 128 + SIGKILL)
  }

  @Test func `a program runs where it is told to`() throws {
    var runner = ProcessRunner(program: "/bin/pwd")
    runner.workingDirectory = "/"
    #expect(try runner.run([]).output == "/\n")
  }

  @Test func `a reader waits once it has taken all that was written`() throws {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe pipe(&ends) == 0)
    let output = OutputWriter(descriptor: ends[1])
    #expect(output.reader == .pipe)
    #expect(output.isReaderWaiting(.pipe))
    try output.write("abc")
    #expect(!output.isReaderWaiting(.pipe))
    var buffer = [UInt8](repeating: 0, count: 3)
    unsafe #expect(read(ends[0], &buffer, 2) == 2)
    #expect(!output.isReaderWaiting(.pipe))
    unsafe #expect(read(ends[0], &buffer, 2) == 1)
    #expect(output.isReaderWaiting(.pipe))
    for end in ends { close(end) }
    // Where nobody knows, the reader is taken to wait.
    let full = OutputWriter(descriptor: unsafe open("/dev/null", O_WRONLY))
    #expect(full.isReaderWaiting(.other))
    close(full.descriptor)
  }
}
