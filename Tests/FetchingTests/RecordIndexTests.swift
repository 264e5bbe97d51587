// Places from where reading begins again: found in any number of them, thinned out when there are too many, and worth it: what
// was passed once costs a batch of records, wherever it stands.

import Paging
import Reading
import TestSupport
import Testing

@testable import Fetching

struct RecordIndexTests {
  private func position(_ offset: Int, input: Int = 0) -> RecordPosition {
    RecordPosition(inputIndex: input, offset: offset, resumption: nil, recordIndex: offset)
  }

  @Test func `finds the last place with no more rows before it`() {
    var index = RecordIndex()
    #expect(index.entry(beforeRow: .max) == nil)
    for number in 1...9 { index.add(position(number * 100), rowIndex: number * 10) }
    #expect(index.entry(beforeRow: 9) == nil)
    #expect(index.entry(beforeRow: 10)?.position.offset == 100)
    #expect(index.entry(beforeRow: 19)?.position.offset == 100)
    #expect(index.entry(beforeRow: 20)?.position.offset == 200)
    #expect(index.entry(beforeRow: .max)?.position.offset == 900)
    // What is known already adds nothing, and the next input comes behind the one before.
    index.add(position(900), rowIndex: 90)
    index.add(position(50), rowIndex: 5)
    index.add(position(10, input: 1), rowIndex: 95)
    #expect(index.entries.count == 10)
    #expect(index.entry(beforeRow: 1000)?.position == position(10, input: 1))
  }

  @Test func `many places are thinned out evenly`() {
    var index = RecordIndex()
    let count = 10 * RecordIndex.entryLimit
    for number in 1...count { index.add(position(number), rowIndex: number) }
    #expect(index.entries.count <= 2 * RecordIndex.entryLimit && index.entries.count >= RecordIndex.entryLimit / 2)
    for row in [100, count / 3, count / 2, count - 1] {
      let found = index.entry(beforeRow: row).map { $0.rowIndex } ?? 0
      #expect(found <= row && row - found <= 32)
    }
  }

  @Test(arguments: ["csv", "jsonl", "json"], [nil, "id > 100"])
  func `going back costs a batch`(_ form: String, filter: String?) async throws {
    let count = 60_000
    let text = String(repeating: "x", count: 60)
    let records = (0..<count).map { form == "csv" ? "\($0),\(text)\n" : "{\"id\":\($0),\"text\":\"\(text)\"}" }
    let file = try TemporaryFile(
      form == "csv"
        ? "id,text\n" + records.joined()
        : form == "json" ? "[" + records.joined(separator: ",") + "]" : records.joined(separator: "\n"),
      ending: "." + form)
    let input = try DatasetInput(opening: .file(Array(file.path.utf8)), options: ReadingOptions())
    var descriptor = FetchDescriptor()
    if let filter { descriptor.predicate = try Predicate(parsing: filter, now: 0) }
    let source = FetchPageSource(
      FetchResults(descriptor, inputs: [input], columns: DatasetColumns(flattens: true)))
    _ = try await source.fetch(offset: 59_000, limit: 20)
    var before = try #require(source.report?.tally?.bytes)
    #expect(before > 4_000_000)
    for offset in [50_000, 20_000, 58_000, 0, 40_000] {
      let page = try await source.fetch(offset: offset, limit: 20)
      #expect(page.rows.count == 20 && page.offset == offset)
      let after = try #require(source.report?.tally?.bytes)
      // One read at a place, and at most another.
      #expect(after - before <= 2 * ReadingLimits.chunkSize, "\(offset)")
      before = after
    }
  }
}
