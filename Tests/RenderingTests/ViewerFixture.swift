// A viewer in a test: rows that are written down, keys as text, and the screen as the emulated terminal shows it.

import Paging
import Reading
import Rendering
import TerminalIO
import TestSupport

/// Rows of a result of which the first `reached` have come.
struct ListedRows: ViewerRows {
  var rows: [ViewerRow]
  var reached: Int
  var isComplete: Bool
  var failedRow: Int?

  struct Failure: Error {}

  init(_ rows: [ViewerRow], reached: Int? = nil, isComplete: Bool = true) {
    self.rows = rows
    self.reached = reached ?? rows.count
    self.isComplete = isComplete
  }

  var count: PagerCount { PagerCount(reached: reached, total: isComplete ? rows.count : nil) }

  func state(ofRow row: Int) -> RowState<ViewerRow> {
    if row == failedRow { return .failed(Failure()) }
    if row >= 0 && row < reached && row < rows.count { return .loaded(rows[row]) }
    return isComplete && row >= rows.count ? .pastEnd : .loading
  }
}

extension ViewerRow {
  init(_ cells: [TestCell]) {
    let row = TestRow(cells)
    self.init(record: row.record, fields: row.fields)
  }
}

/// The viewer with a terminal.
struct ViewerFixture {
  var state: ViewerState
  var rows: ListedRows
  var effects: [ViewerEffect] = []
  var terminal: VirtualTerminal
  /// The bytes of the last frame.
  var frame: [UInt8] = []
  private var shown: ScreenBuffer?
  private var decoder = KeyDecoder()
  private var drawing = ViewerDrawing()
  private var encoder = ANSIEncoder(colors: .indexed)

  init(
    _ columns: [ViewerColumn], _ rows: ListedRows, width: Int = 60, height: Int = 8, isJSON: Bool = false,
    name: String = "rides.csv"
  ) {
    state = ViewerState(
      name: name, format: isJSON ? "json" : "csv", isJSON: isJSON, columns: columns,
      compile: { (pattern: String) throws(ViewerRejection) -> ViewerMatch in
        guard pattern != "(" else { throw ViewerRejection("a parenthesis is not closed", offset: 0) }
        let plain = ViewerSearch(text: pattern, isBackward: false)
        return plain.match
      },
      describe: { _ in "disk trouble" })
    self.rows = rows
    terminal = VirtualTerminal(columnCount: width, lineCount: height) { DisplayWidth.cells(Array($0.utf8)) }
    terminal.receive(TTY.entering)
    _ = state.apply(.resize(columnCount: width, lineCount: height), rows: rows)
    draw()
  }

  /// Types keys as a terminal sends them, and draws after each. `␛` is the key Esc by itself.
  mutating func type(_ text: String) {
    for piece in text.split(separator: "␛", omittingEmptySubsequences: false).enumerated() {
      if piece.offset > 0 { press([0x1B]) }
      press(Array(piece.element.utf8))
    }
  }

  private mutating func press(_ bytes: [UInt8]) {
    for byte in bytes { feed([byte]) }
    var events: [InputEvent] = []
    if decoder.isWaiting { decoder.timeOut(into: &events) }
    for event in events { handle(event) }
  }

  private mutating func feed(_ bytes: [UInt8]) {
    var events: [InputEvent] = []
    decoder.feed(bytes.span, into: &events)
    for event in events { handle(event) }
  }

  mutating func handle(_ event: InputEvent) {
    effects += state.handle(event, rows: rows)
    draw()
  }

  mutating func resize(_ width: Int, _ height: Int) {
    terminal = VirtualTerminal(columnCount: width, lineCount: height) { DisplayWidth.cells(Array($0.utf8)) }
    terminal.receive(TTY.entering)
    shown = nil
    _ = state.apply(.resize(columnCount: width, lineCount: height), rows: rows)
    draw()
  }

  mutating func draw() {
    _ = state.settle(on: rows)
    var screen = ScreenBuffer(columnCount: state.columnCount, lineCount: state.lineCount)
    drawing.draw(state, rows: rows, into: &screen)
    frame = []
    encoder.encode(from: shown, to: screen, inserting: drawing.insertion, into: &frame)
    terminal.receive(frame)
    shown = screen
  }

  var screen: String { terminal.text }
  /// Nothing but what the encoder sends has reached the terminal.
  var isClean: Bool { terminal.unknown.isEmpty && terminal.strayControls.isEmpty && terminal.commands.isEmpty }

  mutating func takeEffects() -> [ViewerEffect] {
    defer { effects = [] }
    return effects
  }
}

/// Rides: a name, a number, a kind.
func rides(_ count: Int) -> [ViewerRow] {
  (0..<count).map { index in
    ViewerRow([
      .bare("ride \(index + 1)"), .bare("\((index &* 7919) % 1000)"), .bare(["Run", "Ride", "Hike"][index % 3]),
    ])
  }
}

let rideColumns = [ViewerColumn("name"), ViewerColumn("distance"), ViewerColumn("type")]
