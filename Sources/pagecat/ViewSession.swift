// The pager while it runs: keys, signals and what arrives in the background come to one loop on the main thread, which changes
// the state, draws it and starts what the state asks for. Nothing here waits for data.

import Fetching
import Glibc
import Paging
import Reading
import Rendering
import TerminalIO

/// One session of the pager.
final class ViewSession {
  enum Ending {
    case quit(printsCommand: Bool)
    case signal(Int32)
  }

  let tty: any Terminal
  private let pipe: WakePipe
  private let signals: TerminalSignals?
  let pager: Pager<ViewerRow>
  let mailbox: ViewMailbox
  /// What the rows answer: what was given at first, and what was changed since.
  var invocation: Invocation
  var query: Query
  var source: ViewPageSource
  var state: ViewerState
  var pass: ViewPass?
  var passCount = 0
  var files: ViewFiles
  let unfinishedFiles = UnfinishedFiles()
  var ending: Ending?
  private var drawing = ViewerDrawing()
  private var encoder: ANSIEncoder
  private var decoder = KeyDecoder()
  private var shown: ScreenBuffer?
  private var columnCount = 0
  /// Where the cursor was when its row was last there, to go back to if a far row is given up.
  private var lastLoadedRow = 0
  var isLoading = false
  /// Whether that has lasted so long that it is worth a word.
  private var showsLoading = false
  /// The error that a row on the screen could not be fetched by.
  private(set) var shownError: (any Error)?
  /// Whether it was told what there is to remark on these rows.
  var hasToldNotes = false

  init(
    tty: any Terminal, pipe: WakePipe, signals: TerminalSignals?, invocation: Invocation, query: Query,
    source: ViewPageSource,
    pager: Pager<ViewerRow>, colors: ColorCapability
  ) {
    self.tty = tty
    self.pipe = pipe
    self.signals = signals
    self.invocation = invocation
    self.query = query
    self.source = source
    self.pager = pager
    mailbox = ViewMailbox(pipe)
    files = ViewFiles(query.inputs)
    encoder = ANSIEncoder(colors: colors)
    state = ViewerState(
      name: ViewSession.name(of: query.inputs), format: query.inputs.first?.format.rawValue ?? "",
      isJSON: !query.inputs.contains(where: \.isTabular), columns: [], pageSize: invocation.pageSize,
      compile: ViewSession.compile, describe: ViewSession.describe)
  }

  private static func name(of inputs: [DatasetInput]) -> String {
    guard let first = inputs.first else { return "" }
    // The folder would leave no room for what changes.
    let name = first.name.split(separator: "/").last.map(String.init) ?? first.name
    return inputs.count == 1 ? name : "\(name) +\(inputs.count - 1)"
  }

  /// Puts the state in place before the first frame.
  func begin(row: Int) {
    takeColumns()
    state.begin(
      sort: ViewSession.sort(query.descriptor.sortBy), filter: query.descriptor.predicate?.source ?? "",
      columnsText: invocation.columns.map { String(decoding: $0, as: UTF8.self) } ?? "", row: row)
    if let note = query.inputs.lazy.compactMap(\.notes.first).first { state.message = ViewerMessage(note) }
  }

  // MARK: The loop

  /// Whether nothing is under way that would bring another screen by itself.
  var isIdle: Bool { pass == nil && !pager.isFetching }

  func run() -> Ending {
    tty.enter()
    resize()
    while ending == nil {
      takeAnswers()
      takeColumns()
      draw()
      step()
    }
    pass?.monitor.cancel()
    source.rows.monitor.cancel()
    return ending ?? .quit(printsCommand: false)
  }

  private func step() {
    let wake = tty.wait(pipe, signals, milliseconds: timeout)
    showsLoading = isLoading && (showsLoading || wake.isTimedOut)
    for signal in wake.signals { take(signal) }
    if ending != nil { return }
    var events: [InputEvent] = []
    if wake.isHungUp { return end(by: SIGHUP) }
    if wake.hasInput {
      var bytes: [UInt8] = []
      if !tty.read(into: &bytes) { return end(by: SIGHUP) }
      decoder.feed(bytes.span, into: &events)
    } else if wake.isTimedOut && decoder.isWaiting {
      decoder.timeOut(into: &events)
    }
    for event in events where ending == nil {
      for effect in state.handle(event, rows: pager) { perform(effect) }
    }
    if !events.isEmpty || state.isFollowing { lookAtFiles() }
  }

  private var timeout: Int? {
    if decoder.isWaiting { return ViewLimits.escapeMilliseconds }
    // Of a pipe nobody knows how far it is; waiting for it must cost nothing.
    let isProgressing = query.inputs.allSatisfy(\.source.isSeekable)
    if (pass != nil && isProgressing) || (isLoading && (isProgressing || !showsLoading)) {
      return ViewLimits.progressMilliseconds
    }
    return state.isFollowing && files.areRegular ? ViewLimits.followMilliseconds : nil
  }

  private func take(_ signal: TerminalSignals.Event) {
    switch signal {
    case .end(let number): end(by: number)
    case .suspend: suspend()
    case .resume:
      tty.enterAgain()
      resize()
    case .resize: resize()
    }
  }

  func end(by number: Int32) { ending = .signal(number) }

  func suspend() {
    tty.leave()
    signals?.stop()
    tty.enter()
    resize()
  }

  private func resize() {
    let size = tty.size
    _ = state.apply(.resize(columnCount: size.columnCount, lineCount: size.lineCount), rows: pager)
    shown = nil
  }

  /// All is to be drawn anew.
  func redraw() { shown = nil }

  private func draw() {
    if pager.count.total == nil, let total = source.rows.sortedRowCount { pager.setTotal(total) }
    let view = state.settle(on: pager)
    if view.isJump { pager.jump(to: view.rows) } else { pager.rowsInView(view.rows) }
    lookAtRows(view.rows)
    // Somebody has asked for a row behind the end, wherever that is.
    if pager.count.total == nil, pass == nil, case .pastEnd = pager.state(ofRow: state.cursorRow) { seekEnd() }
    showProgress()
    tellNotes()
    var screen = ScreenBuffer(columnCount: state.columnCount, lineCount: state.lineCount)
    drawing.draw(state, rows: pager, into: &screen)
    var bytes: [UInt8] = []
    encoder.encode(from: shown, to: screen, inserting: drawing.insertion, into: &bytes)
    if !bytes.isEmpty && !tty.write(bytes) { end(by: SIGHUP) }
    shown = screen
  }

  /// Takes note of what is on the screen: an error, rows that are still to come, the place in the input.
  private func lookAtRows(_ rows: Range<Int>) {
    var end = 0
    isLoading = false
    for row in rows {
      switch pager.state(ofRow: row) {
      case .loaded(let content):
        end = content.endOffset
        if row == state.cursorRow { lastLoadedRow = row }
      case .loading: if row == state.cursorRow { isLoading = true }
      case .failed(let error): if !(error is CancellationError) { shownError = error }
      case .pastEnd: break
      }
    }
    if source.size > 0 && end > 0 {
      let isEnd = pager.count.total.map { rows.upperBound >= $0 } ?? false
      // A file that has grown since it was opened has rows behind the size that it had then.
      state.bytePercent = isEnd ? 100 : min(99, end * 100 / source.size)
    } else {
      state.bytePercent = nil
    }
  }

  /// Tells why there is less to be seen than somebody may have meant, once all rows were there.
  private func tellNotes() {
    guard !hasToldNotes, let total = pager.count.total, pager.count.reached >= total, pass == nil,
      state.message == nil, state.prompt == nil, let notes = source.rows.filterNotes, let absent = source.absentNames
    else { return }
    hasToldNotes = true
    if let note = notes.first ?? absent.first?.reason { state.message = ViewerMessage(note) }
  }

  private func showProgress() {
    if let pass {
      state.progress = pass.text
    } else if isLoading && showsLoading {
      let verb = query.descriptor.sortBy.isEmpty ? "reading" : "sorting"
      state.progress = source.rows.monitor.percent.map { "\(verb) \($0)%" } ?? verb
    } else {
      state.progress = nil
    }
  }

  /// Gives up a far row that is still on its way.
  func giveUpLoading() {
    state.found(row: lastLoadedRow)
    isLoading = false
  }

  /// Leaves a place behind the end.
  func comeBack() {
    if case .pastEnd = pager.state(ofRow: state.cursorRow) {
      if case .pastEnd = pager.state(ofRow: lastLoadedRow) { lastLoadedRow = 0 }
      state.found(row: lastLoadedRow)
    }
  }

  // MARK: What arrives

  private func takeAnswers() {
    for (number, outcome) in mailbox.take() {
      // What was given up may still answer.
      guard let pass, pass.number == number else { continue }
      self.pass = nil
      finish(pass, outcome)
    }
  }

  /// Columns that appeared in rows that have come since.
  private func takeColumns() {
    let names = source.names
    state.hiddenNames = source.hiddenNames
    if names.count > columnCount {
      state.append(columns: names[columnCount...].map { ViewerColumn(name: $0) })
      columnCount = names.count
    }
  }

  /// Shows the columns of a source from the first on.
  func showColumns() {
    let names = source.names
    columnCount = names.count
    state.show(
      columns: names.map { ViewerColumn(name: $0) },
      columnsText: invocation.columns.map { String(decoding: $0, as: UTF8.self) } ?? "")
  }

  /// After a sort, a filter or a reload: the columns are the same, but for those that appeared late or in a changed file.
  func updateColumns() {
    let names = source.names
    let known = state.columns.prefix(names.count).map(\.name)
    // Cells beyond a header have columns that only the viewer knows.
    if names.starts(with: known) {
      columnCount = known.count
      takeColumns()
    } else {
      showColumns()
    }
  }

  func forgetError() { shownError = nil }

  // MARK: What is left to say

  var notes: (damage: [String], others: [String]) {
    let found = source.rows.notes
    let inputs = query.inputs.flatMap { input in input.notes.map { "\(input.name): \($0)" } }
    return (found.damage, inputs + (source.absentNames ?? []).map(\.note) + found.others)
  }

  /// Whether the result is known to have no row.
  var isEmpty: Bool { pager.count.total == 0 }
}
