// All that a pager decides, without a task, a lock or a clock: each event changes the state and gives back the actions that
// `Pager` has to perform. One fetch runs at a time. What has been asked for goes before what is in view, and that before
// what may come into view; and after each event the question "what is to be fetched now?" is simply asked anew, so that no
// order of events leaves rows in view unfetched or a page fetched twice.

/// Names one fetch. A result whose ticket is no longer the running one is late, and dropped.
struct FetchTicket: Sendable, Hashable {
  /// Which source: goes up by one whenever the source is replaced.
  var revision: Int
  var number: Int
}

struct PagerStateMachine<Row: Sendable>: Sendable {
  /// The rows from the one asked for to the end of what has come of its page; `nil` past the end.
  typealias Answer = Result<ArraySlice<Row>?, any Error>

  enum Action: Sendable {
    case fetch(FetchTicket, offset: Int, limit: Int)
    case cancelFetch(FetchTicket)
    case answer(asker: Int, Answer)
    /// The count, or what can be shown at a row's place, has changed.
    case update
  }

  private struct Running {
    var ticket: FetchTicket
    var range: Range<Int>
    var isAhead: Bool
  }

  private struct Failure {
    var error: any Error
    /// Somebody has been told; who asks again asks for another try.
    var isRevealed: Bool
  }

  /// Failures remembered at once; a reader who jumps about in a broken file must not fill the memory with them.
  private static var failureLimit: Int { 64 }

  let configuration: PagerConfiguration
  private let policy: PrefetchPolicy
  private(set) var count = PagerCount()
  private(set) var statistics = PagerStatistics()
  private(set) var revision = 0
  private var cache: PageCache<Row>
  private var pace: FetchPace
  private var view: Range<Int>?
  private var isMovingUp = false
  private var lastAsked = 0
  private var isStopped = false
  private var running: Running?
  private var waiting: [(asker: Int, row: Int)] = []
  /// By the offset of the fetch that failed.
  private var failures: [Int: Failure] = [:]
  /// No row is at or after this index, though the last row need not be the one before.
  private var endBound = Int.max
  private var nextTicketNumber = 0

  init(_ configuration: PagerConfiguration) {
    self.configuration = configuration
    policy = PrefetchPolicy(pageSize: configuration.pageSize, margin: configuration.prefetchMargin)
    cache = PageCache(pageSize: configuration.pageSize, limit: configuration.cacheLimit)
    pace = FetchPace(configuration)
  }

  // MARK: Looking, without changing what is fetched

  /// Where the result is known to have ended.
  private var knownEnd: Int { min(count.total ?? .max, endBound) }

  var isFetching: Bool { running != nil }

  /// The row if it is in memory.
  func loadedRow(at row: Int) -> Row? { cache.row(at: row) }

  func loadedRows(from row: Int) -> ArraySlice<Row>? { cache.rows(from: row) }

  /// Whether the row is in memory, or in what is being fetched.
  func isOnTheWay(row: Int) -> Bool { cache.row(at: row) != nil || running?.range.contains(row) == true }

  /// Whether the result is not known to end before this row.
  func mayHaveRow(at row: Int) -> Bool { row < knownEnd }

  /// What to show for a row; a failure shown is one revealed.
  mutating func state(ofRow row: Int) -> RowState<Row> {
    if let loaded = cache.row(at: row) { return .loaded(loaded) }
    if row < 0 || row >= knownEnd { return .pastEnd }
    let offset = cache.fetchOffset(forRow: row)
    if let failure = failures[offset] {
      failures[offset]?.isRevealed = true
      return .failed(failure.error)
    }
    return isStopped ? .failed(CancellationError()) : .loading
  }

  // MARK: Events from the reader

  /// As `ask`, for rows that are in memory: no asker has to be remembered.
  mutating func take(from row: Int) -> ArraySlice<Row>? {
    guard let rows = cache.rows(from: row) else { return nil }
    lastAsked = row
    statistics.prefetchHits += cache.markNeeded(row..<(row + 1))
    return rows
  }

  /// Somebody needs a row and waits for it.
  ///
  /// - Parameter isReader: whether that is the reader. Whoever writes to one may be ahead of it, and tells by `noteWait`,
  ///   once the row is there, what became of the reader meanwhile.
  mutating func ask(row: Int, asker: Int, isReader: Bool = true) -> [Action] {
    guard row >= 0, row < .max else { return [.answer(asker: asker, .success(nil))] }
    if let rows = take(from: row) { return [.answer(asker: asker, .success(rows))] }
    lastAsked = row
    if row >= knownEnd { return [.answer(asker: asker, .success(nil))] }
    if isStopped { return [.answer(asker: asker, .failure(CancellationError()))] }
    let offset = cache.fetchOffset(forRow: row)
    if let failure = failures[offset] {
      if !failure.isRevealed {
        failures[offset]?.isRevealed = true
        return [.answer(asker: asker, .failure(failure.error))]
      }
      failures[offset] = nil
    }
    if isReader { noteNeeded(row..<(row + 1)) }
    waiting.append((asker, row))
    return schedule()
  }

  /// A page has come that somebody waited for who writes to a reader.
  ///
  /// - Parameter readerWaited: whether the reader had nothing left to read when it came.
  mutating func noteWait(readerWaited: Bool) {
    if readerWaited { statistics.latePages += 1 } else { statistics.prefetchHits += 1 }
  }

  /// An asker no longer waits.
  mutating func withdraw(asker: Int) -> [Action] {
    guard let index = waiting.firstIndex(where: { $0.asker == asker }) else { return [] }
    waiting.remove(at: index)
    return [.answer(asker: asker, .failure(CancellationError()))] + cancelUnlessWanted() + schedule()
  }

  /// These rows are in view, whether loaded or not.
  mutating func setView(_ range: Range<Int>) -> [Action] {
    let range = range.clamped(to: 0..<Int.max)
    guard !range.isEmpty else {
      view = nil
      return []
    }
    if let view, view.lowerBound != range.lowerBound { isMovingUp = range.lowerBound < view.lowerBound }
    view = range
    statistics.prefetchHits += cache.markNeeded(range)
    noteNeeded(range)
    return schedule()
  }

  /// The view goes to another place; a fetch that is of no use there is cancelled.
  mutating func jump(to range: Range<Int>) -> [Action] {
    view = nil
    isMovingUp = false
    let range = range.clamped(to: 0..<Int.max)
    guard !range.isEmpty else { return cancelUnlessWanted() + schedule() }
    view = range
    let cancelled = cancelUnlessWanted()
    return cancelled + setView(range)
  }

  mutating func readerKeepsUp(_ keepsUp: Bool) -> [Action] {
    pace.readerKeepsUp(keepsUp)
    return keepsUp ? schedule() : []
  }

  /// Forgets failures and a stop, and fetches what is wanted.
  mutating func retry() -> [Action] {
    isStopped = false
    failures.removeAll()
    return [.update] + schedule()
  }

  /// Cancels what runs and starts nothing, until `retry` or another source. Rows in memory stay.
  mutating func stop() -> [Action] {
    isStopped = true
    return cancelRunning() + dismissWaiting() + [.update]
  }

  /// Another result takes the place of this one.
  mutating func replaceSource() -> [Action] {
    let actions = cancelRunning() + dismissWaiting()
    revision &+= 1
    cache.removeAll()
    failures.removeAll()
    count = PagerCount()
    endBound = .max
    view = nil
    isMovingUp = false
    lastAsked = 0
    isStopped = false
    pace.readerKeepsUp(false)
    return actions + [.update]
  }

  /// Somebody has counted the rows.
  mutating func setTotal(_ total: Int) -> [Action] {
    count.total = max(0, total)
    return [.update] + answerPastEnd() + schedule()
  }

  /// The result may have grown: the next look past the end fetches again.
  ///
  /// - Parameter dropsLastRow: whether the last row may have grown itself.
  mutating func forgetEnd(dropsLastRow: Bool = false) -> [Action] {
    if dropsLastRow { cache.dropLast(row: (count.total ?? count.reached) - 1) }
    count.total = nil
    endBound = .max
    return [.update] + schedule()
  }

  // MARK: Events from the source

  mutating func fetched(_ ticket: FetchTicket, _ result: Result<Page<Row>, any Error>) -> [Action] {
    guard let running, running.ticket == ticket else {
      statistics.droppedResults += 1
      return []
    }
    self.running = nil
    var actions: [Action] = []
    switch result.flatMap({ checked($0, for: running) }) {
    case .success(let page): actions = accept(page)
    case .failure(let error): actions = fail(running, error)
    }
    return actions + [.update] + schedule()
  }

  /// Takes in rows that were fetched by somebody else; they were needed at once.
  mutating func load(_ page: Page<Row>) {
    learnEnd(of: page)
    statistics.pagesFetched += cache.store(page.rows, at: page.offset) { _ in false }
  }

  private func checked(_ page: Page<Row>, for running: Running) -> Result<Page<Row>, any Error> {
    guard page.offset == running.range.lowerBound else {
      return .failure(PagingError.misplacedPage(requested: running.range.lowerBound, received: page.offset))
    }
    if page.rows.isEmpty && page.hasMore { return .failure(PagingError.noProgress(offset: page.offset)) }
    guard page.rows.count > running.range.count else { return .success(page) }
    return .success(Page(fetched: page.rows, offset: page.offset, limit: running.range.count))
  }

  private mutating func accept(_ page: Page<Row>) -> [Action] {
    learnEnd(of: page)
    let (range, pageSize, view, waiting) = (page.offset..<page.end, configuration.pageSize, view, waiting)
    statistics.pagesFetched += cache.store(page.rows, at: page.offset) { part in
      !(view?.overlaps(part) ?? false) && !waiting.contains { part.contains($0.row) }
    }
    if page.rows.isEmpty { statistics.pagesFetched += 1 }
    // Answered from the page itself: the cache may have to drop it at once.
    let answers = answerWaiting { row in
      guard range.contains(row) else { return nil }
      let first = row - page.offset
      let pageRest = pageSize - row % pageSize
      return .success(page.rows[first..<min(page.rows.count, first.addingClamped(pageRest))])
    }
    // What has come of the page that is fetched next stays, or a source of short pages would begin it for ever.
    statistics.evictedPages += cache.evict(around: window, keeping: self.waiting.first?.row)
    return answers + answerPastEnd()
  }

  /// What a page tells about the end; the latest word counts, for files grow and shrink.
  private mutating func learnEnd(of page: Page<Row>) {
    let end = page.end
    if page.hasMore {
      if let total = count.total, total <= end { count.total = nil }
      if endBound <= end { endBound = .max }
    } else if !page.rows.isEmpty || end == 0 || end == count.reached {
      count.total = end
    } else {
      endBound = min(endBound, end)
    }
    if !page.rows.isEmpty { count.reached = max(count.reached, end) }
    if endBound == count.reached { count.total = endBound }
  }

  private mutating func fail(_ running: Running, _ error: any Error) -> [Action] {
    let offset = running.range.lowerBound
    let pageRest = configuration.pageSize - offset % configuration.pageSize
    if running.range.count > pageRest {
      // One of several pages: the first may well be good, and an error must not come before its row.
      pace.readerKeepsUp(false)
      return []
    }
    statistics.failures += 1
    if failures.count >= Self.failureLimit { failures.removeAll() }
    failures[offset] = Failure(error: error, isRevealed: false)
    let cache = cache
    let answers = answerWaiting { row in
      cache.fetchOffset(forRow: row) == offset ? .failure(error) : nil
    }
    if !answers.isEmpty { failures[offset]?.isRevealed = true }
    return answers
  }

  // MARK: Answering

  private mutating func answerWaiting(_ answer: (Int) -> Answer?) -> [Action] {
    var actions: [Action] = []
    waiting.removeAll { asker, row in
      guard let answer = answer(row) else { return false }
      actions.append(.answer(asker: asker, answer))
      return true
    }
    return actions
  }

  private mutating func answerPastEnd() -> [Action] {
    let end = knownEnd
    return answerWaiting { row in row >= end ? .success(nil) : nil }
  }

  private mutating func dismissWaiting() -> [Action] {
    answerWaiting { _ in .failure(CancellationError()) }
  }

  /// Rows are needed now: a fetch ahead that was to bring them is late.
  private mutating func noteNeeded(_ range: Range<Int>) {
    guard let running, running.isAhead, running.range.overlaps(range) else { return }
    self.running?.isAhead = false
    statistics.latePages += 1
  }

  // MARK: Fetching

  /// The rows that are to be in memory: the view and a margin around it.
  private var window: Range<Int> {
    guard let view else { return lastAsked..<lastAsked.addingClamped(1) }
    return max(0, view.lowerBound - pace.margin)..<view.upperBound.addingClamped(pace.margin)
  }

  private mutating func cancelUnlessWanted() -> [Action] {
    guard let running else { return [] }
    if waiting.contains(where: { running.range.contains($0.row) }) { return [] }
    if view != nil && running.range.overlaps(window) { return [] }
    return cancelRunning()
  }

  private mutating func cancelRunning() -> [Action] {
    guard let running else { return [] }
    self.running = nil
    return [.cancelFetch(running.ticket)]
  }

  /// Begins the fetch that is wanted most, if there is one and none is running.
  private mutating func schedule() -> [Action] {
    guard running == nil, !isStopped else { return [] }
    if let first = waiting.first { return fetch(at: cache.fetchOffset(forRow: first.row), isAhead: false) }
    guard let view else { return [] }
    let last = view.upperBound - 1
    let margin = pace.margin
    let loaded = cache.firstMissingRow(from: view.lowerBound)
    let policy = margin == policy.margin ? policy : PrefetchPolicy(pageSize: policy.pageSize, margin: margin)
    let action = policy.action(
      lastRowInView: last, loadedCount: loaded, isEndKnown: loaded >= knownEnd, isFetching: false,
      hasFailed: failures[loaded] != nil)
    if case .fetch(let offset, _) = action { return fetch(at: offset, isAhead: offset > last) }
    return scheduleBefore(view)
  }

  /// A reader on the way up finds the margin ready too: pages before the view are gone after a jump or an eviction.
  private mutating func scheduleBefore(_ view: Range<Int>) -> [Action] {
    guard isMovingUp, configuration.prefetchMargin > 0 else { return [] }
    let first = max(0, view.lowerBound - configuration.prefetchMargin)
    guard let missing = cache.lastMissingRow(before: view.lowerBound, downTo: first) else { return [] }
    let offset = cache.fetchOffset(forRow: missing)
    guard failures[offset] == nil, offset < knownEnd else { return [] }
    return fetch(at: offset, isAhead: true)
  }

  private mutating func fetch(at offset: Int, isAhead: Bool) -> [Action] {
    guard offset < .max else { return [] }
    let pageStart = cache.pageStart(ofRow: offset)
    var end = pageStart.addingClamped(configuration.pageSize.multipliedClamped(by: pace.pages))
    if let next = cache.nextPageStart(after: offset) { end = min(end, next) }
    let ticket = FetchTicket(revision: revision, number: nextTicketNumber)
    nextTicketNumber &+= 1
    statistics.fetches += 1
    running = Running(ticket: ticket, range: offset..<end, isAhead: isAhead)
    return [.fetch(ticket, offset: offset, limit: end - offset)]
  }
}
