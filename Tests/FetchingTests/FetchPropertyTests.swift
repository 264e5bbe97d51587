// Whatever way rows are found by, they are those of "filter, stable sort, slice" of an array. Random datasets in every
// format are asked random questions by every plan, in one piece and in many small ranges.

import Fetching
import Reading
import TestSupport
import Testing

struct FetchPropertyTests {
  @Test(arguments: ModelDataset.Format.allCases, 1...3)
  func `every plan answers as an array would`(_ format: ModelDataset.Format, seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed &* 1000))
    var printedRows = 0
    for _ in 0..<12 {
      let dataset = ModelDataset(
        format, records: (format == .wrapped ? 1 : 0) + generator.below(generator.oneIn(3) ? 4 : 120), &generator)
      let file = try TemporaryFile(dataset.bytes, ending: format.ending)
      for _ in 0..<4 {
        let question = try Question(&generator)
        let expected = question.answer(dataset)
        for scan in Self.configurations {
          for plan in Plan.allCases {
            let found = try rows(question, of: file, by: plan, scan)
            let wanted = plan.slice(expected, question)
            #expect(
              found == wanted, "\(question), \(plan), \(scan):\n\(String(decoding: dataset.bytes, as: UTF8.self))")
            if found != wanted { return }
            if case .rows(let rows) = found { printedRows += rows.count }
          }
        }
      }
    }
    #expect(printedRows > 500)
  }

  @Test(arguments: ModelDataset.Format.allCases)
  func `pages joined are the whole`(_ format: ModelDataset.Format) throws {
    var generator = SeededGenerator(seed: 77)
    for _ in 0..<12 {
      let dataset = ModelDataset(format, records: 20 + generator.below(60), &generator)
      let file = try TemporaryFile(dataset.bytes, ending: format.ending)
      let question = try Question(&generator)
      guard case .rows(let expected) = question.answer(dataset) else { continue }
      var joined: [String] = []
      var offset = 0
      while offset == 0 || joined.count == offset {
        var page = question
        page.offset = offset
        page.limit = 7
        let found = try rows(page, of: file, by: .limited, Self.configurations[offset / 7 % Self.configurations.count])
        guard case .rows(let rows) = found else { break }
        joined += rows
        offset += 7
      }
      #expect(joined == expected, "\(question)")
    }
  }

  @Test(arguments: ModelDataset.Format.allCases)
  func `a shuffle of the records gives the same sequence of keys`(_ format: ModelDataset.Format) throws {
    var generator = SeededGenerator(seed: 99)
    for _ in 0..<12 {
      var dataset = ModelDataset(format, records: 20 + generator.below(60), &generator)
      var question = try Question(&generator)
      while question.sorts.isEmpty { question = try Question(&generator) }
      let inOrder = try distinctKeys(question, dataset)
      for _ in 0..<3 {
        dataset.records.shuffle(using: &generator)
        #expect(try distinctKeys(question, dataset) == inOrder, "\(question)")
      }
    }
  }

  /// The keys of the rows found, equal neighbours as one; each by the id of the first record that has this key.
  private func distinctKeys(_ question: Question, _ dataset: ModelDataset) throws -> [Int] {
    let file = try TemporaryFile(dataset.bytes, ending: dataset.format.ending)
    guard case .rows(let texts) = try rows(question, of: file, by: .everything, Self.configurations[1]) else {
      return []
    }
    let byText = Dictionary(dataset.records.map { ($0.text, $0) }, uniquingKeysWith: { first, _ in first })
    let byID = dataset.records.sorted { $0.id < $1.id }
    var keys: [Int] = []
    for text in texts {
      let record = try #require(byText[text])
      let key = byID.first { question.order($0, record) == 0 }?.id ?? -1
      if keys.last != key { keys.append(key) }
    }
    #expect(Set(keys).count == keys.count, "\(question): a key stands in two places")
    return keys
  }

  private static let configurations = [
    ScanConfiguration(), ScanConfiguration(threadCount: 1, rangeSize: 200, chunkSize: 64),
    ScanConfiguration(threadCount: 3, rangeSize: 300, chunkSize: 256),
    ScanConfiguration(threadCount: 2, rangeSize: 7, chunkSize: 32),
  ]

  /// Which rows are asked for, and so which plan is made.
  private enum Plan: CaseIterable {
    /// Offset and limit of the question: a stream, or the heap.
    case limited
    /// More than the heap holds.
    case largeLimit
    /// All, from the question's offset on.
    case everything

    func slice(_ answer: Answer, _ question: Question) -> Answer {
      // Without rows to print there is no pass that could miss a key.
      if self == .limited && question.limit == 0 { return .rows([]) }
      guard case .rows(let rows) = answer else { return answer }
      let rest = rows.dropFirst(question.offset)
      return .rows(Array(self == .limited ? rest.prefix(question.limit) : rest))
    }
  }

  private func rows(
    _ question: Question, of file: TemporaryFile, by plan: Plan, _ scan: ScanConfiguration
  ) throws -> Answer {
    var descriptor = FetchDescriptor(predicate: question.predicate, sortBy: question.sorts)
    descriptor.fetchOffset = question.offset
    descriptor.fetchLimit =
      switch plan {
      case .limited: question.limit
      case .largeLimit: FetchingLimits.topRowsCapacity + 1
      case .everything: nil
      }
    var input = try DatasetInput(opening: .file(Array(file.path.utf8)), options: ReadingOptions())
    var columns = DatasetColumns(flattens: false)
    var sampled = 0
    try columns.add(&input, sampled: &sampled)
    var results = FetchResults(descriptor, inputs: [input], columns: columns, scanConfiguration: scan)
    switch (plan, question.sorts.isEmpty) {
    case (_, true): #expect(results.plan == .stream)
    case (.limited, _): #expect(results.plan == .topRows(capacity: question.offset + question.limit))
    default: #expect(results.plan == .fullOrder)
    }
    var rows: [String] = []
    do throws(FetchError) {
      var mayFollow = true
      while mayFollow {
        var block = RowBlock()
        mayFollow = try results.append(to: &block, limit: 7, byteLimit: 500)
        if mayFollow && rows.count % 3 == 0 { mayFollow = results.appendAtHand(to: &block, limit: 5) }
        for row in block.rows { rows.append(String(decoding: block.bytes[row.range], as: UTF8.self)) }
      }
    } catch {
      switch error {
      case .unknownSortKey(let unknown): return .unknownSortKey(String(decoding: unknown.name, as: UTF8.self))
      case .read: throw error
      }
    }
    return .rows(rows)
  }
}

/// What comes of a question.
enum Answer: Equatable {
  case rows([String])
  case unknownSortKey(String)
}

/// A random descriptor, and what it means.
struct Question: CustomStringConvertible {
  var filter: Filter
  var sorts: [SortDescriptor]
  var offset: Int
  var limit: Int
  var predicate: Predicate?

  enum Filter: Equatable {
    case none
    case idAtLeast(Int)
    case isNull(String)
    case isNotNull(String)
    case numberAtLeast(String, Int)
    case never

    var text: String? {
      switch self {
      case .none: nil
      case .idAtLeast(let id): "id >= \(id)"
      case .isNull(let name): "\(name) is null"
      case .isNotNull(let name): "\(name) is not null"
      case .numberAtLeast(let name, let least): "\(name) >= \(least)"
      case .never: "id < 0"
      }
    }

    func holds(_ record: ModelRecord) -> Bool {
      switch self {
      case .none: true
      case .idAtLeast(let id): record.id >= id
      case .isNull(let name): record.value(name).isNull
      case .isNotNull(let name): !record.value(name).isNull
      case .numberAtLeast(let name, let least):
        if case .number(let number) = record.value(name).value { number >= Decimal10("\(least)") } else { false }
      case .never: false
      }
    }
  }

  init(_ generator: inout SeededGenerator) throws {
    let names = ["a", "b", "c"]
    filter =
      switch generator.below(12) {
      case 0: .idAtLeast(generator.below(60))
      case 1: .isNull(generator.pick(names))
      case 2: .isNotNull(generator.pick(names))
      case 3: .numberAtLeast(generator.pick(names), generator.below(12) - 2)
      case 4: .never
      default: .none
      }
    predicate = try filter.text.map { try Predicate(parsing: $0, now: 0) }
    sorts = []
    for _ in 0..<generator.pick([0, 1, 1, 1, 2, 2, 3]) {
      var sort = SortDescriptor(
        FieldName(generator.pick(names + ["id"])), order: generator.oneIn(2) ? .reverse : .forward)
      switch generator.below(8) {
      case 0: sort.kind = .text
      case 1: sort.kind = .number
      case 2: sort.kind = .date
      case 3:
        sort.kind = .text
        sort.ignoresCase = true
      default: break
      }
      if generator.oneIn(4) { sort.nulls = .first }
      sorts.append(sort)
    }
    offset = generator.pick([0, 0, 0, 1, 5, 30, 200])
    limit = generator.pick([0, 1, 2, 7, 20, 100, 500])
  }

  var description: String {
    "--filter '\(filter.text ?? "")' --sort \(sorts.map(\.description)) --offset \(offset) --limit \(limit)"
  }

  /// All rows in order; offset and limit are the caller's.
  func answer(_ dataset: ModelDataset) -> Answer {
    for sort in sorts where !dataset.records.isEmpty && !dataset.hasField(sort.key.description) {
      return .unknownSortKey(sort.key.description)
    }
    let wanted = dataset.records.filter { filter.holds($0) }
    let ordered = wanted.enumerated().sorted { left, right in
      let order = order(left.element, right.element)
      return order != 0 ? order < 0 : left.offset < right.offset
    }
    return .rows(ordered.map(\.element.text))
  }

  /// Below 0, 0 or above 0, by all keys.
  func order(_ left: ModelRecord, _ right: ModelRecord) -> Int {
    for sort in sorts {
      let left = left.value(sort.key.description).converted(sort)
      let right = right.value(sort.key.description).converted(sort)
      if left.isNull || right.isNull {
        if left.isNull && right.isNull { continue }
        return left.isNull == (sort.nulls == .first) ? -1 : 1
      }
      if left.rank != right.rank { return left.rank - right.rank }
      let order = left.compare(right)
      if order != 0 { return sort.order == .reverse ? -order : order }
    }
    return 0
  }
}
