// Runs the state machine by hand, without tasks: the test says when a fetch ends, so that any order of events can be made.

import TestSupport

@testable import Paging

struct MachineDriver {
  typealias Machine = PagerStateMachine<Int>
  typealias Fetch = ScriptedPageSource<Int>.Fetch

  var machine: Machine
  /// The result: the row at index i is `rows[i]`.
  var rows: [Int]
  /// Rows that cannot be read, with the times they fail.
  var failures: [Int: Int] = [:]
  var longestPage = Int.max
  private(set) var fetches: [Fetch] = []
  private(set) var running: (ticket: FetchTicket, fetch: Fetch)?
  /// Cancelled fetches that have not ended yet.
  private(set) var cancelled: [(ticket: FetchTicket, fetch: Fetch)] = []
  private(set) var answers: [Int: Machine.Answer] = [:]
  private(set) var updates = 0
  private(set) var faults: [String] = []
  private var nextAsker = 0

  init(rows: Int, pageSize: Int = 20, margin: Int? = nil, cacheLimit: Int = 10_000) {
    machine = Machine(PagerConfiguration(pageSize: pageSize, prefetchMargin: margin, cacheLimit: cacheLimit))
    self.rows = Array(0..<rows)
  }

  mutating func event(_ event: (inout Machine) -> [Machine.Action]) {
    for action in event(&machine) {
      switch action {
      case .fetch(let ticket, let offset, let limit):
        if running != nil { faults.append("two fetches at a time") }
        if limit < 1 || offset < 0 { faults.append("fetch of \(limit) at \(offset)") }
        fetches.append(Fetch(offset, limit))
        running = (ticket, Fetch(offset, limit))
      case .cancelFetch(let ticket):
        guard let running, running.ticket == ticket else {
          faults.append("cancels what does not run")
          continue
        }
        cancelled.append(running)
        self.running = nil
      case .answer(let asker, let answer):
        if answers[asker] != nil { faults.append("answered twice") }
        answers[asker] = answer
      case .update:
        updates += 1
      }
    }
  }

  mutating func view(_ range: Range<Int>) { event { $0.setView(range) } }

  @discardableResult
  mutating func ask(_ row: Int) -> Int {
    nextAsker += 1
    let asker = nextAsker
    event { $0.ask(row: row, asker: asker) }
    return asker
  }

  /// Ends the running fetch as the script has it.
  mutating func complete() {
    guard let (ticket, fetch) = running else { return }
    running = nil
    let result = result(of: fetch)
    event { $0.fetched(ticket, result) }
  }

  /// Ends a cancelled fetch, as if it had not noticed.
  mutating func completeCancelled() {
    guard let (ticket, fetch) = cancelled.popLast() else { return }
    let result = result(of: fetch)
    event { $0.fetched(ticket, result) }
  }

  /// Ends the running fetch in a way of the test's own.
  mutating func complete(with result: Result<Page<Int>, any Error>) {
    guard let ticket = running?.ticket else { return }
    running = nil
    event { $0.fetched(ticket, result) }
  }

  /// Ends fetches until none is running.
  mutating func settle() {
    var left = 5_000
    while running != nil, left > 0 {
      complete()
      left -= 1
    }
    if left == 0 { faults.append("fetches for ever") }
  }

  private mutating func result(of fetch: Fetch) -> Result<Page<Int>, any Error> {
    if let left = failures[fetch.offset], left > 0 {
      failures[fetch.offset] = left - 1
      return .failure(ScriptedError(offset: fetch.offset))
    }
    let first = min(fetch.offset, rows.count)
    var end = first + min(fetch.limit, longestPage, rows.count - first)
    if let bad = failures.filter({ $0.value > 0 && $0.key > first }).keys.min() { end = min(end, bad) }
    return .success(Page(rows: Array(rows[first..<end]), offset: fetch.offset, hasMore: end < rows.count))
  }

  // MARK: What the askers got

  func isAnswered(_ asker: Int) -> Bool { answers[asker] != nil }

  /// Ask, and tell what the answer was at once.
  mutating func row(asking row: Int) -> Int? {
    let asker = ask(row)
    return self.row(asker)
  }

  mutating func error(asking row: Int) -> (any Error)? {
    let asker = ask(row)
    return error(asker)
  }

  mutating func isPastEnd(asking row: Int) -> Bool {
    let asker = ask(row)
    return isPastEnd(asker)
  }

  /// The first row of the answer.
  func row(_ asker: Int) -> Int? {
    guard case .success(let rows) = answers[asker] else { return nil }
    return rows?.first
  }

  func isPastEnd(_ asker: Int) -> Bool {
    guard case .success(nil) = answers[asker] else { return false }
    return true
  }

  func error(_ asker: Int) -> (any Error)? {
    guard case .failure(let error) = answers[asker] else { return nil }
    return error
  }
}

extension RowState<Int> {
  var text: String {
    switch self {
    case .loaded(let row): "\(row)"
    case .loading: "loading"
    case .failed(let error): error is CancellationError ? "cancelled" : "failed"
    case .pastEnd: "past end"
    }
  }
}
