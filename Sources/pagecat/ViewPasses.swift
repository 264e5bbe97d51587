// What the pager does in the background: a pass at a time, started by the loop, which can be given up, and whose outcome comes
// to the loop by a mailbox. A pass never touches the state.

import Dispatch
import Fetching
import Paging
import Reading
import Rendering
import Synchronization
import TerminalIO

/// What a pass has come to.
enum ViewOutcome: Sendable {
  /// Another query is open and its first rows are there.
  case opened(Query, ViewPageSource, Invocation)
  case refused(ViewerRejection)
  case found(row: Int, column: Int)
  /// No row, and why.
  case notFound(String)
  case counted(Int)
  case written(path: String, rowCount: Int)
  /// A file of this name is there already.
  case exists(path: String)
  case failed(String)
  case cancelled
}

/// A pass that is under way.
struct ViewPass {
  enum Purpose: Sendable, Equatable {
    case sort, filter, reload, search, seekEnd, count, write
  }

  let number: Int
  let purpose: Purpose
  let monitor: ScanMonitor
  /// What the rows will answer when it is done.
  var changed: Invocation?

  var text: String {
    let verb: String
    switch purpose {
    case .sort: verb = "sorting"
    case .filter: verb = "filtering"
    case .reload: verb = "reloading"
    case .search: verb = "searching"
    case .seekEnd: verb = "reading"
    case .count: verb = "counting"
    case .write: verb = "writing"
    }
    return monitor.percent.map { "\(verb) \($0)%" } ?? verb
  }
}

/// Where outcomes wait for the loop.
final class ViewMailbox: Sendable {
  private let outcomes = Mutex<[(Int, ViewOutcome)]>([])
  private let pipe: WakePipe

  init(_ pipe: WakePipe) { self.pipe = pipe }

  func post(_ number: Int, _ outcome: ViewOutcome) {
    outcomes.withLock { $0.append((number, outcome)) }
    pipe.wake()
  }

  func take() -> [(Int, ViewOutcome)] {
    outcomes.withLock { outcomes in
      defer { outcomes = [] }
      return outcomes
    }
  }
}

extension ViewSession {
  /// Starts a pass; one that is under way is given up.
  ///
  /// - Parameter changed: what the rows will answer when it is done; nil where it leaves them as they are, so that an order
  ///   or a filter that was on its way does not come any more.
  func start(
    _ purpose: ViewPass.Purpose, _ monitor: ScanMonitor = ScanMonitor(), changed: Invocation? = nil,
    _ body: @escaping @Sendable (ScanMonitor) async -> ViewOutcome
  ) {
    pass?.monitor.cancel()
    if changed == nil && pass?.changed != nil { state.dropChange() }
    passCount += 1
    let number = passCount
    pass = ViewPass(number: number, purpose: purpose, monitor: monitor, changed: changed)
    let mailbox = mailbox
    Task.detached(priority: .userInitiated) { mailbox.post(number, await body(monitor)) }
  }

  /// Gives up what is under way.
  func cancelPass() {
    if let pass {
      pass.monitor.cancel()
      self.pass = nil
      state.giveUpChange()
      comeBack()
      state.message = ViewerMessage("stopped")
    } else if isLoading {
      giveUpLoading()
    }
  }

  /// Runs what blocks on a thread that may.
  static func onThread(_ body: @escaping @Sendable () -> ViewOutcome) async -> ViewOutcome {
    await withCheckedContinuation { continuation in
      DispatchQueue.global(qos: .userInitiated).async { continuation.resume(returning: body()) }
    }
  }

  // MARK: Starting

  /// Shows the rows by another query: the ones before stay until its first rows are there.
  func open(_ purpose: ViewPass.Purpose, _ changed: Invocation, _ query: Query) {
    let rows = ViewRows(query, pageSize: changed.pageSize)
    start(purpose, rows.monitor, changed: changed) { monitor in
      do {
        let source = try ViewPageSource(rows, query)
        try await rows.begin()
        return .opened(query, source, changed)
      } catch {
        if monitor.isCancelled { return .cancelled }
        return .refused(ViewerRejection(ViewSession.describe(error)))
      }
    }
  }

  func seekEnd() {
    guard query.descriptor.sortBy.isEmpty else { return count(.seekEnd) }
    let rows = source.rows
    start(.seekEnd) { monitor in
      await ViewSession.onThread {
        do throws(FetchError) {
          return try rows.passToEnd(monitor).map { .counted($0) } ?? .cancelled
        } catch {
          return monitor.isCancelled ? .cancelled : .failed(ViewSession.describe(error))
        }
      }
    }
  }

  func count(_ purpose: ViewPass.Purpose) {
    let query = query
    start(purpose) { monitor in
      await ViewSession.onThread {
        var results = FetchResults(query.descriptor, inputs: query.inputs, columns: query.columns)
        results.watch(by: monitor)
        do throws(FetchError) {
          let count = try results.fetchCount()
          return .counted(max(0, count - query.descriptor.fetchOffset))
        } catch {
          return monitor.isCancelled ? .cancelled : .failed(ViewSession.describe(error))
        }
      }
    }
  }

  func search(_ request: ViewerSearchRequest) {
    guard let search = state.search else { return }
    let (source, columns) = (source, state.columns)
    start(.search) { monitor in
      do {
        return try await ViewSearchPass(search: search, columns: columns, source: source, monitor: monitor)
          .run(request)
      } catch {
        return monitor.isCancelled ? .cancelled : .failed(ViewSession.describe(error))
      }
    }
  }

  func write(to path: String, overwrites: Bool) {
    if let reason = ViewFileWriter.refusal(of: path) { return state.reject(ViewerRejection(reason, offset: 0)) }
    let (changed, columnsHidden) = (invocation, state.hiddenColumnsText)
    let (inputs, unfinished) = (query.inputs, unfinishedFiles)
    start(.write) { monitor in
      await ViewSession.onThread {
        ViewFileWriter(path: path, overwrites: overwrites, monitor: monitor, unfinished: unfinished)
          .write(changed, hidden: columnsHidden, inputs: inputs)
      }
    }
  }

  // MARK: Finishing

  func finish(_ pass: ViewPass, _ outcome: ViewOutcome) {
    switch outcome {
    case .opened(let query, let source, let changed): show(pass, query, source, changed)
    case .refused(let rejection): state.reject(rejection)
    case .found(let row, let column): state.found(row: row, column: column)
    case .notFound(let reason): state.message = ViewerMessage(reason, isError: true)
    case .counted(let total):
      pager.setTotal(total)
      if pass.purpose == .seekEnd {
        state.found(row: max(0, total - 1))
      } else {
        state.message = ViewerMessage(total == 0 ? "there are no rows" : "row \(state.cursorRow + 1) of \(total)")
      }
    case .written(let path, let count):
      state.message = ViewerMessage("\(count) row\(count == 1 ? "" : "s") written to \(path)")
    case .exists(let path): state.ask(overwrite: path)
    case .failed(let reason):
      if pass.changed != nil { state.giveUpChange() }
      state.message = ViewerMessage(reason, isError: true)
      if pass.purpose == .seekEnd { comeBack() }
    case .cancelled:
      state.giveUpChange()
      state.message = ViewerMessage("stopped")
    }
  }

  private func show(_ pass: ViewPass, _ query: Query, _ source: ViewPageSource, _ changed: Invocation) {
    let before = self.source
    before.rows.monitor.cancel()
    // To give back the order of millions of rows takes milliseconds, which no key should wait for: somebody else is the
    // last to let go of them.
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(1)) { withExtendedLifetime(before) {} }
    self.query = query
    self.source = source
    invocation = changed
    forgetError()
    pager.replaceSource(source)
    state.rowsReplaced()
    let sort = ViewSession.sort(query.descriptor.sortBy)
    let filter = query.descriptor.predicate?.source ?? ""
    if pass.purpose == .reload {
      files = ViewFiles(query.inputs)
      state.giveUpChange()
      state.message = ViewerMessage("read again")
    }
    // Both, for one may have been asked for while the other was under way.
    if pass.purpose != .reload || sort.text != state.sort.text || filter != state.filter {
      state.accept(sort: sort)
      state.accept(filter: filter)
    }
    updateColumns()
    // Whoever follows is at the end of these rows too, wherever that is.
    if state.isFollowing && files.areRegular { seekEnd() }
    // An unknown name in a filter of JSON, a comparison that cannot hold.
    let note = source.rows.notes.others.first
    if let note { state.message = ViewerMessage(note) }
    hasToldNotes = note != nil
  }
}

/// Looks for a row that matches, through all rows of a source.
struct ViewSearchPass {
  let search: ViewerSearch
  let columns: [ViewerColumn]
  let source: ViewPageSource
  let monitor: ScanMonitor

  func run(_ request: ViewerSearchRequest) async throws -> ViewOutcome {
    request.isBackward ? try await backward(request) : try await forward(request)
  }

  private func forward(_ request: ViewerSearchRequest) async throws -> ViewOutcome {
    var offset = max(0, request.row)
    var left = request.count
    monitor.begin(total: source.size)
    while true {
      let page = try await source.rows.fetch(offset: offset, limit: ViewLimits.searchRows)
      if monitor.isCancelled { return .cancelled }
      for (index, row) in page.rows.enumerated() {
        guard let column = column(in: row) else { continue }
        left -= 1
        if left == 0 { return .found(row: offset + index, column: column) }
      }
      if !page.hasMore { return notFound(request, left) }
      offset += page.rows.count
      if let last = page.rows.last { monitor.reach(source.endOffset(of: last.entry)) }
    }
  }

  private func backward(_ request: ViewerSearchRequest) async throws -> ViewOutcome {
    var end = request.row + 1
    var left = request.count
    monitor.begin(total: end)
    while end > 0 {
      let start = max(0, end - ViewLimits.searchRows)
      var rows: [FetchedRow] = []
      while start + rows.count < end {
        let page = try await source.rows.fetch(offset: start + rows.count, limit: end - start - rows.count)
        if monitor.isCancelled { return .cancelled }
        rows += page.rows
        if !page.hasMore || page.rows.isEmpty { break }
      }
      for (index, row) in rows.enumerated().reversed() {
        guard let column = column(in: row) else { continue }
        left -= 1
        if left == 0 { return .found(row: start + index, column: column) }
      }
      end = start
      monitor.reach(request.row + 1 - end)
    }
    return notFound(request, left)
  }

  private func notFound(_ request: ViewerSearchRequest, _ left: Int) -> ViewOutcome {
    let isAbsent = request.isWhole && left == request.count
    return .notFound(search.failure(isBackward: request.isBackward, isAbsent: isAbsent))
  }

  /// The column in which a row matches.
  private func column(in row: FetchedRow) -> Int? {
    if search.isPlain && !row.withRecord({ mayMatch($0) }) { return nil }
    return source.viewed([row]).first.flatMap { search.column(in: $0, columns: columns) }
  }

  /// Whether a plain text may be in a record: it stands there as it is, or something is escaped.
  private func mayMatch(_ record: Span<UInt8>) -> Bool {
    if search.match(record, 0) != nil { return true }
    for index in record.indices where record[index] == UInt8(ascii: "\\") || record[index] == UInt8(ascii: "\"") {
      if record[index] == UInt8(ascii: "\\") { return true }
      if index + 1 < record.count && record[index + 1] == UInt8(ascii: "\"") { return true }
    }
    return false
  }
}
