// Whole fetches of a sort by every path: any budget, any page, with the next rows on another thread or not.

import Reading
import TestSupport
import Testing

@testable import Fetching

@Suite struct FullOrderTests {
  private func fetch(_ file: TemporaryFile, _ descriptor: FetchDescriptor, prefetches: Bool) throws -> [String] {
    let input = try DatasetInput(opening: .file(Array(file.path.utf8)), options: ReadingOptions())
    var results = FetchResults(descriptor, inputs: [input], columns: DatasetColumns(flattens: true))
    var rows: [String] = []
    var mayFollow = true
    while mayFollow {
      var block = RowBlock()
      mayFollow = try results.append(to: &block, limit: 37, byteLimit: 900)
      if mayFollow && prefetches { results.prefetch(limit: 11, byteLimit: 500) }
      rows += block.rows.map { String(decoding: block.bytes[$0.range], as: UTF8.self) }
      for row in block.rows { #expect(row.inputIndex == 0 && row.offset > 0) }
    }
    return rows
  }

  @Test(arguments: [false, true])
  func equalsSortingAnArray(prefetches: Bool) throws {
    var random = SeededGenerator(seed: prefetches ? 41 : 42)
    let records = (0..<600).map { index in
      let text = String(repeating: "t", count: random.below(12)) + random.pick(["", "a", "b"])
      return (number: random.below(40), text: text, line: "")
    }.enumerated().map { (number: $1.number, text: $1.text, line: "\($0),\($1.number),\($1.text)x") }
    let file = try TemporaryFile("id,number,text\n" + records.map { $0.line + "\n" }.joined(), ending: ".csv")
    let byText = records.enumerated().sorted { left, right in
      let (a, b) = (Array((left.element.text + "x").utf8), Array((right.element.text + "x").utf8))
      if a != b { return b.lexicographicallyPrecedes(a) }
      if left.element.number != right.element.number { return left.element.number < right.element.number }
      return left.offset < right.offset
    }.map(\.element.line)
    for limit in [0, 1024, 20_000, FetchingLimits.memoryLimit] {
      var descriptor = FetchDescriptor(sortBy: try SortGrammar.parse("text:desc,number", columns: nil))
      descriptor.memoryLimit = limit
      #expect(try fetch(file, descriptor, prefetches: prefetches) == byText)
      descriptor.fetchOffset = 250
      #expect(try fetch(file, descriptor, prefetches: prefetches) == Array(byText.dropFirst(250)))
      descriptor.fetchLimit = 300
      #expect(try fetch(file, descriptor, prefetches: prefetches) == Array(byText.dropFirst(250).prefix(300)))
    }
  }

  /// A page deep in the order is read again from the file rather than kept.
  @Test func aDeepPageOfManyRows() throws {
    let count = FetchingLimits.topRowsCapacity + 2000
    let file = try TemporaryFile(
      "id,n\n" + (0..<count).map { "\($0),\(($0 * 7919) % 1009)\n" }.joined(), ending: ".csv")
    let expected = (0..<count).sorted { (($0 * 7919) % 1009, $0) < (($1 * 7919) % 1009, $1) }
    for limit in [1024, FetchingLimits.memoryLimit] {
      var descriptor = FetchDescriptor(sortBy: try SortGrammar.parse("n", columns: nil))
      descriptor.memoryLimit = limit
      descriptor.fetchOffset = count - 300
      descriptor.fetchLimit = 50
      #expect(FetchPlan(for: descriptor) == .fullOrder)
      let rows = try fetch(file, descriptor, prefetches: false)
      #expect(rows == expected[(count - 300)..<(count - 250)].map { "\($0),\(($0 * 7919) % 1009)" })
    }
  }

  @Test func streamsTheSameWithTheNextRowsOnAnotherThread() throws {
    let file = try TemporaryFile("id,n\n" + (0..<5000).map { "\($0),x\n" }.joined(), ending: ".csv")
    #expect(try fetch(file, FetchDescriptor(), prefetches: true) == (0..<5000).map { "\($0),x" })
  }

  /// A heap that holds more than it may becomes runs, in the middle of a range or when ranges are joined.
  @Test func pagesOfLargeRecordsInLittleMemory() throws {
    var random = SeededGenerator(seed: 43)
    let rows = (0..<400).map { index in
      (key: random.below(20), line: "\(index),\(String(repeating: "x", count: random.below(300)))")
    }
    let file = try TemporaryFile("key,id,text\n" + rows.map { "\($0.key),\($0.line)\n" }.joined(), ending: ".csv")
    let expected = rows.enumerated().sorted {
      ($0.element.key, $0.offset) < ($1.element.key, $1.offset)
    }.map { "\($0.element.key),\($0.element.line)" }
    let input = try DatasetInput(opening: .file(Array(file.path.utf8)), options: ReadingOptions())
    for (limit, rangeSize, threadCount) in [
      (0, 4096, 2), (2000, 1000, 3), (20_000, 9000, 1), (60_000, 1 << 20, 2), (60_000, 9000, 2), (1 << 30, 5000, 2),
    ] {
      for (offset, count) in [(0, 10), (30, 50), (350, 100)] {
        var descriptor = FetchDescriptor(sortBy: try SortGrammar.parse("key", columns: nil))
        descriptor.memoryLimit = limit
        descriptor.fetchOffset = offset
        descriptor.fetchLimit = count
        #expect(FetchPlan(for: descriptor) == .topRows(capacity: offset + count))
        var results = FetchResults(
          descriptor, inputs: [input], columns: DatasetColumns(flattens: true),
          scanConfiguration: ScanConfiguration(threadCount: threadCount, rangeSize: rangeSize))
        var block = RowBlock()
        while try results.append(to: &block, limit: 7) {}
        let found = block.rows.map { String(decoding: block.bytes[$0.range], as: UTF8.self) }
        #expect(found == Array(expected.dropFirst(offset).prefix(count)))
      }
    }
  }

  /// What is at hand comes without a fetch, and what follows goes on behind it.
  @Test(arguments: [1024, FetchingLimits.memoryLimit])
  func takesRowsThatAreAtHand(memoryLimit: Int) throws {
    let file = try TemporaryFile("id,n\n" + (0..<3000).map { "\($0),\($0 % 7)\n" }.joined(), ending: ".csv")
    let expected = (0..<3000).sorted { ($0 % 7, $0) < ($1 % 7, $1) }.map { "\($0),\($0 % 7)" }
    let input = try DatasetInput(opening: .file(Array(file.path.utf8)), options: ReadingOptions())
    var descriptor = FetchDescriptor(sortBy: try SortGrammar.parse("n", columns: nil))
    descriptor.memoryLimit = memoryLimit
    var results = FetchResults(descriptor, inputs: [input], columns: DatasetColumns(flattens: true))
    var block = RowBlock()
    _ = try results.append(to: &block, limit: 20)
    #expect(results.appendAtHand(to: &block, limit: 1000))
    #expect(block.rows.count == 1020)
    while try results.append(to: &block, limit: 500) {}
    #expect(block.rows.map { String(decoding: block.bytes[$0.range], as: UTF8.self) } == expected)
    _ = results.appendAtHand(to: &block, limit: 1000)
    #expect(block.rows.count == 3000)
  }
}
