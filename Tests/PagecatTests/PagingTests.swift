// Printing to readers that sleep, keep up or go: no more is read than the margin asks, and what is wrong further on is not
// the business of a reader who has not come there.

import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

struct PagingTests {
  private let folder: TemporaryFolder
  private let pagecat = BuiltProducts.directory + "/pagecat"

  init() throws {
    folder = try TemporaryFolder()
  }

  private func shell(_ script: String, _ arguments: [String]) throws -> ProcessResult {
    try ProcessRunner(program: "/bin/sh").run(["-c", script] + arguments)
  }

  /// A program that runs on a thread of its own, because the test waits for it in between.
  private final class Running: Sendable {
    private let outcome = Mutex<Result<ProcessResult, any Error>?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () throws -> ProcessResult) {
      DispatchQueue(label: "running").async { [self] in
        let result = Result { try body() }
        outcome.withLock { $0 = result }
        ended.signal()
      }
    }

    func result() throws -> ProcessResult {
      ended.wait()
      return try outcome.withLock { $0 }?.get() ?? ProcessResult()
    }
  }

  /// Writes as much as is taken, until nothing is for a while; the number of bytes.
  private func feed(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>, patience: Int32) -> Int {
    var done = 0
    while done < bytes.count {
      var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard unsafe poll(&request, 1, patience) > 0 else { break }
      let put = unsafe bytes.dropFirst(done).withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      if put > 0 { done += put } else if errno != EAGAIN { break }
    }
    return done
  }

  @Test func `while the reader sleeps no more is read than the margin asks`() throws {
    let source = folder.file("source")
    let gate = folder.file("gate")
    try #require(unsafe mkfifo(source, 0o600) == 0 && mkfifo(gate, 0o600) == 0)
    let writing = unsafe open(source, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    let rows = (0..<60_000).map { "\($0),\(String(repeating: "x", count: 90))\n" }
    let bytes = Array(("id,text\n" + rows.joined()).utf8)
    // The reader takes some bytes, sleeps until the gate opens, and takes the rest.
    let script = "\"$0\" \"$1\" --to csv --stats | { head -c 1000; read line < \"$2\"; cat; }"
    let running = Running { try shell(script, [pagecat, source, gate]) }
    // The wait can only make this pass too easily, never fail.
    let before = feed(writing, bytes[...], patience: 1000)
    // Two pipes, a page with its margin, and what is read at a time.
    #expect(before < 600_000)
    #expect(before > 0)
    let opening = unsafe open(gate, O_RDWR | O_CLOEXEC)
    _ = unsafe write(opening, "go\n", 3)
    let after = feed(writing, bytes[before...], patience: 30_000)
    #expect(before + after == bytes.count)
    close(writing)
    let finished = try running.result()
    close(opening)
    #expect(finished.standardOutput == bytes)
    #expect(finished.errors.contains("pagecat: read: \(bytes.count) bytes, 60000 records"))
  }

  @Test func `a large margin is read while the reader sleeps`() throws {
    let source = folder.file("source")
    let gate = folder.file("gate")
    try #require(unsafe mkfifo(source, 0o600) == 0 && mkfifo(gate, 0o600) == 0)
    let writing = unsafe open(source, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    let row = String(repeating: "x", count: 99) + "\n"
    let bytes = Array(("text\n" + String(repeating: row, count: 30_000)).utf8)
    let script = "\"$0\" \"$1\" --to csv --margin 20000 | { head -c 1000; read line < \"$2\"; cat; }"
    let running = Running { try shell(script, [pagecat, source, gate]) }
    let before = feed(writing, bytes[..<2_000_000], patience: 30_000)
    #expect(before == 2_000_000)
    let opening = unsafe open(gate, O_RDWR | O_CLOEXEC)
    _ = unsafe write(opening, "go\n", 3)
    let after = feed(writing, bytes[before...], patience: 30_000)
    #expect(before + after == bytes.count)
    close(writing)
    #expect(try running.result().standardOutput == bytes)
    close(opening)
  }

  /// A reader that takes much as fast as it comes, and then sleeps.
  @Test func `what is ahead of a reader that kept up is bounded`() throws {
    let source = folder.file("source")
    let gate = folder.file("gate")
    try #require(unsafe mkfifo(source, 0o600) == 0 && mkfifo(gate, 0o600) == 0)
    let writing = unsafe open(source, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    let row = String(repeating: "x", count: 99) + "\n"
    let bytes = Array(("text\n" + String(repeating: row, count: 80_000)).utf8)
    let taken = 4_000_000
    let script = "\"$0\" \"$1\" --to csv --stats | { head -c \(taken); read line < \"$2\"; cat; }"
    let running = Running { try shell(script, [pagecat, source, gate]) }
    var before = feed(writing, bytes[..<taken], patience: 30_000)
    #expect(before == taken)
    // The wait can only make this pass too easily, never fail.
    before += feed(writing, bytes[before...], patience: 2000)
    #expect(before < taken + 1_500_000)
    let opening = unsafe open(gate, O_RDWR | O_CLOEXEC)
    _ = unsafe write(opening, "go\n", 3)
    let after = feed(writing, bytes[before...], patience: 30_000)
    #expect(before + after == bytes.count)
    close(writing)
    let finished = try running.result()
    close(opening)
    #expect(finished.standardOutput == bytes)
    #expect(finished.errors.contains("pagecat: read: \(bytes.count) bytes, 80000 records"))
  }

  @Test(arguments: [[], ["--sort", "id:desc"], ["--filter", "id > 100"], ["--limit", "7", "--all"]])
  func `a long result in a pipe is that in a file`(_ arguments: [String]) throws {
    let data = try folder.write(
      "id,text\n" + (0..<150_000).map { "\($0),\(String(repeating: "x", count: $0 % 60))\n" }.joined(), to: "a.csv")
    for format in ["csv", "table"] {
      let all = [pagecat, data, "--to", format] + arguments
      let piped = try shell("\"$0\" \"$@\" | cat", all)
      _ = try shell("\"$0\" \"$@\" > \"\(folder.file("out"))\"", all)
      #expect(folder.text("out").map { piped.output == $0 } == true, "\(format)")
      #expect(piped.output.utf8.count > 4_000_000)
    }
  }

  @Test func `pages are counted whichever way they go`() throws {
    let data = try folder.write("id\n" + (0..<150_000).map { "\($0)\n" }.joined(), to: "a.csv")
    for reader in ["cat", "{ head -c 300000; cat; }"] {
      let result = try shell("\"$0\" \"$1\" --stats --to csv | \(reader) > /dev/null", [pagecat, data])
      let numbers = result.errors.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
      try #require(numbers.count == 6)
      // Bytes, records; pages fetched, ready, late. The page that first rows at hand end in is begun twice.
      #expect(numbers[1] == 150_000)
      #expect((7500...7502).contains(numbers[2]), "\(result.errors)")
      #expect(numbers[3] + numbers[4] < numbers[2] && numbers[3] + numbers[4] > 7000, "\(result.errors)")
    }
  }

  @Test func `damage far behind is told after all rows before it`() throws {
    let text = (0..<60_000).map { "{\"a\":\($0),\"b\":\"\(String(repeating: "y", count: 40))\"}\n" }.joined()
    let data = try folder.write(text + "{]\n", to: "a.jsonl")
    let read = try shell("{ \"$0\" \"$1\" --to jsonl; echo \"status $?\" >&2; } | cat", [pagecat, data])
    #expect(read.output == text)
    #expect(read.errors.contains("record 60001") && read.errors.hasSuffix("status 3\n"))
  }

  @Test func `the position moves with rows that a quick reader takes`() throws {
    let data = try folder.write("id\n" + (0..<50_000).map { "\($0)\n" }.joined(), to: "a.csv")
    let script = "\"$0\" \"$1\" --to csv --no-heading --all --resume \"$2\" | cat"
    let first = try shell(script, [pagecat, data, folder.file("p")])
    #expect(first.output.split(separator: "\n").count == 50_000 && first.errors.isEmpty)
    try folder.write("50000\n", to: "a.csv", appends: true)
    #expect(try shell(script, [pagecat, data, folder.file("p")]).output == "50000\n")
  }

  @Test(arguments: ["csv", "table", "json"])
  func `pipes and files get the same bytes`(_ format: String) throws {
    let data = try folder.write(
      "id,text\n" + (0..<5000).map { "\($0),\(String(repeating: "x", count: $0 % 97))\n" }.joined(), to: "a.csv")
    let piped = try shell("\"$0\" \"$1\" --to \"$2\" | cat", [pagecat, data, format])
    _ = try shell("\"$0\" \"$1\" --to \"$2\" > \"$3\"", [pagecat, data, format, folder.file("out")])
    #expect(piped.output == folder.text("out"))
    #expect(piped.output.split(separator: "\n").count > 5000)
  }

  @Test func `rows of an open pipe come as they come`() throws {
    let source = folder.file("source")
    try #require(unsafe mkfifo(source, 0o600) == 0)
    let writing = unsafe open(source, O_RDWR | O_CLOEXEC)
    // The writer goes on only when the reader has seen the row before.
    let seen = folder.file("seen")
    try #require(unsafe mkfifo(seen, 0o600) == 0)
    let reading = unsafe open(seen, O_RDWR | O_CLOEXEC)
    let script =
      "\"$0\" \"$1\" --limit 1 --all --to csv --no-heading | while read line; do echo \"$line\" > \"$2\"; done"
    let running = Running { try shell(script, [pagecat, source, seen]) }
    func write(_ text: String) { _ = unsafe Glibc.write(writing, text, text.utf8.count) }
    write("id\n")
    var buffer = [UInt8](repeating: 0, count: 100)
    for row in 1...5 {
      write("\(row)\n")
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(reading, $0.baseAddress, $0.count) }
      #expect(String(decoding: buffer[..<max(0, count)], as: UTF8.self) == "\(row)\n")
    }
    close(writing)
    #expect(try running.result().status == 0)
    close(reading)
  }

  @Test func `damage is nothing to a reader who goes before it`() throws {
    let data = try folder.write((1...30).map { "{\"a\":\($0)}\n" }.joined() + "{]\n", to: "a.jsonl")
    // The status of the program itself, which the shell would show only for the last one of a pipeline.
    let script = "{ \"$0\" \"$1\" --to jsonl; echo \"status $?\" >&2; } | head -n 2"
    let gone = try shell(script, [pagecat, data])
    #expect(gone.output == "{\"a\":1}\n{\"a\":2}\n")
    #expect(gone.errors == "status 141\n")
    let read = try shell("{ \"$0\" \"$1\" --to jsonl; echo \"status $?\" >&2; } | cat", [pagecat, data])
    #expect(read.output.split(separator: "\n").count == 30)
    #expect(read.errors.contains("record 31") && read.errors.hasSuffix("status 3\n"))
  }

  @Test(arguments: [
    "-1", "x", "", " ", "1.5", "1e3", "0x10", "1_000", "1,000", "٣", "-0", "9223372036854775808",
    "99999999999999999999999999", "-9223372036854775808",
  ])
  func `numbers of rows are checked`(_ text: String) throws {
    let data = try folder.write("id\n1\n", to: "a.csv")
    for option in ["--limit", "--page", "--offset", "--margin"] {
      let result = try ProcessRunner.pagecat().run([data, "\(option)=\(text)"])
      #expect(result.status == 2 && result.output.isEmpty, "\(option)")
      #expect(result.errors.contains(option), "\(option)")
    }
    #expect(try ProcessRunner.pagecat().run([data, "--page", "0"]).status == 2)
    #expect(try ProcessRunner.pagecat().run([data, "--margin", "0"]).output == "id\n 1\n")
  }

  /// As large as numbers go, in every combination that adds or multiplies them.
  @Test(arguments: [[], ["--sort", "id:desc"], ["--filter", "id > 1"], ["--all"], ["--each", "cat"], ["--stats"]])
  func `the largest numbers are as good as any`(_ more: [String]) throws {
    let data = try folder.write("id\n" + (1...50).map { "\($0)\n" }.joined(), to: "a.csv")
    let most = "9223372036854775807"
    func run(_ arguments: [String]) throws -> ProcessResult {
      try ProcessRunner.pagecat().run([data, "--to", "csv", "--no-heading"] + more + arguments)
    }
    let all = try run([]).output
    #expect(all.split(separator: "\n").count >= 49)
    #expect(try run(["--limit", most]).output == all)
    #expect(try run(["--margin", most]).output == all)
    #expect(try run(["--limit", most, "--margin", most]).output == all)
    #expect(try run(["--limit", "1", "--margin", most, "--offset", "48"]).status == 0)
    for beyond in [
      ["--offset", most], ["--page", most], ["--page", most, "--limit", most], ["--page", "2", "--limit", most],
      ["--page", most, "--limit", most, "--offset", most, "--margin", most],
    ] where more != ["--all"] || !beyond.contains("--page") {
      let result = try run(beyond)
      #expect(result.status == 1 && result.output.isEmpty, "\(beyond)")
    }
  }

  /// Signals come while runs are in the temporary file; the shell gives its number to the program, which gets the signal.
  @Test(arguments: [("INT", SIGINT), ("TERM", SIGTERM), ("HUP", SIGHUP)])
  func `a signal ends a sort and leaves no file`(_ name: String, _ number: Int32) throws {
    let source = folder.file("source")
    let gate = folder.file("gate")
    let temporary = try TemporaryFolder()
    try #require(unsafe mkfifo(source, 0o600) == 0 && mkfifo(gate, 0o600) == 0)
    let writing = unsafe open(source, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    let opening = unsafe open(gate, O_RDWR | O_CLOEXEC)
    defer {
      close(writing)
      close(opening)
    }
    let script = "(read line < \"$2\"; kill -\(name) $$) & exec \"$0\" \"$1\" --sort text --memory 100K"
    var runner = ProcessRunner(program: "/bin/sh")
    runner.environment["TMPDIR"] = temporary.path
    let (shell, program) = (runner, pagecat)
    let running = Running { try shell.run(["-c", script, program, source, gate]) }
    let text = "id,text\n" + (0..<20_000).map { "\($0),\($0 % 97) \(String(repeating: "x", count: 60))\n" }.joined()
    let bytes = Array(text.utf8)
    // All of it is taken: what a pipe does not hold is in runs.
    #expect(feed(writing, bytes[...], patience: 30_000) == bytes.count)
    _ = unsafe write(opening, "go\n", 3)
    let result = try running.result()
    #expect(result.status == 128 + number && result.output.isEmpty && result.errors.isEmpty)
    #expect(temporary.names.isEmpty)
  }
}
