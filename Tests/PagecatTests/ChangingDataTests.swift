// Data that is written to while the built program prints it: the commands of --each change the file, so that it happens at
// the same place each time; nothing is lost, nothing done twice, and what is wrong is said with its place.

import Glibc
import TestSupport
import Testing

struct ChangingDataTests {
  private let folder: TemporaryFolder
  private let runner = ProcessRunner.pagecat()

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Records of a hundred bytes, many times what is read at first.
  private func text(_ range: Range<Int>, head: Bool = true) -> String {
    (head ? "id,text\n" : "")
      + range.map { number in
        String(repeating: "0", count: 8 - String(number).utf8.count) + "\(number)," + String(repeating: "x", count: 90)
          + "\n"
      }.joined()
  }

  private func each(_ data: String, _ first: String, _ more: [String] = []) throws -> ProcessResult {
    let command = "if [ $PAGECAT_PAGE = 1 ]; then \(first); fi; cut -d, -f1"
    return try runner.run(
      [data, "--limit", "500", "--to", "csv", "--no-heading", "--columns", "id", "--each", command] + more)
  }

  private func ids(_ range: Range<Int>) -> String {
    range.map { String(repeating: "0", count: 8 - String($0).utf8.count) + "\($0)\n" }.joined()
  }

  @Test func `a file that is cut ends the pages where it ends`() throws {
    let data = try folder.write(text(0..<20_000), to: "a.csv")
    let result = try each(data, "truncate -s 1000008 '\(data)'")
    #expect(result.status == 3)
    #expect(result.output == ids(0..<10_000))
    #expect(
      result.errors
        == "pagecat: \(data): line 10002, column 1, byte 1000008: the file became shorter while it was read, and ends here now\n"
    )
  }

  @Test func `the position stays behind the last page of a file that was cut`() throws {
    let data = try folder.write(text(0..<20_000), to: "a.csv")
    let position = folder.file("p")
    let cut = try each(
      data, "truncate -s 1000008 '\(data)'", ["--resume", position])
    #expect(cut.status == 3 && cut.output == ids(0..<10_000))
    let kept = folder.text("p")
    #expect(kept?.contains("\nrows=10000\n") == true)
    // The file as it is now is another one.
    let stale = try each(data, "true", ["--resume", position])
    #expect(stale.status == 5 && stale.output.isEmpty && stale.errors.contains("has become shorter"))
    #expect(folder.text("p") == kept)
    // Whole again, it goes on behind that page.
    try folder.write(text(0..<20_000), to: "a.csv")
    #expect(try each(data, "true", ["--resume", position]).output == ids(10_000..<20_000))
  }

  @Test func `what a command appends is a page of its own run`() throws {
    let data = try folder.write(text(0..<20_000), to: "a.csv")
    let more = try folder.write(text(20_000..<20_700, head: false), to: "more")
    let result = try each(data, "cat '\(more)' >> '\(data)'", ["--resume", folder.file("p")])
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(result.output == ids(0..<20_700))
    // And not once more in the next.
    let next = try each(data, "true", ["--resume", folder.file("p")])
    #expect(next.status == 1 && next.output.isEmpty)
  }

  @Test func `a file that takes the place of another is for the next run`() throws {
    let data = try folder.write(text(0..<20_000), to: "a.csv")
    let other = try folder.write(text(50_000..<50_010), to: "other")
    let result = try each(data, "mv '\(other)' '\(data)'")
    #expect(result.status == 0 && result.output == ids(0..<20_000))
    #expect(try each(data, "true").output == ids(50_000..<50_010))
  }

  @Test func `a file that is written anew is an error`() throws {
    let data = try folder.write(text(0..<20_000), to: "a.csv")
    let other = try folder.write(text(50_000..<80_000), to: "other")
    let result = try each(data, "dd if='\(other)' of='\(data)' conv=notrunc 2> '\(data).log'")
    #expect(result.status == 3)
    // What was noted of the rows before it comes first.
    #expect(result.errors.hasSuffix("pagecat: \(data): the file was written anew while it was read\n"))
    #expect(result.output.hasPrefix(ids(0..<500)))
  }

  @Test func `rows that a slow reader has got stay when the file is cut`() throws {
    let data = try folder.write(text(0..<20_000), to: "a.csv")
    // The reader takes a page, cuts the file, and goes on.
    let script =
      "{ \"$0\" \"$1\" --to csv; echo \"status $?\" >&2; }"
      + " | { head -c 3008; truncate -s 1000008 \"$1\"; cat; }"
    let result = try ProcessRunner(program: "/bin/sh").run(["-c", script, runner.program, data])
    #expect(result.output == text(0..<10_000))
    #expect(result.errors.contains("became shorter") && result.errors.hasSuffix("status 3\n"))
  }
}
