// --resume: page after page over several runs, nothing lost and nothing done twice, whatever happens in between.

import Glibc
import TestSupport
import Testing

struct ResumeTests {
  private let folder: TemporaryFolder
  private let runner = ProcessRunner.pagecat()

  init() throws {
    folder = try TemporaryFolder()
  }

  private func resume(_ files: [String], _ arguments: [String] = []) throws -> ProcessResult {
    try runner.run(files + ["--resume", folder.file("p"), "--no-heading"] + arguments)
  }

  /// The pages of as many runs as it takes.
  private func all(_ files: [String], _ arguments: [String]) throws -> (pages: [String], last: ProcessResult) {
    var pages: [String] = []
    while pages.count < 100 {
      let result = try resume(files, arguments)
      if result.status != 0 { return (pages, result) }
      pages.append(result.output)
    }
    throw Endless()
  }

  private struct Endless: Error {}

  static let forms: [(String, String)] = [
    ("a.csv", "id,k\n" + (1...7).map { "\($0),\"a\n\($0 % 3)\"\r\n" }.joined()),
    ("a.jsonl", (1...7).map { "{\"id\": \($0), \"k\": \($0 % 3)}\n" }.joined()),
    ("a.json", "[" + (1...7).map { "{\"id\": \($0), \"k\": \($0 % 3)}" }.joined(separator: ",\n") + "]"),
    (
      "v.json",
      "[{\"id\":1,\"k\":1},{\"id\":2,\"k\":2}] {\"id\":3,\"k\":0} [{\"id\":4,\"k\":1}] "
        + (5...7).map { "{\"id\":\($0),\"k\":\($0 % 3)}" }.joined()
    ),
    (
      "w.json",
      "{\"n\":1,\"rows\":{\"all\":[" + (1...7).map { "{\"id\":\($0),\"k\":\($0 % 3)}" }.joined(separator: " , ")
        + "]},\"z\":[1]}"
    ),
  ]

  @Test(arguments: forms, [[], ["--sort", "k:desc"], ["--filter", "id != 4"]])
  func `pages of all runs joined are the whole`(_ form: (String, String), arguments: [String]) throws {
    let file = try folder.write(form.1, to: form.0)
    let columns = ["--to", "csv", "--columns", "id"]
    let whole = try runner.run([file, "--no-heading", "--all"] + columns + arguments).output
    let (pages, last) = try all([file], ["--limit", "2"] + columns + arguments)
    #expect(pages.joined() == whole)
    #expect(pages.count == (whole.split(separator: "\n").count + 1) / 2)
    #expect(last.status == 1 && last.output.isEmpty)
    #expect(folder.names == [form.0, "p"].sorted())
  }

  @Test func `several files are one dataset`() throws {
    let files = try ["a.csv", "b.csv", "c.csv"].map { try folder.write("id\n\($0)1\n\($0)2\n\($0)3\n", to: $0) }
    let whole = try runner.run(files + ["--no-heading", "--to", "csv"]).output
    #expect(try all(files, ["--limit", "2", "--to", "csv"]).pages.joined() == whole)
  }

  @Test func `all that remain, and an offset only the first time`() throws {
    let file = try folder.write(Self.forms[1].1, to: "a.jsonl")
    let arguments = ["--to", "csv", "--columns", "id", "--offset", "1"]
    #expect(try resume([file], arguments + ["--limit", "2"]).output == "2\n3\n")
    #expect(try resume([file], arguments + ["--all"]).output == "4\n5\n6\n7\n")
    #expect(try resume([file], arguments + ["--all"]).status == 1)
  }

  @Test(arguments: [[], ["--sort", "id"], ["--filter", "id > 0"]])
  func `row numbers go on behind the offset and what was printed`(_ arguments: [String]) throws {
    let file = try folder.write("id\n" + (1...20).map { "\($0)\n" }.joined(), to: "a.csv")
    func numbers(_ command: String? = nil) throws -> String {
      let result = try runner.run(
        [file, "--offset", "2", "--limit", "5", "--resume", folder.file("p")] + arguments
          + (command.map { ["--each", $0] } ?? ["--to", "record"]))
      return result.output.split(separator: "\n").filter { command != nil || $0.hasPrefix("──") }.joined()
    }
    #expect(try numbers() == (3...7).map { "── record \($0) ──" }.joined())
    #expect(try numbers() == (8...12).map { "── record \($0) ──" }.joined())
    #expect(try numbers("echo \"$PAGECAT_PAGE:$PAGECAT_OFFSET;\"") == "3:12;4:17;")
  }

  @Test func `appended records are gone on with`() throws {
    let file = try folder.write("{\"a\":1}\n{\"a\":2}\n{\"a\":", to: "a.jsonl")
    let first = try resume([file], ["--to", "jsonl"])
    #expect(first.output == "{\"a\":1}\n{\"a\":2}\n" && first.status == 0)
    #expect(first.errors.contains("not complete yet"))
    #expect(try resume([file], ["--to", "jsonl"]).status == 1)
    try folder.write("3}\n{\"a\":4}\n", to: "a.jsonl", appends: true)
    #expect(try resume([file], ["--to", "jsonl"]).output == "{\"a\":3}\n{\"a\":4}\n")
  }

  static let unclosed: [(name: String, text: String, rest: String, arguments: [String], output: String)] = [
    ("a.json", "{\"a\":1", ",\"b\":2}", [], "{\"a\":1,\"b\":2}\n"),
    ("a.jsonl", "{\"a\":", "1}\n", [], "{\"a\":1}\n"),
    ("a.json", "[", "{\"a\":1}]", [], "{\"a\":1}\n"),
    ("a.json", "[{\"a\":", "1}]", [], "{\"a\":1}\n"),
    ("a.json", "{\"rows\":[{\"a\"", ":1}]}", [], "{\"a\":1}\n"),
    ("a.json", "\"ab", "c\"", [], "\"abc\"\n"),
    ("a.json", "tr", "ue", [], "true\n"),
    ("a.json", "{\"n\":0,\"ro", "ws\":[1]}", ["--records", "rows"], "1\n"),
    ("a.json", "{\"rows\":{\"all\":", "[{\"a\":1}]}}", ["--records", "rows.all"], "{\"a\":1}\n"),
    ("a.json", "{\"a\":[{\"b\":1}", "]}", ["--records", "."], "{\"a\":[{\"b\":1}]}\n"),
    ("a.json", "{\"a\":1", "}", ["--filter", "a == 1"], "{\"a\":1}\n"),
    ("a.json", "{\"a\":1", "}", ["--columns", "a"], "{\"a\":1}\n"),
  ]

  @Test(arguments: unclosed)
  func `a first run over nothing but a value that is not closed leaves it for the next`(
    _ row: (name: String, text: String, rest: String, arguments: [String], output: String)
  ) throws {
    let file = try folder.write(row.text, to: row.name)
    for _ in 0..<2 {
      let first = try resume([file], ["--to", "jsonl"] + row.arguments)
      #expect(first.status == 1 && first.output.isEmpty)
      #expect(
        first.errors.hasSuffix("pagecat: \(file): the last value is not complete yet, and left for the next run\n"))
      #expect(folder.text("p") == nil)
    }
    try folder.write(row.rest, to: row.name, appends: true)
    let second = try resume([file], ["--to", "jsonl"] + row.arguments)
    #expect(second.output == row.output && second.status == 0)
    #expect(try resume([file], ["--to", "jsonl"] + row.arguments).status == 1)
    // Without --resume it is damage.
    let damaged = try folder.write(row.text, to: "d.json")
    #expect(try runner.run([damaged] + row.arguments).status == 3)
  }

  @Test func `damage that more bytes do not mend is an error`() throws {
    let file = try folder.write("{\"a\":1}\n{\"a\":]\n", to: "a.jsonl")
    let result = try resume([file], ["--to", "jsonl"])
    #expect(result.output == "{\"a\":1}\n" && result.status == 3)
    // The row before it was printed, and is not printed again.
    #expect(try resume([file], ["--to", "jsonl"]).output.isEmpty)
  }

  @Test func `with a sort, appended records that order before are counted`() throws {
    let file = try folder.write("id\n5\n3\n9\n", to: "a.csv")
    #expect(try resume([file], ["--to", "csv", "--sort", "id", "--limit", "2"]).output == "3\n5\n")
    try folder.write("1\n5\n7\n", to: "a.csv", appends: true)
    let result = try resume([file], ["--to", "csv", "--sort", "id", "--limit", "9"])
    // The other 5 stands behind the first in the file.
    #expect(result.output == "5\n7\n9\n")
    #expect(result.errors.contains("1 record that was appended orders before the position, and not shown"))
  }

  @Test func `another dataset or another question is exit 5`() throws {
    let text = "id,k\n" + (1...2000).map { "\($0),k\n" }.joined()
    let file = try folder.write(text, to: "a.csv")
    let arguments = ["--limit", "1500", "--to", "csv"]
    #expect(try resume([file], arguments).status == 0)
    let position = try #require(folder.text("p"))
    func expectStale(_ result: ProcessResult, _ reason: String) {
      #expect(result.status == 5 && result.output.isEmpty)
      #expect(result.errors.contains(reason), "\(result.errors)")
      #expect(folder.text("p") == position)
    }
    expectStale(try resume([file], arguments + ["--filter", "id > 1"]), "it was made with no filter")
    expectStale(try resume([file], arguments + ["--sort", "id"]), "it was made with no filter")
    expectStale(try resume([file, file], arguments), "it was made with 1 file")
    try folder.write(String(text.dropLast(3000)), to: "a.csv")
    expectStale(try resume([file], arguments), "has become shorter")
    try folder.write("ix" + text.dropFirst(2), to: "a.csv")
    expectStale(try resume([file], arguments), "has changed at its beginning")
    try folder.write(text.replacing("\n1400,k", with: "\n1400,x"), to: "a.csv")
    expectStale(try resume([file], arguments), "has changed before the position")
    try folder.write(text.replacing("\n1500,k\n", with: "\n1500,kk"), to: "a.csv")
    expectStale(try resume([file], arguments), "the last record")
    try folder.write(text, to: "a.csv")
    #expect(try resume([file], arguments).output.hasPrefix("1501,k\n"))
  }

  @Test func `a position of a sort without its key is exit 5`() throws {
    let file = try folder.write("id\n1\n2\n", to: "a.csv")
    let arguments = ["--limit", "1", "--sort", "id"]
    #expect(try resume([file], arguments).status == 0)
    let position = try #require(folder.text("p"))
    let key = try #require(position.split(separator: "\n").first { $0.hasPrefix("key=") })
    for replacement in ["key=", "x=1"] {
      try folder.write(position.replacing(key, with: replacement), to: "p")
      let result = try resume([file], arguments)
      #expect(result.status == 5 && result.output.isEmpty)
    }
  }

  @Test func `pages with the columns of all records go on too`() throws {
    let file = try folder.write(#"{"a":1} {"a":2} {"a":3,"b":{"c":1}}"#, to: "a.jsonl")
    let arguments = ["--to", "csv", "--all-columns"]
    #expect(try resume([file], ["--to", "csv", "--limit", "1"]).output == "1,\n")
    #expect(try resume([file], arguments + ["--limit", "1"]).output == "2,\n")
    #expect(try resume([file], arguments + ["--all"]).output == "3,1\n")
    #expect(try resume([file], arguments + ["--limit", "1"]).status == 1)
  }

  @Test func `a file that is cut or of another kind is exit 5 and stays`() throws {
    let file = try folder.write("id\n1\n2\n", to: "a.csv")
    #expect(try resume([file], ["--limit", "1"]).status == 0)
    let position = try #require(folder.text("p"))
    let contents =
      [
        "", "hello\n", "pagecat position 2\nend\n", String(position.dropLast(5)),
        position.replacing("offset=", with: "offset=-"), position.replacing("\noffset", with: "\nx"),
        position.replacing("sizes=", with: "sizes=9 "),
      ]
      + ["rows", "record", "line", "offset", "row"].map { name in
        let line = position.split(separator: "\n").first { $0.hasPrefix("\(name)=") } ?? ""
        return position.replacing("\n\(line)\n", with: "\n\(name)=9223372036854775807\n")
      }
    for content in contents {
      try folder.write(content, to: "p")
      let result = try resume([file], ["--limit", "1"])
      #expect(result.status == 5 && result.output.isEmpty, "\(content)")
      #expect(folder.text("p") == content)
    }
    // No byte of it may end the program by a trap.
    for index in position.indices {
      try folder.write(String(position[..<index]), to: "p")
      #expect(try resume([file], ["--limit", "1"]).status == 5)
    }
  }

  @Test func `where the position cannot be kept nothing is printed`() throws {
    let file = try folder.write("id\n1\n", to: "a.csv")
    for place in ["/no/such/folder/p", "/dev/null", folder.path] {
      let result = try runner.run([file, "--resume", place])
      #expect(result.status == 3 && result.output.isEmpty, "\(place)")
    }
  }

  @Test func `standard input and pipes are refused`() throws {
    for arguments in [[], ["-"], ["/dev/stdin"]] {
      let result = try runner.run(arguments + ["--resume", folder.file("p")], input: .bytes(Array("a\n1\n".utf8)))
      #expect(result.status == 2 && result.output.isEmpty)
    }
    #expect(folder.text("p") == nil)
    let file = try folder.write("id\n1\n", to: "a.csv")
    #expect(try resume([file], ["--page", "2"]).status == 2)
  }

  @Test func `the position stays where the output or the command fails`() throws {
    let file = try folder.write("id\n" + (1...6).map { "\($0)\n" }.joined(), to: "a.csv")
    let arguments = ["--to", "csv", "--limit", "2"]
    let failed = try resume([file], arguments + ["--each", "cat; test $PAGECAT_PAGE = 1"])
    #expect(failed.output == "1\n2\n3\n4\n" && failed.status == 1)
    #expect(failed.errors.contains("page 2"))
    // The page whose command failed is done again, with the same number.
    let command = "echo \"$PAGECAT_PAGE $PAGECAT_OFFSET\"; cat"
    #expect(try resume([file], arguments + ["--each", command]).output == "2 2\n3\n4\n3 4\n5\n6\n")
    #expect(try resume([file], arguments + ["--each", command]).status == 1)

    unsafe _ = unlink(folder.file("p"))
    let full = try ProcessRunner(program: "/bin/sh").run([
      "-c", "\"$0\" \"$1\" --resume \"$2\" --limit 2 > /dev/full", BuiltProducts.directory + "/pagecat", file,
      folder.file("p"),
    ])
    #expect(full.status == 3)
    #expect(folder.text("p") == nil)
  }

  @Test func `the file keeps its permissions, and a link stays one`() throws {
    let file = try folder.write("id\n1\n2\n3\n", to: "a.csv")
    #expect(try resume([file], ["--limit", "1"]).status == 0)
    let link = folder.file("link")
    unsafe _ = chmod(folder.file("p"), 0o640)
    unsafe _ = symlink(folder.file("p"), link)
    #expect(try runner.run([file, "--resume", link, "--limit", "1", "--no-heading"]).output == "2\n")
    var information = stat()
    #expect(unsafe lstat(link, &information) == 0 && information.st_mode & S_IFMT == S_IFLNK)
    #expect(unsafe stat(folder.file("p"), &information) == 0 && information.st_mode & 0o777 == 0o640)
    #expect(folder.names == ["a.csv", "link", "p"])
  }
}
