// --each: every page to a run of a command, in order, until one fails.

import Glibc
import TestSupport
import Testing

struct EachTests {
  private let folder: TemporaryFolder
  private let data: String

  init() throws {
    folder = try TemporaryFolder()
    data = try folder.write("id,name\n" + (1...5).map { "\($0),n\($0)\n" }.joined(), to: "a.csv")
  }

  private func run(_ arguments: [String]) throws -> ProcessResult {
    try ProcessRunner.pagecat().run([data] + arguments)
  }

  @Test func `every page is a document with its place in the environment`() throws {
    let command = "echo \"$PAGECAT_PAGE $PAGECAT_OFFSET $PAGECAT_ROWS\"; cat"
    let result = try run(["--limit", "2", "--to", "csv", "--each", command])
    #expect(
      result.output
        == "1 0 2\nid,name\n1,n1\n2,n2\n2 2 2\nid,name\n3,n3\n4,n4\n3 4 1\nid,name\n5,n5\n")
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(
      try run(["--limit", "2", "--page", "2", "--to", "csv", "--no-heading", "--each", command]).output
        == "2 2 2\n3,n3\n4,n4\n")
    #expect(
      try run(["--offset", "4", "--to", "json", "--each", command]).output
        == "1 4 1\n[\n{\"id\":5,\"name\":\"n5\"}\n]\n")
  }

  @Test func `the first failure ends the run with its status`() throws {
    let failed = try run(["--limit", "2", "--to", "csv", "--each", "cat; test $PAGECAT_PAGE != 2 || exit 7"])
    #expect(failed.output == "id,name\n1,n1\n2,n2\nid,name\n3,n3\n4,n4\n")
    #expect(failed.status == 7)
    #expect(failed.errors == "pagecat: --each: the command failed on page 2 with status 7\n")
    let killed = try run(["--limit", "2", "--each", "kill -TERM $$"])
    #expect(killed.status == 128 + SIGTERM)
    #expect(killed.errors == "pagecat: --each: the command was ended on page 1 by signal 15\n")
    #expect(try run(["--each", "/no/such/command"]).status == 127)
  }

  @Test func `a command that does not read is as good as any`() throws {
    let large = try folder.write(
      "a\n" + String(repeating: String(repeating: "x", count: 1000) + "\n", count: 2000), to: "l.csv")
    let result = try ProcessRunner.pagecat().run([large, "--limit", "1000", "--to", "csv", "--each", "true"])
    #expect(result.status == 0 && result.errors.isEmpty)
  }

  @Test func `a page is made for a pipe on a terminal too`() throws {
    let long = String(repeating: "x", count: 200)
    let wide = try folder.write("id,name\n1,\(long)\n2,\u{1B}[2J\n", to: "w.csv")
    let (arguments, piped) = (["--each", "cat > '\(folder.path)/e.txt'"], ["--each", "cat"])
    let pager = try PagerSession([wide] + arguments)
    #expect(try pager.session.waitForEnd() == 0)
    let text = try #require(folder.text("e.txt"))
    #expect(text == (try ProcessRunner.pagecat().run([wide] + piped).output))
    #expect(text.hasPrefix("id  name\n") && text.contains(long))
  }

  @Test func `without a row no command is run`() throws {
    #expect(try run(["--filter", "id > 9", "--each", "echo"]).status == 1)
    #expect(try run(["--page", "9", "--each", "echo"]).output.isEmpty)
    let empty = try folder.write("", to: "e.csv")
    let result = try ProcessRunner.pagecat().run([empty, "--each", "echo"])
    #expect(result.status == 0 && result.output.isEmpty)
  }

  @Test func `pages before damage are done, then it is an error`() throws {
    let damaged = try folder.write("{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n{]\n", to: "d.jsonl")
    let result = try ProcessRunner.pagecat().run([damaged, "--limit", "2", "--to", "jsonl", "--each", "cat"])
    #expect(result.output == "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n")
    #expect(result.status == 3)
  }

  @Test(arguments: [["--count"], ["--limit", "0"]])
  func `what does not go together is a usage error`(_ arguments: [String]) throws {
    #expect(try run(arguments + ["--each", "cat"]).status == 2)
    #expect(try run(arguments + ["--resume", folder.file("p")]).status == 2)
    #expect(folder.text("p") == nil)
  }

  @Test func `a signal ends the loop by that signal`() throws {
    // The shell's own number is the parent of the command's.
    let result = try run(["--limit", "1", "--each", "kill -TERM $PPID"])
    #expect(result.status == 128 + SIGTERM)
  }
}
