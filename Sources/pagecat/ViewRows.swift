// Where the pager's rows come from: the rows of a query, each with the fields of its columns. The first rows are fetched by
// themselves before any other, so that a sort or a filter can be tried out while the rows before are still shown.

import Fetching
import Paging
import Reading
import Rendering
import Synchronization

/// The records of a query by pages.
final class ViewRows: Sendable {
  private struct State: Sendable {
    var source: FetchPageSource
    var first: Task<Page<FetchedRow>, any Error>?
  }

  let query: Query
  /// Tells how far a pass of the sort is; cancelled when the rows are given up.
  let monitor = ScanMonitor()
  private let state: Mutex<State>
  private let firstCount: Int
  private let isPipe: Bool

  init(_ query: Query, pageSize: Int) {
    self.query = query
    // Of a sort, the first rows come from a heap, long before all are in order; the more there are, the later all are
    // needed. Without one, a page is what can be waited for.
    firstCount = query.descriptor.sortBy.isEmpty ? pageSize : max(pageSize, 200)
    isPipe = query.descriptor.sortBy.isEmpty && query.inputs.contains { !$0.source.isSeekable }
    state = Mutex(State(source: ViewRows.makeSource(query, monitor)))
  }

  private static func makeSource(_ query: Query, _ monitor: ScanMonitor) -> FetchPageSource {
    var results = FetchResults(
      query.descriptor, inputs: query.inputs, columns: query.columns, collectsColumns: query.collectsColumns)
    results.watch(by: monitor)
    return FetchPageSource(results)
  }

  /// Fetches the first rows.
  func begin() async throws { _ = try await first() }

  func fetch(offset: Int, limit: Int) async throws -> Page<FetchedRow> {
    if offset < firstCount {
      let page = try await first()
      if offset < page.rows.count {
        let end = min(page.rows.count, offset + min(limit, page.rows.count))
        return Page(
          rows: Array(page.rows[offset..<end]), offset: offset, hasMore: end < page.rows.count || page.hasMore)
      }
      if !page.hasMore { return Page(rows: [], offset: offset, hasMore: false) }
    }
    return try await source().fetch(offset: offset, limit: limit)
  }

  private func first() async throws -> Page<FetchedRow> {
    let task = state.withLock { state in
      if let task = state.first { return task }
      let (source, count) = (state.source, firstCount)
      let task = Task.detached(priority: .userInitiated) { try await source.fetch(offset: 0, limit: count) }
      state.first = task
      return task
    }
    do {
      return try await task.value
    } catch {
      // Who asks again tries again.
      state.withLock { if $0.first == task { $0.first = nil } }
      throw error
    }
  }

  /// The source for the next fetch. One that waits for a pipe is left to wait: what it reads is kept, and rows that
  /// were read already must not wait for it.
  private func source() -> FetchPageSource {
    state.withLock { state in
      if isPipe && state.source.idleResults == nil { state.source = ViewRows.makeSource(query, monitor) }
      return state.source
    }
  }

  /// Goes through all rows once, by results of its own, which then take the place of those before: they know where every
  /// row is.
  ///
  /// - Returns: the number of rows; nil where it was cancelled.
  func passToEnd(_ monitor: ScanMonitor) throws(FetchError) -> Int? {
    var results = FetchResults(query.descriptor, inputs: query.inputs, columns: query.columns)
    results.watch(by: monitor)
    results.listen(to: monitor)
    guard let count = try results.passToEnd(), !monitor.isCancelled else { return nil }
    results.watch(by: self.monitor)
    results.listen(to: nil)
    let source = FetchPageSource(results, nextRow: -1)
    state.withLock { $0.source = source }
    return count
  }

  /// Goes on in files that have grown; false where that takes a new query.
  func reopen(_ inputs: [DatasetInput]) -> Bool {
    state.withLock { state in
      guard state.source.reopen(inputs) else { return false }
      // The files may have ended among the first rows.
      state.first = nil
      return true
    }
  }

  /// The number of rows, where a pass for a sort has counted them.
  var sortedRowCount: Int? { state.withLock { $0.source }.sortedRowCount }

  /// What there is to remark on the filter; nil while a fetch is under way.
  var filterNotes: [String]? { state.withLock { $0.source }.idleResults?.filterNotes }

  /// What there is to remark; nothing while a fetch is under way.
  var notes: (damage: [String], others: [String]) {
    state.withLock { state in
      guard let results = state.source.idleResults else { return ([], []) }
      return (results.damageNotes, results.notes)
    }
  }
}

/// The rows with their fields.
final class ViewPageSource: PageSource, Sendable {
  private struct State: Sendable {
    var names: [[UInt8]]
    var hidden: [[UInt8]]
    var readers: [any FieldReader]
    var known: DatasetColumns
    /// Names asked for that no row had so far.
    var absent: [ColumnPlan.AbsentName]
  }

  let rows: ViewRows
  private let state: Mutex<State>
  /// The names once more, for the loop: it must not wait while rows are made ready or searched.
  private let shownNames: Mutex<[[UInt8]]>
  private let isTabular: [Bool]
  /// Whether columns that appear in later rows are shown too.
  private let takesLateColumns: Bool
  /// Where each input begins in the dataset; empty where places tell nothing.
  private let bases: [Int]

  /// - Parameter query: that of the rows, or one that differs in its columns only.
  /// - Throws: `UnknownColumnError`.
  init(_ rows: ViewRows, _ query: Query) throws(UnknownColumnError) {
    self.rows = rows
    let plan = try ColumnPlan(query.columnRequest, known: query.columns.names, inputs: query.inputs)
    state = Mutex(
      State(
        names: plan.names, hidden: plan.hiddenNames, readers: plan.makeReaders(), known: query.columns,
        absent: plan.absentNames))
    hiddenNames = plan.hiddenNames
    shownNames = Mutex(plan.names)
    isTabular = query.inputs.map(\.isTabular)
    takesLateColumns = query.columnRequest.columns == nil
    request = query.columnRequest
    inputs = query.inputs
    var bases: [Int] = []
    var sum = 0
    for input in query.inputs {
      bases.append(sum)
      sum += input.source.size ?? 0
    }
    let hasPlaces = query.descriptor.sortBy.isEmpty && query.inputs.allSatisfy(\.source.isSeekable) && sum > 0
    self.bases = hasPlaces ? bases : []
    size = sum
  }

  /// The rows of a query that was just opened.
  convenience init(opening query: Query, pageSize: Int) throws {
    do throws(UnknownColumnError) {
      try self.init(ViewRows(query, pageSize: pageSize), query)
    } catch {
      throw UsageError("\(error.option ?? "--columns"): " + error.message)
    }
  }

  private let request: ColumnRequest
  private let inputs: [DatasetInput]
  /// The bytes of the dataset.
  let size: Int

  /// The columns, those that appeared late last.
  var names: [[UInt8]] { shownNames.withLock { $0 } }

  /// The columns that --hide leaves out, those aside that appear late.
  let hiddenNames: [[UInt8]]

  /// The columns asked for that no row has had; nil while rows are made ready or searched.
  var absentNames: [ColumnPlan.AbsentName]? { state.withLockIfAvailable { $0.absent } }

  func fetch(offset: Int, limit: Int) async throws -> Page<ViewerRow> {
    let page = try await rows.fetch(offset: offset, limit: limit)
    return Page(rows: viewed(page.rows), offset: page.offset, hasMore: page.hasMore)
  }

  /// Where a row ends in the dataset.
  func endOffset(of entry: RowEntry) -> Int {
    bases.indices.contains(entry.inputIndex) ? bases[entry.inputIndex] + entry.offset + entry.count : 0
  }

  /// The rows with their fields.
  func viewed(_ rows: [FetchedRow]) -> [ViewerRow] {
    state.withLock { state in rows.map { viewed($0, &state) } }
  }

  private func viewed(_ row: FetchedRow, _ state: inout State) -> ViewerRow {
    let entry = row.entry
    return row.withRecord { record in
      if takesLateColumns && !isTabular[entry.inputIndex] {
        let late = state.known.add(record: record)
        if !late.isEmpty { add(late, to: &state) }
      }
      var fields: [Field] = []
      state.readers[entry.inputIndex].read(record, into: &fields)
      if !state.absent.isEmpty {
        state.absent.removeAll { absent in
          absent.columnIndex.map { fields.indices.contains($0) && fields[$0].kind != .missing } ?? false
        }
      }
      var bytes: [UInt8] = []
      bytes.append(copying: record)
      return ViewerRow(record: bytes, fields: fields, endOffset: endOffset(of: entry))
    }
  }

  private func add(_ late: [[UInt8]], to state: inout State) {
    guard let plan = try? ColumnPlan(request, known: state.hidden + state.names + late, inputs: inputs) else { return }
    state.names = plan.names
    state.hidden = plan.hiddenNames
    state.readers = plan.makeReaders()
    state.absent = plan.absentNames
    shownNames.withLock { $0 = plan.names }
  }
}
