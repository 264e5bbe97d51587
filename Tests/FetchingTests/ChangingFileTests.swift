// Files that somebody writes to while they are read: rows that were handed out stay, what is new is never taken for what was
// there, and what was appended is read where the end had not been reached.

import Fetching
import Glibc
import Paging
import Reading
import TestSupport
import Testing

struct ChangingFileTests {
  enum Form: String, CaseIterable {
    case csv, jsonl

    var head: String { self == .csv ? "id,text\n" : "" }

    /// Records of a hundred bytes.
    func records(_ range: Range<Int>, letter: String = "x") -> String {
      range.map { number in
        let id = String(repeating: "0", count: 8 - String(number).utf8.count) + String(number)
        switch self {
        case .csv: return id + "," + String(repeating: letter, count: 90) + "\n"
        case .jsonl: return "{\"id\":\"\(id)\",\"text\":\"" + String(repeating: letter, count: 72) + "\"}\n"
        }
      }.joined()
    }
  }

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A file of so many records, a multiple of what is read at first.
  private func file(_ form: Form, _ count: Int = 20_000) throws -> String {
    try folder.write(form.head + form.records(0..<count), to: "a.\(form.rawValue)")
  }

  private func results(_ path: String, _ change: (inout FetchDescriptor) throws -> Void = { _ in }) throws
    -> FetchResults
  {
    let input = try DatasetInput(opening: .file(Array(path.utf8)), options: ReadingOptions())
    var descriptor = FetchDescriptor()
    try change(&descriptor)
    return FetchResults(descriptor, inputs: [input], columns: DatasetColumns(flattens: true))
  }

  /// The rows up to the end or an error.
  private func read(_ results: inout FetchResults) -> (rows: [String], problem: ReadError.Problem?, place: Place?) {
    var rows: [String] = []
    while true {
      var block = RowBlock()
      var mayFollow = false
      var found: ReadError?
      do {
        mayFollow = try results.append(to: &block, limit: 500)
      } catch {
        if case .read(let error) = error { found = error }
      }
      rows += block.rows.map { String(decoding: block.bytes[$0.range], as: UTF8.self) }
      if let found { return (rows, found.problem, found.place) }
      if !mayFollow { return (rows, nil, nil) }
    }
  }

  private func lines(_ form: Form, _ range: Range<Int>, letter: String = "x") -> [String] {
    form.records(range, letter: letter).split(separator: "\n").map(String.init)
  }

  /// Bytes in the place of those that are there.
  private func overwrite(_ path: String, _ text: String, at offset: Int = 0) {
    let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
    unsafe _ = pwrite(descriptor, text, text.utf8.count, off_t(offset))
    close(descriptor)
  }

  @Test(arguments: Form.allCases) func `a file that is cut is an error where it ends`(_ form: Form) throws {
    let path = try file(form)
    var results = try results(path)
    var block = RowBlock()
    _ = try results.append(to: &block, limit: 20)
    let end = form.head.utf8.count + 15_000 * 100
    unsafe _ = truncate(path, off_t(end))
    let (rows, problem, place) = read(&results)
    #expect(rows == lines(form, 20..<15_000))
    #expect(problem == .shrunk)
    #expect(place == Place(lineNumber: form == .csv ? 15_002 : 15_001, column: 1, offset: end))
    // It is met again, and nothing else.
    let again = read(&results)
    #expect(again.rows.isEmpty && again.problem == .shrunk)
  }

  @Test(arguments: Form.allCases) func `what is appended before the end is reached is read`(_ form: Form) throws {
    let path = try file(form)
    var results = try results(path)
    var block = RowBlock()
    _ = try results.append(to: &block, limit: 20)
    try folder.write(form.records(20_000..<22_000), to: "a.\(form.rawValue)", appends: true)
    let (rows, problem, _) = read(&results)
    #expect(rows == lines(form, 20..<22_000) && problem == nil)
    #expect(results.notes.isEmpty)
    // The end that was reached stays the end.
    try folder.write(form.records(22_000..<22_001), to: "a.\(form.rawValue)", appends: true)
    #expect(read(&results).rows.isEmpty)
  }

  @Test(arguments: Form.allCases) func `a pass takes what is appended before it ends`(_ form: Form) throws {
    let path = try file(form)
    var results = try results(path) { $0.sortBy = try SortGrammar.parse("id:desc", columns: nil) }
    try folder.write(form.records(20_000..<22_000), to: "a.\(form.rawValue)", appends: true)
    #expect(read(&results).rows == lines(form, 0..<22_000).reversed())
  }

  @Test(arguments: Form.allCases) func `a file that another takes the place of is read to its end`(_ form: Form) throws
  {
    let path = try file(form)
    var results = try results(path)
    var block = RowBlock()
    _ = try results.append(to: &block, limit: 20)
    let other = try folder.write(form.head + form.records(0..<10, letter: "y"), to: "b")
    unsafe _ = rename(other, path)
    let (rows, problem, _) = read(&results)
    #expect(rows == lines(form, 20..<20_000) && problem == nil)
  }

  @Test(arguments: Form.allCases) func `a file that is written anew is an error, not its rows`(_ form: Form) throws {
    // Longer than before, so that no read comes short.
    let path = try file(form)
    var results = try results(path)
    var block = RowBlock()
    _ = try results.append(to: &block, limit: 20)
    try folder.write(form.head + form.records(0..<30_000, letter: "y"), to: "a.\(form.rawValue)")
    let (rows, problem, _) = read(&results)
    #expect(problem == .rewritten)
    #expect(rows.starts(with: lines(form, 20..<600)))
  }

  @Test func `damage in a file that was written anew is told as that`() throws {
    let path = try file(.jsonl)
    var results = try results(path)
    var block = RowBlock()
    _ = try results.append(to: &block, limit: 20)
    try folder.write(String(repeating: "}", count: 3_000_000), to: "a.jsonl")
    #expect(read(&results).problem == .rewritten)
  }

  @Test(arguments: Form.allCases) func `going back meets no other text`(_ form: Form) async throws {
    let path = try file(form)
    let source = FetchPageSource(try results(path))
    let page = try await source.fetch(offset: 19_000, limit: 20)
    #expect(page.rows.count == 20)
    #expect(try await source.fetch(offset: 100, limit: 20).rows.first?.entry.offset == form.head.utf8.count + 10_000)
    // Of the same size.
    try folder.write(form.head + form.records(0..<20_000, letter: "y"), to: "a.\(form.rawValue)")
    for _ in 0..<2 {
      do {
        _ = try await source.fetch(offset: 10_000, limit: 20)
        Issue.record("rows of another file")
      } catch FetchError.read(let error) {
        #expect(error.problem == .rewritten)
      }
    }
  }

  @Test func `records that are read again for a page are those of the pass`() throws {
    let count = 12_000
    let path = try file(.csv, count)
    func deep(_ descriptor: inout FetchDescriptor) throws {
      descriptor.sortBy = try SortGrammar.parse("id:desc", columns: nil)
      descriptor.fetchOffset = 11_000
      descriptor.fetchLimit = 50
    }
    var sound = try results(path, deep)
    #expect(read(&sound).rows == Array(lines(.csv, 0..<count).reversed()[11_000..<11_050]))
    var results = try results(path, deep)
    var block = RowBlock()
    _ = try results.append(to: &block, limit: 10)
    try folder.write("id,text\n" + Form.csv.records(0..<count, letter: "y"), to: "a.csv")
    let (rows, problem, _) = read(&results)
    #expect(rows.isEmpty && problem == .rewritten)
  }

  @Test func `a file that was written to in the middle is noted`() throws {
    let path = try file(.csv)
    var results = try results(path)
    var block = RowBlock()
    _ = try results.append(to: &block, limit: 20)
    overwrite(path, "y", at: 1_000_050)
    let (rows, problem, _) = read(&results)
    #expect(rows.count == 19_980 && problem == nil)
    #expect(
      results.notes == ["\(path): the file was written to while it was read; rows may be of before or after"])
  }

  @Test func `a position behind rows that were appended meanwhile is sound`() throws {
    let path = try file(.csv)
    let input = try DatasetInput(opening: .file(Array(path.utf8)), options: ReadingOptions())
    var results = FetchResults(FetchDescriptor(), inputs: [input], columns: DatasetColumns(flattens: true))
    try folder.write(Form.csv.records(20_000..<20_010), to: "a.csv", appends: true)
    var block = RowBlock()
    while try results.append(to: &block, limit: 5000) {}
    var tracking = ResumePositionTracking(inputs: [input], sortBy: [], descriptor: "", position: nil)
    let last = try #require(block.rows.last)
    try tracking.advance(to: last, record: block.bytes.span.extracting(last.range), count: block.rows.count)
    let position = try ResumePosition(try #require(tracking.position).text)
    #expect(position.rowCount == 20_010)
    let again = try DatasetInput(opening: .file(Array(path.utf8)), options: ReadingOptions())
    try position.check([again], descriptor: "", isSorted: false)
  }
}
