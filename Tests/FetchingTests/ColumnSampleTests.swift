// The records that a position keeps of a sample say all that the sample said, also about what comes later.

import Reading
import TestSupport
import Testing

@testable import Fetching

@Suite struct ColumnSampleTests {
  private func value(_ random: inout SeededGenerator, depth: Int) -> String {
    switch random.below(depth > 2 ? 5 : 9) {
    case 0: return "null"
    case 1: return "{}"
    case 2: return "[1,{\"a\":2}]"
    case 3, 4: return random.pick(["1", "true", "\"x\""])
    default: return object(&random, depth: depth + 1)
    }
  }

  private func object(_ random: inout SeededGenerator, depth: Int = 0) -> String {
    let keys = ["a", "b", "c.d", "c", "\\u0061", "d", "value"]
    let members = (0..<random.below(5)).map { _ in "\"\(random.pick(keys))\":\(value(&random, depth: depth))" }
    return "{" + members.joined(separator: ", ") + "}"
  }

  @Test(arguments: [true, false])
  func `the kept records stand for all`(flattens: Bool) throws {
    var random = SeededGenerator(seed: flattens ? 7 : 8)
    for _ in 0..<60 {
      let records = (0..<(1 + random.below(60))).map { _ in random.below(20) == 0 ? "7" : object(&random) }
      let texts = [records.prefix(20), records.dropFirst(20)].map { $0.joined(separator: "\n") + "\n" }
      let files = try texts.map { try TemporaryFile($0, ending: ".jsonl") }
      var inputs = try files.map {
        try DatasetInput(opening: .file(Array($0.path.utf8)), options: ReadingOptions())
      }
      var whole = DatasetColumns(flattens: flattens)
      var sampled = 0
      for index in inputs.indices { try whole.add(&inputs[index], sampled: &sampled) }
      let sample = try #require(whole.sample(of: inputs))
      #expect(sample.records.count < max(12, records.count))
      let (stamps, places) = sample.texts
      #expect(ColumnSample(stamps: stamps[...], records: places[...]) == sample)
      #expect(sample.fits(inputs, flattens: flattens) && !sample.fits(inputs, flattens: !flattens))
      #expect(!sample.fits([inputs[0]], flattens: flattens) && !sample.fits(inputs.reversed(), flattens: flattens))

      var kept = DatasetColumns(flattens: flattens)
      let isAdded = kept.add(inputs, by: sample)
      #expect(isAdded)
      #expect(kept.names == whole.names)
      #expect(kept.sample(of: inputs) == sample)
      for _ in 0..<10 {
        let record = Array(object(&random).utf8)
        let (late, expected) = (kept.add(record: record.span), whole.add(record: record.span))
        #expect(late == expected)
        #expect(kept.names == whole.names)
      }
    }
  }

  @Test func `a header counts too`() throws {
    let files = [
      try TemporaryFile("b,a\n1,2\n", ending: ".csv"), try TemporaryFile("{\"a\":1,\"c\":2}\n", ending: ".jsonl"),
    ]
    var inputs = try files.map { try DatasetInput(opening: .file(Array($0.path.utf8)), options: ReadingOptions()) }
    var whole = DatasetColumns(flattens: true)
    var sampled = 0
    try whole.add(&inputs[0], sampled: &sampled)
    // Of tables alone there is nothing to keep.
    #expect(whole.sample(of: [inputs[0]]) == nil)
    try whole.add(&inputs[1], sampled: &sampled)
    var kept = DatasetColumns(flattens: true)
    let isAdded = kept.add(inputs, by: try #require(whole.sample(of: inputs)))
    #expect(isAdded)
    #expect(kept.names == whole.names && kept.names == ["b", "a", "c"].map { Array($0.utf8) })
  }

  @Test func `where every record brings a name nothing is kept`() throws {
    let count = ColumnSample.mostRecords + 1
    for (records, isKept) in [(count - 1, true), (count, false)] {
      let text = (0..<records).map { "{\"k\($0)\":1}\n" }.joined()
      let file = try TemporaryFile(text, ending: ".jsonl")
      var input = try DatasetInput(opening: .file(Array(file.path.utf8)), options: ReadingOptions())
      var columns = DatasetColumns(flattens: true)
      var sampled = 0
      try columns.add(&input, sampled: &sampled)
      #expect((columns.sample(of: [input]) != nil) == isKept)
      if let sample = columns.sample(of: [input]) {
        let (stamps, places) = sample.texts
        #expect(ColumnSample(stamps: stamps[...], records: places[...]) == sample)
      }
    }
    let file = try TemporaryFile(
      "{\"a\":\"\(String(repeating: "x", count: ColumnSample.mostBytes))\"}\n", ending: ".jsonl")
    var input = try DatasetInput(opening: .file(Array(file.path.utf8)), options: ReadingOptions())
    var columns = DatasetColumns(flattens: true)
    var sampled = 0
    try columns.add(&input, sampled: &sampled)
    #expect(columns.names == [[UInt8(ascii: "a")]] && columns.sample(of: [input]) == nil)
  }
}
