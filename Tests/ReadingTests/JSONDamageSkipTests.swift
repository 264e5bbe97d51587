// --on-error skip: what is left out, where reading goes on, and that neither chunks nor ranges change it.

import TestSupport
import Testing

@testable import Reading

private struct Outcome: Equatable {
  var records: [String] = []
  var leftOut = 0
  /// Where the first damage is.
  var firstOffset: Int?
  /// Where damage is that cannot be left out.
  var damageOffset: Int?
}

/// Scans with windows that grow by `step` bytes.
private func scan(_ text: String, layout: JSONLayout = .values, step: Int) -> Outcome {
  let bytes = Array(text.utf8)
  var scanner = JSONScanner(fields: [], layout: layout)
  scanner.skip = JSONDamageSkip()
  var outcome = Outcome()
  var start = 0
  var end = 0
  while true {
    let window = Array(bytes[start..<end])
    var batch = RecordBatch(fieldsPerRecord: 0)
    let result = scanner.scan(window.span, from: 0, limit: .max, isFinal: end == bytes.count, into: &batch)
    for record in batch.records { outcome.records.append(String(decoding: window[record.range], as: UTF8.self)) }
    let leftOut = scanner.takeLeftOut()
    outcome.leftOut += leftOut.count
    if outcome.firstOffset == nil { outcome.firstOffset = leftOut.first.map { start + $0.offset } }
    if case .damage(let damage) = result.stop {
      outcome.damageOffset = start + damage.offset
      return outcome
    }
    start += result.consumed
    if end == bytes.count && result.stop == .windowEnd { return outcome }
    if result.stop == .windowEnd { end = min(bytes.count, end + step) }
  }
}

struct JSONDamageSkipTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let text: String
    let records: [String]
    let leftOut: Int
    let firstOffset: Int?
    let damageOffset: Int?
    var testDescription: String { text.debugDescription }

    init(_ text: String, _ records: [String], leftOut: Int = 0, first: Int? = nil, damage: Int? = nil) {
      self.text = text
      self.records = records
      self.leftOut = leftOut
      firstOffset = first
      damageOffset = damage
    }
  }

  static let rows: [Row] = [
    Row("{\"a\":1}\n{\"a\":2}", ["{\"a\":1}", "{\"a\":2}"]),
    // Lines: the first line after the one where the bad record began that starts with a bracket.
    Row("{\"a\":1}\n{\"a\":\n{\"a\":2}\n", ["{\"a\":1}", "{\"a\":2}"], leftOut: 1, first: 22),
    Row("{\"a\":x}\nfoo\n  {}\n\n[7]\n{}", ["7", "{}"], leftOut: 1, first: 5),
    Row("{\"a\":\"x\ny\"}\n{}", ["{}"], leftOut: 1, first: 7),
    Row("{} junk {}\n{\"b\":1}", ["{}", "{\"b\":1}"], leftOut: 1, first: 3),
    Row("{\"a\":1", [], leftOut: 1, first: 6),
    Row("{\"a\":x}\n{\"b\":y}\n", [], leftOut: 2, first: 5),
    Row("nothing\r\n{}\r\n", ["{}"], leftOut: 1, first: 0),
    // Arrays: elements whose strings and brackets close.
    Row("[{\"a\":1},{\"a\":x},{\"a\":2}]", ["{\"a\":1}", "{\"a\":2}"], leftOut: 1, first: 14),
    Row("[1,{\"a\":[{\"b\":tru}, \"]},\\\"\"]},2]", ["1", "2"], leftOut: 1, first: 14),
    Row("[1,,2,]", ["1", "2"], leftOut: 2, first: 3),
    Row("[1 2 3,4]", ["1", "4"], leftOut: 1, first: 3),
    Row("[01,nul,'x',-]{}", ["{}"], leftOut: 4, first: 1),
    Row("[{\"a\" \n:\n\"b\u{1}\"}\n,\n2]", ["2"], leftOut: 1, first: 11),
    Row("[1,\"open,2]", ["1"], damage: 3),
    Row("[1,{\"a\":\"open},2]", ["1"], damage: 8),
    // What cannot be left out is told, not what could have been.
    Row("[1,{\"a\":x,\"b\":\"open},2]", ["1"], damage: 14),
    Row("[1,{\"a\":x],2]", ["1"], damage: 9),
    Row("[1}]", ["1"], damage: 2),
    Row("[1,{\"a\":x", ["1"], damage: 8),
    Row("[1,2", ["1", "2"], damage: 4),
    Row("[x,", [], leftOut: 1, first: 1, damage: 3),
  ]

  @Test(arguments: rows)
  func `damaged records are left out, whatever the size of windows`(_ row: Row) {
    for step in [1, 2, 3, 7, 64, 4096] {
      let found = scan(row.text, step: step)
      let expected = Outcome(
        records: row.records, leftOut: row.leftOut, firstOffset: row.firstOffset, damageOffset: row.damageOffset)
      #expect(found == expected, "by \(step)")
    }
  }

  @Test func `what wraps the records has to be sound`() {
    let layout = JSONLayout.wrapped(path: [Array("r".utf8)], arrayOffset: 5)
    let sound = scan("{\"r\":[{},{x},{}],\"n\":1}", layout: layout, step: 4096)
    #expect(sound.records == ["{}", "{}"] && sound.leftOut == 1 && sound.damageOffset == nil)
    #expect(scan("{\"r\":[{}],\"n\":x}", layout: layout, step: 4096).damageOffset == 14)
    #expect(scan("{\"r\":[{}]} {}", layout: layout, step: 4096).damageOffset == 11)
  }

  /// Counts records, and adds up their positions.
  private struct Sum: RecordAccumulator {
    var count = 0
    var offsets = 0
    mutating func add(
      _ batch: borrowing RecordBatch, fields: Span<Field>, buffer: borrowing ChunkBuffer, scratch: inout Void
    ) {
      for index in 0..<batch.records.count {
        count += 1
        offsets += buffer.offset + Int(batch.records[index].start)
      }
    }
    mutating func finishRange() {}
    mutating func append(_ later: Sum) {
      count += later.count
      offsets += later.offsets
    }
    func makeSuccessor() -> Sum { Sum() }
  }

  @Test(arguments: [true, false])
  func `ranges leave out what one pass does`(_ isArray: Bool) throws {
    var generator = SeededGenerator(seed: 7)
    var text = isArray ? "[" : ""
    let faults =
      isArray
      ? ["{\"a\":tru}", "{\"a\" 1}", "x"] : ["{\"a\":tru}", "x", "{\"a\":[", "\n\n", "{\"a\":\"x"]
    var bad = 0
    var wasBad = false
    for number in 0..<400 {
      if number > 0 { text += isArray ? ",\n" : "\n" }
      // Between values two bad lines in a row count as one: nothing says where the second begins.
      if number > 2 && !wasBad && generator.oneIn(20) {
        wasBad = true
        let index = generator.below(faults.count)
        text += faults[index]
        if faults[index] != "\n\n" { bad += 1 }
      } else {
        wasBad = false
        text += "{\"a\":\(number),\"t\":\"},{\\\"a\\\":\"}"
      }
    }
    text += isArray ? "]" : "\n"
    let file = try TemporaryFile(Array(text.utf8), ending: ".json")
    var options = ReadingOptions()
    options.skipsDamage = true
    let input = try DatasetInput(opening: .file(Array(file.path.utf8)), options: options)
    let selection = FieldSelection([], of: input)
    var whole = Sum()
    let expected = try RangeScan(
      input: input, selection: selection, configuration: ScanConfiguration(threadCount: 1, rangeSize: 1 << 30)
    ).run(
      into: &whole)
    #expect(expected.leftOut.count == bad)
    for size in [499, 4000] {
      var sum = Sum()
      let counts = try RangeScan(
        input: input, selection: selection, configuration: ScanConfiguration(threadCount: 2, rangeSize: size)
      ).run(into: &sum)
      #expect(sum.count == whole.count && sum.offsets == whole.offsets, "ranges of \(size)")
      #expect(counts.leftOut == expected.leftOut, "ranges of \(size)")
      #expect(counts.records == expected.records)
    }
  }

  @Test func `a record larger than one may be is an error with its place, after those before it`() {
    var options = ReadingOptions()
    options.recordLimit = 100_000
    let large = "{\"a\":\"" + String(repeating: "x", count: 200_000) + "\"}"
    for skips in [false, true] {
      options.skipsDamage = skips
      let found = readAll(bytes: Array("{}\n{}\n\(large)\n{}\n".utf8), ending: ".jsonl", options)
      #expect(found.records == ["{}", "{}"])
      #expect(found.error?.problem == .recordTooLarge(limit: 100_000))
      #expect(found.error?.place == Place(recordNumber: 3, lineNumber: 3, column: 1, offset: 6))
    }
    let huge = String(repeating: "x", count: 5_000_000)
    let found = readAll(bytes: Array("a\n1\n\(huge)\n2\n".utf8), options)
    #expect(found.records == ["1"])
    #expect(found.error?.place == Place(recordNumber: 2, lineNumber: 3, column: 1, offset: 4))
  }
}
