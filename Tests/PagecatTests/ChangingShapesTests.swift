// Records whose shapes change, printed in every format: with a blank before each colon no key is met as it is expected, so
// the same records written in two ways take the fast way and the slow one, and must come out the same byte for byte.

import TestSupport
import Testing

struct ChangingShapesTests {
  private static let formats = ["csv", "tsv", "table", "markdown", "record", "json", "jsonl"]
  private static let questions = [
    [], ["--sort", "id"], ["--sort", "name:desc", "--no-flatten"], ["--all-columns"], ["--hide", "g"],
    ["--columns", "name,g.id,g.g.x,id"],
  ]

  @Test(arguments: formats, questions)
  func `records come out the same however they are written`(_ format: String, _ question: [String]) throws {
    var random = SeededGenerator(seed: UInt64(format.utf8.count + question.count * 10))
    let records = (0..<100).map { _ in ChangingRecord(&random) }
    let arguments = ["--all", "--to", format] + question
    // A file, so that the widths of a table do not depend on how a pipe delivers.
    func print(_ records: [[UInt8]]) throws -> ProcessResult {
      let folder = try TemporaryFolder()
      try folder.write(String(decoding: Array(records.joined(separator: [0x0A])), as: UTF8.self), to: "data.jsonl")
      var runner = ProcessRunner.pagecat()
      runner.workingDirectory = folder.path
      return try runner.run(["data.jsonl"] + arguments)
    }
    let compact = try print(records.map(\.compact))
    let spaced = try print(records.map(\.spaced))
    #expect(compact.status == 0)
    #expect(compact.output == spaced.output)
    #expect(compact.errors == spaced.errors)
  }

  @Test func `a name that was null beside objects is told when it becomes a column too late`() throws {
    let records = "{\"a\":1,\"g\":{\"x\":1}}\n{\"a\":2,\"g\":null}\n"
    let input = ProcessRunner.Input.bytes(Array((records + "{\"a\":3,\"g\":4}\n{\"a\":5,\"g\":6}\n").utf8))
    // All columns are known from the sample: none is late.
    let known = try ProcessRunner.pagecat().run(["--all", "--to", "csv"], input: input)
    #expect(known.output == "a,g.x,g\n1,1,\n2,,\n3,,4\n5,,6\n")
    #expect(known.errors.isEmpty)
    // Beyond the sample it is told once.
    let many = Array(repeating: records, count: 600).joined() + "{\"a\":3,\"g\":4}\n{\"a\":5,\"g\":6}\n"
    let late = try ProcessRunner.pagecat().run(["--all", "--to", "csv"], input: .bytes(Array(many.utf8)))
    #expect(late.output.hasPrefix("a,g.x\n1,1\n2,\n") && late.output.hasSuffix("3,\n5,\n"))
    #expect(
      late.errors.contains("columns that first appear after the first page were left out: 'g'; see --all-columns"))
  }
}
