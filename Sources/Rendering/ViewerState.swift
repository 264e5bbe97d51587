// All that the viewer shows and remembers, as one value. `handle` and `apply` change it, `settle` fits it to the rows
// that have come, `ViewerDrawing` draws it. It does no I/O and starts nothing: what it cannot do itself it asks for by
// effects, and the program answers by the methods below.

import Paging
import Reading
package import TerminalIO

/// What a person was told last.
package struct ViewerMessage: Sendable, Equatable {
  package var text: String
  package var isError: Bool

  package init(_ text: String, isError: Bool = false) {
    self.text = text
    self.isError = isError
  }
}

/// Why a text that was typed cannot be used.
package struct ViewerRejection: Error, Sendable, Equatable {
  package var message: String
  /// Where in the text, in bytes; nil where the whole is meant.
  package var offset: Int?

  package init(_ message: String, offset: Int? = nil) {
    self.message = message
    self.offset = offset
  }
}

/// A line that is being edited.
package struct ViewerPrompt: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    case search(isBackward: Bool)
    case filter
    case command
  }

  package var kind: Kind
  package var editor: LineEditor
  package var rejection: ViewerRejection?
  /// The candidates of the last completion.
  package var candidates: [String] = []

  /// Whether a reason fits neither to the right of its caret nor to the left.
  func isCrowded(by rejection: ViewerRejection, columnCount: Int) -> Bool {
    guard let offset = rejection.offset else { return false }
    let cells = DisplayWidth.cells(SafeText.safe(Array(rejection.message.utf8)))
    let caret = 1 + DisplayWidth.cells(SafeText.safe(Array(editor.text.utf8.prefix(max(0, offset)))))
    return caret + 2 + cells > columnCount && cells + 1 > caret
  }

  /// What stands before the text.
  var label: String {
    switch kind {
    case .search(let isBackward): isBackward ? "?" : "/"
    case .filter: "&"
    case .command: ":"
    }
  }
}

/// What covers the table.
package enum ViewerOverlay: Sendable {
  case record(RecordView)
  case help(topLine: Int)
}

/// The rows of the screen that are wanted.
package struct ViewerRowsInView: Sendable, Equatable {
  package var rows: Range<Int>
  /// Whether they lie away from those before, so that what is being fetched there is of no use any more.
  package var isJump: Bool

  package init(rows: Range<Int>, isJump: Bool) {
    self.rows = rows
    self.isJump = isJump
  }
}

/// The viewer.
package struct ViewerState: Sendable {
  // What the program tells.
  /// The dataset's name and format, as data has them.
  package var name: String
  package var format: String
  package var isJSON: Bool
  package internal(set) var columns: [ViewerColumn]
  /// Columns of the file that are not among them.
  package var hiddenNames: [[UInt8]] = []
  /// Rows of a page, for `:page`.
  package var pageSize: Int
  package internal(set) var sort = ViewerSort()
  package internal(set) var filter = ""
  /// What was asked for last, as long as it is on its way: who types on means these.
  var wantedSort: ViewerSort?
  var wantedFilter: String?
  /// As in --columns; empty: all.
  package internal(set) var columnsText = ""
  /// How much of the input has been read, in percent.
  package var bytePercent: Int?
  /// What a pass does, as `sorting 40%`, while one is under way.
  package var progress: String?
  package var isFollowing = false
  package var message: ViewerMessage?
  let compile: @Sendable (String) throws(ViewerRejection) -> ViewerMatch
  let describe: @Sendable (any Error) -> String

  // Where the view is.
  package internal(set) var columnCount = 80
  package internal(set) var lineCount = 24
  package internal(set) var cursorRow = 0
  package internal(set) var topRow = 0
  package internal(set) var cursorColumn = 0
  package internal(set) var firstColumn = 0
  package internal(set) var frozenCount = 0
  package internal(set) var numberWidth = 1
  var halfPageRows: Int?
  var lastView = 0..<0
  /// The rows of the view that widths were last settled on.
  private var measuredRows = 0..<0
  /// Whether the view has only moved by lines since.
  var isMovingByLines = false
  var isInterruptArmed = false

  // What is over it.
  package internal(set) var overlay: ViewerOverlay?
  package internal(set) var prompt: ViewerPrompt?
  /// A file that may be overwritten.
  package internal(set) var overwriteQuestion: String?
  package internal(set) var search: ViewerSearch?
  var isHighlighting = false
  var keys = KeyBindings()
  /// What was submitted last, and how many bytes of it stand before the text that was handed on.
  var submitted: (prompt: ViewerPrompt, argumentOffset: Int)?
  var searchHistory: [String] = []
  var filterHistory: [String] = []
  var commandHistory: [String] = []

  /// - Parameters:
  ///   - isJSON: whether records are JSON, which the record view prints as such.
  ///   - compile: makes a regular expression, given without its slashes, into a function.
  ///   - describe: what an error means, for a row that could not be fetched.
  package init(
    name: String, format: String, isJSON: Bool, columns: [ViewerColumn], pageSize: Int = 20,
    compile: @escaping @Sendable (String) throws(ViewerRejection) -> ViewerMatch,
    describe: @escaping @Sendable (any Error) -> String
  ) {
    self.name = name
    self.format = format
    self.isJSON = isJSON
    self.columns = columns
    self.pageSize = max(1, pageSize)
    self.compile = compile
    self.describe = describe
  }

  /// The columns that a person has hidden, as for --hide; empty: none. Those that --hide does not know are printed.
  package var hiddenColumnsText: String {
    columns.filter { $0.isHidden && !$0.isMade }.map(\.sortName).joined(separator: ",")
  }

  // MARK: Answers of the program

  /// The order and filter that the rows are in from the start.
  package mutating func begin(sort: ViewerSort, filter: String, columnsText: String = "", row: Int = 0) {
    self.sort = sort
    self.filter = filter
    self.columnsText = columnsText
    cursorRow = max(0, row)
    topRow = cursorRow
  }

  /// The rows come in another order now.
  package mutating func accept(sort: ViewerSort) {
    self.sort = sort
    giveUpChange()
    rowsChanged()
  }

  /// Other rows match now.
  package mutating func accept(filter: String) {
    self.filter = filter
    giveUpChange()
    rowsChanged()
  }

  /// Other columns are shown now, and all fields of the rows are theirs.
  package mutating func show(columns: [ViewerColumn], columnsText: String) {
    let name = cursorColumn < self.columns.count ? self.columns[cursorColumn].name : []
    self.columns = columns
    self.columnsText = columnsText
    cursorColumn = columns.firstIndex { $0.name == name } ?? 0
    firstColumn = 0
    frozenCount = 0
    overlay = nil
    isMovingByLines = false
  }

  /// Columns that appeared in rows further on, to the right of those that are shown.
  package mutating func append(columns added: [ViewerColumn]) { columns += added }

  /// What was submitted cannot be used: it is given back with the reason, to be mended.
  package mutating func reject(_ rejection: ViewerRejection) {
    giveUpChange()
    guard let (submittedPrompt, argumentOffset) = submitted else {
      message = ViewerMessage(rejection.message, isError: true)
      return
    }
    var prompt = submittedPrompt
    prompt.rejection = rejection
    prompt.rejection?.offset = rejection.offset.map { $0 + argumentOffset }
    self.prompt = prompt
  }

  /// The keys, one by one, of the order that was asked for last.
  package mutating func expect(sort: ViewerSort) { wantedSort = sort }

  /// The order or filter that was on its way does not come, because something else was asked for.
  package mutating func dropChange() {
    switch (wantedSort != nil, wantedFilter != nil) {
    case (true, true): message = ViewerMessage("the order and the filter were given up")
    case (true, false): message = ViewerMessage("the order was given up")
    case (false, true): message = ViewerMessage("the filter was given up")
    case (false, false): break
    }
    giveUpChange()
  }

  /// Nobody waits any more for another order or filter.
  package mutating func giveUpChange() {
    wantedSort = nil
    wantedFilter = nil
  }

  /// A row that was looked for.
  package mutating func found(row: Int, column: Int? = nil) {
    cursorRow = max(0, row)
    if !lastView.contains(cursorRow) { isMovingByLines = false }
    if let column, column < columns.count, !columns[column].isHidden { cursorColumn = column }
    isInterruptArmed = false
  }

  /// Asks before a file is overwritten.
  package mutating func ask(overwrite path: String) { overwriteQuestion = path }

  /// The rows at the same places may be others than before.
  package mutating func rowsReplaced() { isMovingByLines = false }

  /// The rows are others than before: the view begins at their start.
  package mutating func rowsChanged() {
    cursorRow = 0
    topRow = 0
    lastView = 0..<0
    isMovingByLines = false
    if case .record = overlay { overlay = nil }
  }

  // MARK: Input

  /// What keys mean now.
  package var context: ViewerContext {
    if overwriteQuestion != nil { return .question }
    if prompt != nil { return .prompt }
    switch overlay {
    case .record: return .record
    case .help: return .help
    case nil: return .table
    }
  }

  /// Does what a key or the mouse asks for.
  package mutating func handle(_ event: InputEvent, rows: some ViewerRows) -> [ViewerEffect] {
    switch event {
    case .key(let key):
      message = nil
      guard let action = keys.action(for: key, in: context) else {
        isInterruptArmed = false
        return []
      }
      return apply(action, rows: rows)
    case .paste(let bytes):
      guard prompt != nil else { return [] }
      return apply(.edit(.insert(String(decoding: bytes, as: UTF8.self))), rows: rows)
    case .mouse(let mouse):
      switch mouse.kind {
      case .wheelUp: return apply(.scroll(-3), rows: rows)
      case .wheelDown: return apply(.scroll(3), rows: rows)
      case .wheelLeft: return apply(.moveColumns(-1), rows: rows)
      case .wheelRight: return apply(.moveColumns(1), rows: rows)
      case .press(0): return apply(.click(columnIndex: mouse.columnIndex, lineIndex: mouse.lineIndex), rows: rows)
      default: return []
      }
    }
  }

  // MARK: Geometry

  /// Lines that the status line, or the line being edited with its errors, takes at the bottom.
  var bottomLineCount: Int {
    if lineCount == 1 { return prompt != nil || overwriteQuestion != nil || message != nil ? 1 : 0 }
    guard let prompt else { return 1 }
    if let rejection = prompt.rejection {
      // What does not fit beside the caret has a line of its own.
      return lineCount >= 6 && prompt.isCrowded(by: rejection, columnCount: columnCount) ? 3 : 2
    }
    return prompt.candidates.count > 1 ? 2 : 1
  }

  /// Lines of the column names.
  var headerLineCount: Int { lineCount >= 3 && lineCount - bottomLineCount >= 2 ? 1 : 0 }

  /// Lines of rows.
  package var bodyLineCount: Int { max(0, lineCount - bottomLineCount - headerLineCount) }

  /// Lines of an overlay, which has no column names.
  var overlayLineCount: Int { max(1, lineCount - bottomLineCount) }

  /// Where the columns stand.
  package var viewport: Viewport {
    Viewport(
      columns: columns, frozenCount: frozenCount, firstColumn: firstColumn, numberWidth: numberWidth,
      columnCount: columnCount)
  }

  // MARK: Fitting to what has come

  /// Fits the view to the rows there are: to be called after actions and when rows have come, before drawing.
  ///
  /// - Returns: the rows that are wanted.
  package mutating func settle(on rows: some ViewerRows) -> ViewerRowsInView {
    let count = rows.count
    if isFollowing { cursorRow = max(0, (count.total ?? count.reached) - 1) }
    if let total = count.total { cursorRow = min(cursorRow, max(0, total - 1)) }
    let body = max(1, bodyLineCount)
    topRow = min(max(topRow, cursorRow - body + 1), cursorRow)
    if let total = count.total { topRow = min(topRow, max(0, total - body)) }
    comeBackToFailure(rows)
    let view = topRow..<(topRow + body)
    measuredRows = isMovingByLines && !isFollowing ? measuredRows.clamped(to: view) : view
    // Only what comes into view is measured, however many columns there are; that may push the cursor's out again.
    for _ in 0..<3 {
      let first = firstColumn
      settleColumns()
      measure(rows, view)
      settleColumns()
      if firstColumn == first { break }
    }
    settleOverlay(rows)
    // The rows after the last of a result are not wanted, but the one that tells the end is.
    let isJump = !lastView.isEmpty && !view.overlaps(lastView)
    lastView = view
    return ViewerRowsInView(rows: view, isJump: isJump)
  }

  /// Behind a row that could not be read none is known to be there, as long as the end is not: the cursor stops at it.
  private mutating func comeBackToFailure(_ rows: some ViewerRows) {
    if rows.count.total != nil { return }
    if case .loaded = rows.state(ofRow: cursorRow) { return }
    for row in topRow..<max(topRow, cursorRow) {
      guard case .failed = rows.state(ofRow: row) else { continue }
      cursorRow = row
      return
    }
  }

  /// More columns than these are not shown of a record with cells beyond the header's width.
  private static let mostColumns = 20_000

  /// Makes columns wide enough for the rows of the view. While rows pass line by line, the columns stand still, for the
  /// eye and for the terminal, to which a column that grows would be most of the screen: wider cells are cut then, until
  /// the view goes elsewhere. The last column may grow all the same, since nothing stands behind it.
  private mutating func measure(_ rows: some ViewerRows, _ range: Range<Int>) {
    var text = ViewerCellText()
    var lastKnown = topRow
    var hasFailed = false
    let lastColumn = columns.lastIndex { !$0.isHidden } ?? 0
    let frozen = 0..<min(frozenCount, columnCount)
    for row in range {
      let rowState = rows.state(ofRow: row)
      switch rowState {
      case .failed where !hasFailed:
        hasFailed = true
        lastKnown = row
      case .loading where !hasFailed || rows.count.total != nil: lastKnown = row
      default: break
      }
      guard case .loaded(let content) = rowState else { continue }
      lastKnown = row
      // Columns of JSON have names, which the program tells.
      if content.fields.count > columns.count && !isJSON {
        addColumns(upTo: min(content.fields.count, ViewerState.mostColumns))
      }
      let end = min(content.fields.count, columns.count)
      let record = content.record.span
      var index = frozen.isEmpty ? firstColumn : 0
      if !measuredRows.contains(row) { index = max(index, lastColumn) }
      // A column takes three cells at least.
      var left = columnCount / 3 + 2
      while index < end && left > 0 {
        if !columns[index].isHidden {
          let field = content.fields[index]
          if !field.isNull {
            text.read(field, in: record, mostCells: ViewerColumn.widest)
            columns[index].see(width: text.width, isNumber: text.isNumber)
          }
          if index >= firstColumn { left -= 1 }
        }
        index = index + 1 == frozen.upperBound ? max(firstColumn, index + 1) : index + 1
      }
    }
    for key in sort.keys {
      if let index = columns.firstIndex(where: { $0.name == key.columnName }) { columns[index].makeRoomForSign() }
    }
    numberWidth = max(numberWidth, String(max(lastKnown, cursorRow) + 1).utf8.count)
  }

  /// The width of a table of these rows, as it would be printed.
  package static func tableWidth(of rows: [ViewerRow], columns: [ViewerColumn]) -> Int {
    var widths = columns.map(\.width)
    var text = ViewerCellText()
    for row in rows {
      while widths.count < row.fields.count { widths.append(1) }
      for (index, field) in row.fields.enumerated() where !field.isNull {
        text.read(field, in: row.record.span, mostCells: ViewerColumn.widest)
        widths[index] = max(widths[index], min(text.width, ViewerColumn.widest))
      }
    }
    return widths.reduce(0, +) + Viewport.gap * max(0, widths.count - 1)
  }

  /// Columns for cells beyond the header's width.
  private mutating func addColumns(upTo count: Int) {
    guard count > columns.count else { return }
    var names = MadeNames(columns: columns.map { OutputColumn(name: $0.name) }, hidden: hiddenNames)
    for index in columns.count..<count {
      var column = ViewerColumn(name: names.name(at: index))
      column.isMade = true
      columns.append(column)
    }
  }

  /// Keeps the cursor's column in view, as a whole where there is room.
  private mutating func settleColumns() {
    guard !columns.isEmpty else { return }
    cursorColumn = min(max(0, cursorColumn), columns.count - 1)
    firstColumn = min(max(0, firstColumn), columns.count - 1)
    let viewport = viewport
    if cursorColumn < frozenCount && viewport.separator != nil { return }
    if cursorColumn < firstColumn { firstColumn = cursorColumn }
    if viewport.shows(cursorColumn, of: columns) || firstColumn == cursorColumn { return }
    // As many columns before it as fit.
    var room = columnCount - viewport.scrollStart - columns[cursorColumn].width
    var first = cursorColumn
    while first > firstColumn {
      if !columns[first - 1].isHidden {
        room -= columns[first - 1].width + Viewport.gap
        if room < 0 { break }
      }
      first -= 1
    }
    firstColumn = first
  }

  private mutating func settleOverlay(_ rows: some ViewerRows) {
    guard case .record(var view) = overlay else { return }
    let width = max(1, columnCount)
    if view.needsUpdate(row: cursorRow, width: width) {
      if case .loaded(let content) = rows.state(ofRow: cursorRow) {
        view.show(
          cursorRow, content, columns: columns, hiddenNames: hiddenNames, isJSON: isJSON, width: width)
      } else {
        view.showNothing(cursorRow, width: width)
      }
    }
    view.topLine = min(max(0, view.topLine), max(0, view.lines.count - overlayLineCount))
    overlay = .record(view)
  }
}
