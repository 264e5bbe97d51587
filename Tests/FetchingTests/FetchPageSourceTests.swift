// Pages of real files and pipes: at any place, in any order, they are slices of what the whole is.

import Fetching
import Glibc
import Paging
import Reading
import TestSupport
import Testing

struct FetchPageSourceTests {
  enum Form: String, CaseIterable {
    case csv, array, lines, values, wrapped

    var ending: String { self == .csv ? "csv" : self == .lines ? "jsonl" : "json" }

    /// Records 0 up to `count`; the value says which.
    func text(_ count: Int) -> String {
      let objects = (0..<count).map {
        "{\"id\": \($0), \"group\": \($0 % 7), \"text\": \"\(String(repeating: "x", count: $0 % 50))\"}"
      }
      switch self {
      case .csv: return "id,group,text\n" + (0..<count).map { "\($0),\($0 % 7),\"a\n\($0)\"\n" }.joined()
      case .array: return "[" + objects.joined(separator: ",\n ") + "]"
      case .lines: return objects.joined(separator: "\n") + "\n"
      case .values:
        return "[" + objects.prefix(count / 2).joined(separator: ",") + "] "
          + objects.dropFirst(count / 2).joined(separator: " ")
      case .wrapped: return "{\"a\": {\"items\": [" + objects.joined(separator: ",") + "]}, \"b\": 1}"
      }
    }
  }

  private func results(_ paths: [String], filter: String? = nil, sort: String? = nil) throws -> FetchResults {
    let inputs = try paths.map { try DatasetInput(opening: .file(Array($0.utf8)), options: ReadingOptions()) }
    var descriptor = FetchDescriptor()
    if let filter { descriptor.predicate = try Predicate(parsing: filter, now: 0) }
    if let sort { descriptor.sortBy = try SortGrammar.parse(sort, columns: nil) }
    return FetchResults(descriptor, inputs: inputs, columns: DatasetColumns(flattens: true))
  }

  private func texts(_ page: Page<FetchedRow>) -> [String] {
    page.rows.map { row in
      row.withRecord { record in String(decoding: (0..<record.count).map { record[$0] }, as: UTF8.self) }
    }
  }

  /// All rows from one sequential reading.
  private func whole(_ results: FetchResults) throws -> [String] {
    var results = results
    var block = RowBlock()
    while try results.append(to: &block, limit: .max) {}
    return block.rows.map { String(decoding: block.bytes[$0.range], as: UTF8.self) }
  }

  @Test(arguments: Form.allCases, [nil, "group == 3"])
  func `any page in any order is a slice of the whole`(_ form: Form, filter: String?) async throws {
    let folder = try TemporaryFolder()
    let paths = try (0..<2).map { try folder.write(form.text(4000), to: "\($0).\(form.ending)") }
    let all = try whole(try results(paths, filter: filter))
    #expect(all.count > 1000)
    let source = FetchPageSource(try results(paths, filter: filter))
    var generator = SeededGenerator(seed: 7)
    for step in 0..<30 {
      let offset = step % 3 == 0 ? 0 : generator.below(all.count + 10)
      let limit = 1 + generator.below(40)
      let page = try await source.fetch(offset: offset, limit: limit)
      #expect(page.offset == offset)
      #expect(texts(page) == Array(all.dropFirst(offset).prefix(limit)), "\(offset)+\(limit)")
      #expect(page.hasMore == (offset + limit < all.count))
    }
    // What was read again is not counted again.
    let tally = try #require(source.report?.tally)
    #expect(tally.records <= 8000)
  }

  @Test func `pages of a sort are slices of the order, the first from a heap`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Form.lines.text(1000), to: "a.jsonl")
    let all = try whole(try results([path], sort: "group:desc,id:desc"))
    let source = FetchPageSource(try results([path], sort: "group:desc,id:desc"))
    for offset in [0, 20, 990, 40, 1000, 2000, 0] {
      let page = try await source.fetch(offset: offset, limit: 20)
      #expect(texts(page) == Array(all.dropFirst(offset).prefix(20)))
      #expect(page.hasMore == (offset + 20 < all.count))
    }
    let short = FetchPageSource(try results([path], filter: "id < 5", sort: "id:desc"))
    #expect(try await short.fetch(offset: 0, limit: 5).hasMore == false)
    #expect(try await short.fetch(offset: 3, limit: 5).rows.count == 2)
  }

  @Test(arguments: ["id:desc", "group,id", "group:text:nocase,text"])
  func `the first page of a sort knows how many rows there are`(_ sort: String) async throws {
    let folder = try TemporaryFolder()
    let paths = try (0..<2).map { try folder.write(Form.lines.text(3000), to: "\($0).jsonl") }
    for (filter, count) in [(nil, 6000), ("id < 700", 1400), ("id < 0", 0)] {
      let source = FetchPageSource(try results(paths, filter: filter, sort: sort))
      #expect(source.sortedRowCount == nil)
      _ = try await source.fetch(offset: 0, limit: 20)
      #expect(source.sortedRowCount == count)
      // Once more, in the order of all.
      _ = try await source.fetch(offset: 30, limit: 20)
      #expect(source.sortedRowCount == count)
    }
    let streamed = FetchPageSource(try results(paths))
    _ = try await streamed.fetch(offset: 0, limit: 20)
    #expect(streamed.sortedRowCount == nil)
  }

  @Test func `an error ahead comes with its row, again and again`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n{\"a\":", to: "a.jsonl")
    let source = FetchPageSource(try results([path]))
    let page = try await source.fetch(offset: 0, limit: 20)
    #expect(page.rows.count == 3 && page.hasMore)
    for _ in 0..<2 {
      await #expect(throws: FetchError.self) { try await source.fetch(offset: 3, limit: 20) }
    }
    #expect(try await source.fetch(offset: 1, limit: 1).rows.count == 1)
    await #expect(throws: FetchError.self) { try await source.fetch(offset: 3, limit: 20) }
  }

  @Test func `rows of a pipe come as they come`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("pipe")
    try #require(unsafe mkfifo(path, 0o600) == 0)
    let writing = unsafe open(path, O_RDWR | O_CLOEXEC)
    func write(_ text: String) { _ = unsafe Glibc.write(writing, text, text.utf8.count) }
    write("id,group\n1,a\n2,b\n3,")
    let source = FetchPageSource(try results([path]))
    var page = try await source.fetch(offset: 0, limit: 20)
    #expect(texts(page) == ["1,a", "2,b"] && page.hasMore)
    write("c\n4,d\n")
    page = try await source.fetch(offset: 2, limit: 1)
    #expect(texts(page) == ["3,c"] && page.hasMore)
    page = try await source.fetch(offset: 3, limit: 20)
    #expect(texts(page) == ["4,d"])
    close(writing)
    page = try await source.fetch(offset: 4, limit: 20)
    #expect(page.rows.isEmpty && !page.hasMore)
  }

  @Test func `a cancelled fetch loses nothing`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Form.csv.text(10_000), to: "a.csv")
    let all = try whole(try results([path]))
    let source = FetchPageSource(try results([path]))
    for step in 0..<20 {
      let task = Task { try await source.fetch(offset: step * 450, limit: 20) }
      task.cancel()
      _ = try? await task.value
      let page = try await source.fetch(offset: step * 10, limit: 10)
      #expect(texts(page) == Array(all[(step * 10)..<(step * 10 + 10)]))
    }
  }

  @Test func `a pager over a file reads it to the end`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Form.wrapped.text(3000), to: "a.json")
    let source = FetchPageSource(try results([path]))
    let pager = Pager(source: source, configuration: PagerConfiguration(pageSize: 20))
    let rows = try await pager.rows(in: 0..<10_000)
    #expect(rows.count == 3000)
    #expect(rows.last?.entry.offset == rows[2999].entry.offset)
    #expect(pager.count.total == 3000)
  }
}
