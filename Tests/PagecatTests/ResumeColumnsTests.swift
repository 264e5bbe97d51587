// --resume over JSON: a next page has the columns that it would have if it looked for them anew.

import Glibc
import TestSupport
import Testing

struct ResumeColumnsTests {
  private let folder: TemporaryFolder
  private let runner = ProcessRunner.pagecat()

  init() throws {
    folder = try TemporaryFolder()
  }

  private func resume(_ file: String, _ arguments: [String]) throws -> ProcessResult {
    try runner.run([file, "--resume", folder.file("p"), "--to", "csv"] + arguments)
  }

  /// Names come late, as null before they are objects, and behind the sample.
  private static let text = (1...1100).map { number in
    var members = ["\"id\":\(number)", number < 300 ? "\"gear\":null" : "\"gear\":{\"name\":\"n\",\"no\":\(number)}"]
    if number == 700 { members.insert("\"first\":{\"x\":1}", at: 0) }
    if number == 1050 { members.append("\"late\":1") }
    return "{" + members.joined(separator: ",") + "}"
  }

  private static let forms = [
    ("a.jsonl", text.map { $0 + "\n" }.joined()), ("a.json", "[" + text.joined(separator: ",\n") + "]"),
  ]

  /// The position without what it keeps of the columns, as versions before wrote it.
  private func dropSample() throws {
    let position = try #require(folder.text("p"))
    let lines = position.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count { $0.hasPrefix("sample=") || $0.hasPrefix("stamps=") } == 2)
    try folder.write(
      lines.filter { !$0.hasPrefix("sample=") && !$0.hasPrefix("stamps=") }.joined(separator: "\n"), to: "p")
  }

  @Test(arguments: forms, [[], ["--no-flatten"], ["--columns", "gear.no,late"], ["--filter", "id > 1000"]])
  func `pages have the columns of a sample`(_ form: (String, String), arguments: [String]) throws {
    let file = try folder.write(form.1, to: form.0)
    let arguments = arguments + ["--limit", "170"]
    var pages = 0
    while true {
      let before = folder.text("p")
      let kept = try resume(file, arguments)
      let after = folder.text("p")
      if kept.status != 0 { break }
      if let before {
        try folder.write(before, to: "p")
        try dropSample()
        let anew = try resume(file, arguments)
        #expect(anew.output == kept.output && anew.errors == kept.errors && anew.status == kept.status)
        #expect(folder.text("p") == after)
      }
      pages += 1
    }
    #expect(pages == (arguments.contains("--filter") ? 1 : 7))
  }

  @Test func `the records that brought columns are read and no others`() throws {
    let file = try folder.write(Self.forms[0].1, to: "a.jsonl")
    #expect(try resume(file, ["--limit", "10"]).output.hasPrefix("first.x,id,gear.name,gear.no\n") == false)
    let position = try #require(folder.text("p"))
    let sample = try #require(position.split(separator: "\n").first { $0.hasPrefix("sample=") })
    // Records 1, 300 and 700.
    #expect(sample.split(separator: " ").count == 4)
    let whole = try resume(file, ["--limit", "10"]).output
    #expect(whole.hasPrefix("id,gear.name,gear.no,first.x\n"))
    // What is not named is not looked at, which shows that nothing else is.
    try folder.write(
      position.replacing(sample, with: sample.split(separator: " ")[..<2].joined(separator: " ")), to: "p")
    #expect(try resume(file, ["--limit", "10"]).output.hasPrefix("id,gear\n"))
  }

  @Test func `a file that was written to is looked at anew`() throws {
    let text = Self.forms[0].1
    let file = try folder.write(text, to: "a.jsonl")
    #expect(try resume(file, ["--limit", "10"]).status == 0)
    let position = try #require(folder.text("p"))
    // Of the same size, and unlike neither at its beginning nor before the position.
    try folder.write(text.replacing("\"first\"", with: "\"other\""), to: "a.jsonl")
    #expect(try resume(file, ["--limit", "10"]).output.hasPrefix("id,gear.name,gear.no,other.x\n"))
    try folder.write(position, to: "p")
    try folder.write(text + "{\"id\":1101}\n", to: "a.jsonl")
    #expect(try resume(file, ["--limit", "10"]).output.hasPrefix("id,gear.name,gear.no,first.x\n"))
    // Grown into more names.
    try folder.write("{\"a\":1}\n{\"a\":2}\n", to: "b.jsonl")
    unsafe _ = unlink(folder.file("p"))
    #expect(try resume(folder.file("b.jsonl"), ["--limit", "1"]).output == "a\n1\n")
    try folder.write("{\"a\":3,\"b\":4}\n", to: "b.jsonl", appends: true)
    #expect(try resume(folder.file("b.jsonl"), ["--limit", "1"]).output == "a,b\n2,\n")
  }

  @Test func `other formats leave it as it is, and other options do not use it`() throws {
    let file = try folder.write(Self.forms[1].1, to: "a.json")
    #expect(try resume(file, ["--limit", "10"]).status == 0)
    func sample() throws -> Substring {
      try #require(folder.text("p")?.split { $0 == "\n" }.first { $0.hasPrefix("sample=") })
    }
    let kept = try sample()
    #expect(try resume(file, ["--limit", "10", "--to", "jsonl"]).status == 0)
    #expect(try sample() == kept)
    #expect(try resume(file, ["--limit", "10", "--no-flatten"]).output.hasPrefix("id,gear,first\n"))
    #expect(try sample() != kept)
  }

  @Test func `what is no sample is exit 5`() throws {
    let file = try folder.write(Self.forms[0].1, to: "a.jsonl")
    #expect(try resume(file, ["--limit", "10"]).status == 0)
    let position = try #require(folder.text("p"))
    let sample = try #require(position.split(separator: "\n").first { $0.hasPrefix("sample=") })
    let wrong = [
      "sample=", "sample=round", "sample=flat 0:0", "sample=flat 0:-1:5", "sample=flat 1:0:5", "sample=flat -1:0:5",
      "sample=flat 0:0:0", "sample=flat 0:9223372036854775807:1", "sample=flat 0:1:9223372036854775807",
      "sample=flat 0:0:99999999999999999999", "sample=flat 0:0:5:5",
      "sample=flat" + String(repeating: " 0:0:5", count: 101), "sample=flat 0:0:40000 0:0:40000",
    ]
    for text in wrong {
      try folder.write(position.replacing(sample, with: text), to: "p")
      let result = try resume(file, ["--limit", "10"])
      #expect(result.status == 5 && result.output.isEmpty && result.errors.contains("it is damaged"), "\(text)")
    }
    // Where there are no records, all is looked at anew.
    let whole = try runner.run([file, "--to", "csv", "--offset", "10", "--limit", "10"]).output
    let length = Self.text[0].utf8.count
    for place in [
      "0:3:9", "0:0:\(length - 1)", "0:0:\(length + 1)", "0:0:\(2 * length + 1)", "0:20:1", "0:1:\(length)",
    ] {
      try folder.write(position.replacing(sample, with: "sample=flat \(place)"), to: "p")
      let result = try resume(file, ["--limit", "10"])
      #expect(result.status == 0 && result.output == whole, "\(place)")
      #expect(folder.text("p")?.contains(sample) == true)
    }
  }
}
