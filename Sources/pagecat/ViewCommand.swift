// A terminal on standard output: the pager, unless all there is fits on the screen, which is then printed; and what is to be
// said when the pager is left.

import Dispatch
import Fetching
import Glibc
import Paging
import Reading
import Rendering
import TerminalIO

/// Runs an invocation that shows.
struct ViewCommand {
  /// How long it may take to know that everything fits the screen.
  private static let decisionTime = DispatchTimeInterval.milliseconds(200)

  private let invocation: Invocation
  private let surroundings: Surroundings
  private let diagnostics: Diagnostics

  init(_ invocation: Invocation, surroundings: Surroundings) {
    self.invocation = invocation
    self.surroundings = surroundings
    diagnostics = Diagnostics(isQuiet: invocation.isQuiet)
  }

  /// - Returns: the status to end with.
  func run() -> Int32 {
    guard let tty = TTY.open(), let pipe = try? WakePipe() else {
      return printing(invocation.printed()).run()
    }
    let printing = printing(invocation.printed(everything: true))
    do {
      return try run(tty, pipe, printing)
    } catch {
      return printing.status(of: error).rawValue
    }
  }

  private func printing(_ invocation: Invocation) -> PrintCommand {
    PrintCommand(invocation, surroundings: surroundings)
  }

  private func run(_ tty: TTY, _ pipe: WakePipe, _ printing: PrintCommand) throws -> Int32 {
    WorkerThreads.giveWay()
    var query = try Query(invocation)
    if query.collectsColumns && query.descriptor.sortBy.isEmpty { try query.collectAllColumns() }
    let source = try ViewPageSource(opening: query, pageSize: invocation.pageSize)
    // What comes is waited for here, until there is a loop to be woken.
    let arrivals = DispatchSemaphore(value: 0)
    let pager = Pager(
      source: source, configuration: ViewLimits.configuration(invocation, query.inputs),
      onUpdateCount: { _ in
        pipe.wake()
        arrivals.signal()
      })
    let size = tty.size
    let firstRow = invocation.firstRowIndex - (invocation.offset ?? 0)
    if let status = try decide(pager, source, query, size, firstRow, arrivals, printing) { return status }

    let signals = try TerminalSignals()
    let session = ViewSession(
      tty: tty, pipe: pipe, signals: signals, invocation: invocation, query: query, source: source, pager: pager,
      colors: colors)
    session.begin(row: firstRow)
    let ending = session.run()
    session.unfinishedFiles.removeAll()
    pager.cancel()
    tty.leave()
    return end(session, ending, printing)
  }

  private var colors: ColorCapability {
    func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
    switch invocation.color {
    case .never: return .none
    case .always: return .indexed
    case .auto:
      return ColorCapability(
        term: text(surroundings.terminalName), colorTerm: text(Options.environmentVariable("COLORTERM")),
        noColor: text(surroundings.noColor))
    }
  }

  /// Waits until it is known whether everything fits the screen.
  ///
  /// - Returns: the status, where everything was printed; nil where the pager is to open.
  /// - Throws: why the first row could not be fetched.
  private func decide(
    _ pager: Pager<ViewerRow>, _ source: ViewPageSource, _ query: Query, _ size: (columnCount: Int, lineCount: Int),
    _ firstRow: Int, _ arrivals: DispatchSemaphore, _ printing: PrintCommand
  ) throws -> Int32? {
    // The line of names, and one for the shell's next prompt.
    let most = max(0, size.lineCount - 2)
    let isPrinted = !invocation.isInteractive
    let view = firstRow..<(firstRow + max(1, size.lineCount))
    pager.rowsInView(view)
    let end = DispatchTime.now() + ViewCommand.decisionTime
    while true {
      if case .failed(let error) = pager.state(ofRow: firstRow) { throw error }
      let count = pager.count
      if let total = count.total {
        guard isPrinted, total - firstRow <= most, fitsWidth(pager, source, total, size.columnCount) else { return nil }
        pager.cancel()
        return printing.run(reusing: query.inputs)
      }
      // More than fits, or as much as is drawn first.
      if count.reached >= view.upperBound { return nil }
      if arrivals.wait(timeout: end) == .timedOut { return nil }
    }
  }

  /// Whether a table of all rows has no column left out.
  private func fitsWidth(_ pager: Pager<ViewerRow>, _ source: ViewPageSource, _ total: Int, _ width: Int) -> Bool {
    if invocation.cellCut == .nowhere { return true }
    let columns = source.names.map { ViewerColumn(name: $0) }
    return ViewerState.tableWidth(of: pager.loadedRows(in: 0..<total), columns: columns) <= width
  }

  private func end(_ session: ViewSession, _ ending: ViewSession.Ending, _ printing: PrintCommand) -> Int32 {
    switch ending {
    case .signal(let number): TerminalSignals.end(by: number)
    case .quit(let printsCommand):
      if printsCommand {
        do throws(OutputError) {
          try OutputWriter().write(session.commandLine + "\n")
        } catch {
          diagnostics.error(error.message)
          return ExitStatus.inputOutput.rawValue
        }
      }
    }
    let notes = session.notes
    for note in notes.damage + notes.others { diagnostics.note(note) }
    if let error = session.shownError { return printing.status(of: error).rawValue }
    let status: ExitStatus = session.isEmpty && invocation.asksForRows ? .noRows : .done
    return (notes.damage.isEmpty ? status : status.combined(with: .skipped)).rawValue
  }
}

/// The tuning constants of the pager.
enum ViewLimits {
  /// Rows that stay in memory at most, and about how many bytes of them.
  static let cachedRows = 4000
  static let cachedBytes = 12 << 20
  /// What a row takes besides its record.
  private static let rowOverhead = 400
  /// Records, and bytes of them, by which the size of all is guessed.
  private static let sampleRecords = 50
  private static let sampleBytes = 64 * 1024
  /// How long a pass goes on between two looks at how far it is.
  static let progressMilliseconds = 100
  /// How long after Esc a key may still be the beginning of a sequence.
  static let escapeMilliseconds = 40
  /// How often a file that is followed is looked at.
  static let followMilliseconds = 500
  /// Rows that a search looks at between two looks at whether it is still wanted.
  static let searchRows = 2000

  static func configuration(_ invocation: Invocation, _ inputs: [DatasetInput]) -> PagerConfiguration {
    var size = rowOverhead
    if var first = inputs.first,
      let records = try? first.sample(records: sampleRecords, bytes: sampleBytes, waits: false)
    {
      size += records.isEmpty ? sampleBytes : records.reduce(0) { $0 + Int($1.count) } / records.count
    }
    return PagerConfiguration(
      pageSize: invocation.pageSize, prefetchMargin: invocation.prefetchMargin,
      cacheLimit: min(cachedRows, cachedBytes / size))
  }
}
