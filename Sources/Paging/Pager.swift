// Performs what `PagerStateMachine` decides: one lock around the state, one task for the fetch under way. No actor, so
// that a viewer can draw and a printer can wait without going through `await`. A task is stored under the lock that made
// it, before it can end; answers and callbacks are given after the lock has been left.

import Dispatch
import Synchronization

/// Pages of a result, each loaded once however many ask, the next ones ready before they are needed.
///
/// All calls may be made from any thread, and none waits for the source except those that say so.
package final class Pager<Row: Sendable>: Sendable {
  package typealias Rows = ArraySlice<Row>
  private typealias Machine = PagerStateMachine<Row>

  private struct State: Sendable {
    var machine: Machine
    var source: any PageSource<Row>
    var task: (ticket: FetchTicket, task: Task<Void, Never>)?
    var askers: [Int: @Sendable (Machine.Answer) -> Void] = [:]
    var nextAsker = 0
  }

  package let configuration: PagerConfiguration
  private let state: Mutex<State>
  private let onUpdateCount: (@Sendable (PagerCount) -> Void)?

  /// - Parameters:
  ///   - source: where the pages come from. Nothing is fetched until a row is asked for or comes into view.
  ///   - loaded: rows from the first on that somebody has got from the source already.
  ///   - onUpdateCount: called, on whatever thread, whenever a page, an error or the end has arrived: time to draw again.
  ///     Two calls may overtake each other, `count` is always the latest.
  package init(
    source: any PageSource<Row>, configuration: PagerConfiguration, loaded: Page<Row>? = nil,
    onUpdateCount: (@Sendable (PagerCount) -> Void)? = nil
  ) {
    self.configuration = configuration
    self.onUpdateCount = onUpdateCount
    var machine = Machine(configuration)
    if let loaded { machine.load(loaded) }
    state = Mutex(State(machine: machine, source: source))
  }

  deinit {
    state.withLock { $0.task?.task.cancel() }
  }

  // MARK: For a viewer: at once, whatever is there

  /// Tells which rows are in view, loaded or not, and fetches what the margin asks for.
  package func rowsInView(_ range: Range<Int>) {
    perform { $0.setView(range) }
  }

  /// Moves the view to a place that need not be near: as `rowsInView`, but cancels a fetch that is of no use there.
  package func jump(to range: Range<Int>) {
    perform { $0.jump(to: range) }
  }

  /// What can be shown at a row's place.
  package func state(ofRow row: Int) -> RowState<Row> {
    state.withLock { $0.machine.state(ofRow: row) }
  }

  /// The row, if it is in memory.
  package func loadedRow(at row: Int) -> Row? {
    state.withLock { $0.machine.loadedRow(at: row) }
  }

  /// The rows of the range that are in memory, up to the first that is not.
  package func loadedRows(in range: Range<Int>) -> [Row] {
    state.withLock { state in
      var rows: [Row] = []
      var next = range.lowerBound
      while next < range.upperBound, let more = state.machine.loadedRows(from: next) {
        rows += more.prefix(range.upperBound - next)
        next = next.addingClamped(more.count)
      }
      return rows
    }
  }

  package var count: PagerCount { state.withLock { $0.machine.count } }

  /// Whether a fetch is under way whose rows are still wanted.
  package var isFetching: Bool { state.withLock { $0.machine.isFetching } }

  package var statistics: PagerStatistics { state.withLock { $0.machine.statistics } }

  /// Goes up by one whenever the source is replaced.
  package var revision: Int { state.withLock { $0.machine.revision } }

  // MARK: Steering

  /// Shows another result: drops all rows and what still comes of the old one, and answers who waits with
  /// `CancellationError`. The view is to be told again.
  package func replaceSource(_ source: any PageSource<Row>) {
    perform {
      $0.replaceSource()
    } also: {
      $0.source = source
    }
  }

  /// Fetches again what failed, and goes on after `cancel()`.
  package func retry() {
    perform { $0.retry() }
  }

  /// Stops fetching. Rows in memory stay; who waits, or asks for others, gets `CancellationError` until `retry()`.
  package func cancel() {
    perform { $0.stop() }
  }

  /// Tells the number of rows, where a pass has counted them.
  package func setTotal(_ total: Int) {
    perform { $0.setTotal(total) }
  }

  /// Looks past the end again, for a file that grows. A last page that was not full is filled up.
  ///
  /// - Parameter dropsLastRow: whether the last row may have grown itself, and is to be fetched again.
  package func forgetEnd(dropsLastRow: Bool = false) {
    perform { $0.forgetEnd(dropsLastRow: dropsLastRow) }
  }

  /// Lets fetches grow to many pages while the reader of a pipe or file keeps up, and brings them back to one, and the
  /// margin to what was asked for, when it stalls. Call it with `true` after each write that did not block.
  package func readerKeepsUp(_ keepsUp: Bool) {
    perform { $0.readerKeepsUp(keepsUp) }
  }

  // MARK: Waiting

  /// The row, or `nil` past the end.
  ///
  /// - Throws: what the source threw when this row was fetched; asking again tries again. `CancellationError` when the
  ///   task or the pager was cancelled, or the source replaced.
  package func row(at index: Int) async throws -> Row? {
    try await rows(from: index)?.first
  }

  /// The rows of a range, fewer where the result ends in it. Throws as `row(at:)`.
  package func rows(in range: Range<Int>) async throws -> [Row] {
    var rows: [Row] = []
    var next = range.lowerBound
    while next < range.upperBound, let more = try await self.rows(from: next), !more.isEmpty {
      rows += more.prefix(range.upperBound - next)
      next = next.addingClamped(more.count)
    }
    return rows
  }

  /// The row and those after it that have come of its page; `nil` past the end. Throws as `row(at:)`.
  package func rows(from index: Int) async throws -> Rows? {
    if let rows = state.withLock({ $0.machine.take(from: index) }) { return rows }
    let asker = newAsker()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        ask(index, asker) { continuation.resume(with: $0) }
        // A cancellation before the asker was known has found nobody to withdraw.
        if Task.isCancelled { withdraw(asker) }
      }
    } onCancel: {
      withdraw(asker)
    }
  }

  /// As `rows(from:)`, for a plain thread, which it blocks; not to be called on a thread of the cooperative pool.
  package func waitForRows(from index: Int) throws -> Rows? {
    if let rows = state.withLock({ $0.machine.take(from: index) }) { return rows }
    return try waitForAnswer(index, isReader: true)
  }

  /// As `waitForRows(from:)`, for a thread that writes to a reader.
  ///
  /// - Parameter didWait: set to true where the rows were not there; `noteWait` is then to be told of the reader.
  func waitForRows(from index: Int, didWait: inout Bool) throws -> Rows? {
    if let rows = state.withLock({ $0.machine.take(from: index) }) { return rows }
    let rows = try waitForAnswer(index, isReader: false)
    if rows != nil { didWait = true }
    return rows
  }

  private func waitForAnswer(_ index: Int, isReader: Bool) throws -> Rows? {
    let answer = AnswerBox<Row>()
    ask(index, newAsker(), isReader: isReader) { answer.fill($0) }
    return try answer.wait()
  }

  /// A page has come that was waited for; tells whether the reader had nothing left to read by then.
  func noteWait(readerWaited: Bool) {
    state.withLock { $0.machine.noteWait(readerWaited: readerWaited) }
  }

  /// As `rows(in:)`, for a plain thread, which it blocks.
  package func waitForRows(in range: Range<Int>) throws -> [Row] {
    var rows: [Row] = []
    var next = range.lowerBound
    while next < range.upperBound, let more = try waitForRows(from: next), !more.isEmpty {
      rows += more.prefix(range.upperBound - next)
      next = next.addingClamped(more.count)
    }
    return rows
  }

  /// Whether the row is in memory, or in what is being fetched.
  func isOnTheWay(row: Int) -> Bool {
    state.withLock { $0.machine.isOnTheWay(row: row) }
  }

  /// Whether the result is not known to end before this row.
  func mayHaveRow(at index: Int) -> Bool {
    state.withLock { $0.machine.mayHaveRow(at: index) }
  }

  // MARK: Performing

  private func newAsker() -> Int {
    state.withLock { state in
      state.nextAsker &+= 1
      return state.nextAsker
    }
  }

  private func ask(
    _ row: Int, _ asker: Int, isReader: Bool = true, _ resume: @escaping @Sendable (Machine.Answer) -> Void
  ) {
    perform {
      $0.ask(row: row, asker: asker, isReader: isReader)
    } also: {
      $0.askers[asker] = resume
    }
  }

  private func withdraw(_ asker: Int) {
    perform { $0.withdraw(asker: asker) }
  }

  private func perform(
    _ event: (inout Machine) -> [Machine.Action], also change: (inout State) -> Void = { _ in }
  ) {
    let afterwards = state.withLock { state in
      let actions = event(&state.machine)
      change(&state)
      return actions.compactMap { perform($0, &state) }
    }
    for action in afterwards { action() }
  }

  /// Performs an action under the lock, or returns what must wait until it is left.
  private func perform(_ action: Machine.Action, _ state: inout State) -> (@Sendable () -> Void)? {
    switch action {
    case .fetch(let ticket, let offset, let limit):
      let source = state.source
      let task = Task.detached(priority: .userInitiated) { [weak self] in
        let result: Result<Page<Row>, any Error>
        do {
          result = .success(try await source.fetch(offset: offset, limit: limit))
        } catch {
          result = .failure(error)
        }
        self?.perform {
          $0.fetched(ticket, result)
        } also: { state in
          if state.task?.ticket == ticket { state.task = nil }
        }
      }
      state.task = (ticket, task)
    case .cancelFetch(let ticket):
      guard let running = state.task, running.ticket == ticket else { return nil }
      state.task = nil
      running.task.cancel()
    case .answer(let asker, let answer):
      guard let resume = state.askers.removeValue(forKey: asker) else { return nil }
      return { resume(answer) }
    case .update:
      guard let onUpdateCount else { return nil }
      let count = state.machine.count
      return { onUpdateCount(count) }
    }
    return nil
  }
}

/// Where a blocked thread finds its answer.
private final class AnswerBox<Row: Sendable>: Sendable {
  private let answer = Mutex<PagerStateMachine<Row>.Answer?>(nil)
  private let filled = DispatchSemaphore(value: 0)

  func fill(_ answer: PagerStateMachine<Row>.Answer) {
    self.answer.withLock { $0 = answer }
    filled.signal()
  }

  func wait() throws -> ArraySlice<Row>? {
    filled.wait()
    return try answer.withLock { $0 }?.get() ?? nil
  }
}
