// The viewer's state as a screen. Drawing changes nothing in the state and waits for nothing: a row that is not there is
// drawn as a place that will be filled.
//
// Nothing is told by colour alone: the cursor's row is in reverse video and its cell bold and underlined there, matches
// are underlined and reversed against what is around them, names are bold.

import Paging
import Reading
package import TerminalIO

/// Draws the viewer.
package struct ViewerDrawing {
  private var text = ViewerCellText()
  /// The number column of the last picture; 0 where it had none.
  private var numberWidth = 0
  /// How the table stands against that of the picture before: lower numbers make room for longer ones.
  package private(set) var insertion: ScreenInsertion?

  package init() {}

  /// Draws a state that has been settled on these rows.
  ///
  /// - Parameter screen: receives the picture; it should have the state's size.
  package mutating func draw(_ state: ViewerState, rows: some ViewerRows, into screen: inout ScreenBuffer) {
    screen.clear()
    let before = numberWidth
    numberWidth = state.overlay == nil ? state.viewport.numberWidth : 0
    insertion = nil
    if before > 0 && numberWidth > before {
      insertion = ScreenInsertion(
        lines: 0..<(state.headerLineCount + state.bodyLineCount), columnIndex: 0, count: numberWidth - before)
    }
    switch state.overlay {
    case .record(let view): drawRecord(view, state, rows, into: &screen)
    case .help(let topLine): ViewerDrawing.drawHelp(topLine, state, into: &screen)
    case nil: drawTable(state, rows, into: &screen)
    }
    drawBottom(state, rows, into: &screen)
  }

  // MARK: Table

  private static let names = Style.bold
  private static let quiet = Style.dim

  private static func matched(_ style: Style) -> Style {
    var style = style.flipped.adding(.underline)
    // Black on yellow, or the other way about in reverse video.
    if style.has(.reverse) { style.foreground = 3 } else { style.background = nil }
    return style
  }

  private mutating func drawTable(_ state: ViewerState, _ rows: some ViewerRows, into screen: inout ScreenBuffer) {
    let viewport = state.viewport
    if state.headerLineCount > 0 { ViewerDrawing.drawHeader(state, viewport, into: &screen) }
    let first = state.headerLineCount
    var hasFailed = false
    for line in 0..<state.bodyLineCount {
      let row = state.topRow + line
      // An error is told once; what has not come of the rows behind it is not known to be there at all.
      switch rows.state(ofRow: row) {
      case .failed where !hasFailed: hasFailed = true
      case .failed,
        .loading where hasFailed && rows.count.total == nil:
        screen.write("~", columnIndex: 0, lineIndex: first + line, style: ViewerDrawing.quiet)
        continue
      default: break
      }
      drawRow(row, lineIndex: first + line, state, viewport, rows, into: &screen)
    }
    if rows.count.total == 0 {
      screen.write(
        state.filter.isEmpty ? "no rows" : "no row matches the filter", columnIndex: 0, lineIndex: first,
        style: ViewerDrawing.quiet)
    }
  }

  private static func drawHeader(_ state: ViewerState, _ viewport: Viewport, into screen: inout ScreenBuffer) {
    screen.fill(lineIndex: 0, style: names.adding(.underline))
    for place in viewport.places {
      let column = state.columns[place.columnIndex]
      var style = names.adding(.underline)
      if place.columnIndex == state.cursorColumn { style = style.adding(.reverse) }
      var available = place.width
      if let marker = marker(for: column, in: state.sort), available > 2 {
        available -= 2
        let start = column.isNumeric ? place.start : place.start + min(available, column.nameWidth)
        screen.write(column.isNumeric ? marker + " " : " " + marker, columnIndex: start, lineIndex: 0, style: style)
        ViewerCellText.draw(
          column.safeName, width: column.nameWidth, into: &screen, start: place.start + (column.isNumeric ? 2 : 0),
          available: available, lineIndex: 0, isRight: column.isNumeric, style: style)
        continue
      }
      ViewerCellText.draw(
        column.safeName, width: column.nameWidth, into: &screen, start: place.start, available: available,
        lineIndex: 0, isRight: column.isNumeric, style: style)
    }
    drawSeparator(viewport, lineIndex: 0, names, into: &screen)
    if viewport.hasMoreLeft && viewport.numberWidth > 0 {
      screen.write("‹", columnIndex: max(0, viewport.numberWidth - 1), lineIndex: 0, style: quiet)
    }
    if viewport.hasMoreRight, let last = viewport.places.last, last.start + last.width < screen.columnCount {
      screen.write("›", columnIndex: screen.columnCount - 1, lineIndex: 0, style: quiet)
    }
  }

  /// The sign of a column that the rows are sorted by.
  private static func marker(for column: ViewerColumn, in sort: ViewerSort) -> String? {
    sort.keys.first { $0.columnName == column.name }.map { $0.isDescending ? "▼" : "▲" }
  }

  private static func drawSeparator(
    _ viewport: Viewport, lineIndex: Int, _ style: Style, into screen: inout ScreenBuffer
  ) {
    guard let separator = viewport.separator else { return }
    screen.write("│", columnIndex: separator, lineIndex: lineIndex, style: style)
  }

  private mutating func drawRow(
    _ row: Int, lineIndex: Int, _ state: ViewerState, _ viewport: Viewport, _ rows: some ViewerRows,
    into screen: inout ScreenBuffer
  ) {
    let rowState = rows.state(ofRow: row)
    if case .pastEnd = rowState {
      if rows.count.total != 0 { screen.write("~", columnIndex: 0, lineIndex: lineIndex, style: ViewerDrawing.quiet) }
      return
    }
    let isCursor = row == state.cursorRow
    let style = isCursor ? Style.reverse : .plain
    screen.fill(lineIndex: lineIndex, style: style)
    if viewport.numberWidth > 0 {
      let number = Array(String(row + 1).utf8)
      ViewerCellText.draw(
        number, width: number.count, into: &screen, start: 0, available: viewport.numberWidth, lineIndex: lineIndex,
        isRight: true, style: isCursor ? style : ViewerDrawing.quiet)
    }
    ViewerDrawing.drawSeparator(
      viewport, lineIndex: lineIndex, isCursor ? style : ViewerDrawing.quiet, into: &screen)
    switch rowState {
    case .loaded(let content): drawCells(content, isCursor, lineIndex, state, viewport, style, into: &screen)
    case .loading:
      for place in viewport.places {
        screen.write("·", columnIndex: place.start, lineIndex: lineIndex, style: style.adding(ViewerDrawing.quiet))
      }
    case .failed(let error):
      let start = viewport.places.first?.start ?? 0
      let message = SafeText.safe(Array("not read: \(state.describe(error)); r tries again".utf8))
      ViewerCellText.draw(
        message, width: DisplayWidth.cells(message), into: &screen, start: start,
        available: screen.columnCount - start, lineIndex: lineIndex, style: style.adding(.bold))
    case .pastEnd: break
    }
  }

  private mutating func drawCells(
    _ content: ViewerRow, _ isCursor: Bool, _ lineIndex: Int, _ state: ViewerState, _ viewport: Viewport,
    _ style: Style, into screen: inout ScreenBuffer
  ) {
    let record = content.record.span
    let match = state.isHighlighting ? state.search?.match : nil
    for place in viewport.places {
      let isCell = isCursor && place.columnIndex == state.cursorColumn
      let cellStyle = isCell ? style.adding(.bold).adding(.underline) : style
      // An empty cell shows the cursor too.
      if isCell {
        screen.fill(lineIndex: lineIndex, from: place.start, count: place.width, style: cellStyle)
      }
      guard place.columnIndex < content.fields.count else { continue }
      text.read(content.fields[place.columnIndex], in: record, mostCells: place.width)
      text.draw(
        into: &screen, start: place.start, width: place.width, lineIndex: lineIndex, style: cellStyle, match: match,
        matchStyle: ViewerDrawing.matched)
    }
  }

  // MARK: Overlays

  private func drawRecord(
    _ view: RecordView, _ state: ViewerState, _ rows: some ViewerRows, into screen: inout ScreenBuffer
  ) {
    if view.lines.isEmpty {
      var text = "row \(state.cursorRow + 1) is on its way"
      if case .failed(let error) = rows.state(ofRow: state.cursorRow) {
        text = "row \(state.cursorRow + 1) not read: \(state.describe(error))"
      }
      let safe = SafeText.safe(Array(text.utf8))
      ViewerCellText.draw(
        safe, width: DisplayWidth.cells(safe), into: &screen, start: 0, available: screen.columnCount, lineIndex: 0,
        style: ViewerDrawing.quiet)
    }
    let match = state.isHighlighting ? state.search?.match : nil
    for lineIndex in 0..<state.overlayLineCount {
      let index = view.topLine + lineIndex
      guard view.lines.indices.contains(index) else { break }
      let line = view.lines[index]
      let names = screen.write(
        line.text.span, in: 0..<line.nameCount, columnIndex: 0, lineIndex: lineIndex, style: ViewerDrawing.names)
      screen.write(
        line.text.span, in: line.nameCount..<line.text.count, columnIndex: names, lineIndex: lineIndex)
      guard let match else { continue }
      var position = 0
      while position < line.text.count, let found = match(line.text.span, position), found.lowerBound >= position {
        let upper = min(max(found.lowerBound, found.upperBound), line.text.count)
        screen.restyle(
          lineIndex: lineIndex, from: DisplayWidth.cells(line.text.span, in: 0..<found.lowerBound),
          count: DisplayWidth.cells(line.text.span, in: found.lowerBound..<upper), ViewerDrawing.matched)
        position = max(upper, position + 1)
      }
    }
  }

  private static func drawHelp(_ topLine: Int, _ state: ViewerState, into screen: inout ScreenBuffer) {
    for lineIndex in 0..<state.overlayLineCount {
      guard ViewerHelp.lines.indices.contains(topLine + lineIndex) else { break }
      let line = ViewerHelp.lines[topLine + lineIndex]
      let isHeading = !line.hasPrefix(" ")
      screen.write(line, columnIndex: 0, lineIndex: lineIndex, style: isHeading ? names : .plain)
    }
  }

  // MARK: Bottom

  private func drawBottom(_ state: ViewerState, _ rows: some ViewerRows, into screen: inout ScreenBuffer) {
    let count = state.bottomLineCount
    if count == 0 { return }
    let last = screen.lineCount - 1
    if let path = state.overwriteQuestion {
      let question = SafeText.safe(Array("\(path) exists; overwrite it? (y/n)".utf8))
      screen.fill(lineIndex: last, style: .bold)
      ViewerCellText.draw(
        question, width: DisplayWidth.cells(question), into: &screen, start: 0, available: screen.columnCount,
        lineIndex: last, style: .bold)
    } else if let prompt = state.prompt {
      ViewerDrawing.drawPrompt(prompt, lineIndex: last - count + 1, errorLineCount: count - 1, into: &screen)
    } else {
      StatusLine(state, rows.count).draw(into: &screen, lineIndex: last, style: .reverse)
    }
  }

  private static func drawPrompt(
    _ prompt: ViewerPrompt, lineIndex: Int, errorLineCount: Int, into screen: inout ScreenBuffer
  ) {
    screen.fill(lineIndex: lineIndex)
    let width = screen.columnCount
    let before = SafeText.safe(Array(prompt.editor.textBeforeCursor.utf8))
    let whole = SafeText.safe(Array(prompt.editor.text.utf8))
    let labelWidth = 1
    // The cursor is kept in view, with room for the character under it.
    let room = max(1, width - labelWidth - 1)
    let cursorCells = DisplayWidth.cells(before)
    let hidden = max(0, cursorCells - room)
    let cut = DisplayWidth.prefix(whole.span, in: 0..<whole.count, cells: hidden)
    // A wide character that is half out of view is left out.
    let start = cut.cells < hidden ? DisplayWidth.prefix(whole.span, in: 0..<whole.count, cells: hidden + 1) : cut
    screen.write(prompt.label, columnIndex: 0, lineIndex: lineIndex, style: .bold)
    if width > 1 {
      screen.write(
        whole.span, in: start.end..<whole.count, columnIndex: labelWidth, lineIndex: lineIndex)
    }
    screen.cursor = (min(width - 1, labelWidth + max(0, cursorCells - start.cells)), lineIndex)
    guard errorLineCount > 0 else { return }
    for line in 1...errorLineCount { screen.fill(lineIndex: lineIndex + line) }
    if let rejection = prompt.rejection {
      let error = Style.bold
      var column = 0
      if let offset = rejection.offset {
        let text = Array(prompt.editor.text.utf8)
        let place = DisplayWidth.cells(SafeText.safe(Array(text.prefix(max(0, offset))))) - start.cells
        column = min(max(0, labelWidth + place), max(0, width - 1))
        screen.write("^", columnIndex: column, lineIndex: lineIndex + 1, style: error)
        column += 2
      }
      let message = SafeText.safe(Array(rejection.message.utf8))
      let cells = DisplayWidth.cells(message)
      if errorLineCount > 1 {
        ViewerCellText.draw(
          message, width: cells, into: &screen, start: 0, available: width, lineIndex: lineIndex + 2, style: error)
      } else if column + cells > width && column - 3 > width - column {
        // No room to the right of the caret: the message stands before it.
        let available = column - 3
        ViewerCellText.draw(
          message, width: cells, into: &screen, start: max(0, available - cells), available: min(cells, available),
          lineIndex: lineIndex + 1, style: error)
      } else {
        ViewerCellText.draw(
          message, width: cells, into: &screen, start: column, available: max(0, width - column),
          lineIndex: lineIndex + 1, style: error)
      }
    } else {
      let names = SafeText.safe(Array(prompt.candidates.joined(separator: "  ").utf8))
      ViewerCellText.draw(
        names, width: DisplayWidth.cells(names), into: &screen, start: labelWidth, available: width - labelWidth,
        lineIndex: lineIndex + 1, style: quiet)
    }
  }
}
