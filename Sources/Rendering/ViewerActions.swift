// What actions do to the state: movement, columns, overlays. What is typed is seen to in `ViewerPrompts`.

import Paging
import Reading

extension ViewerState {
  /// Does something.
  ///
  /// - Returns: what the program has to do.
  package mutating func apply(_ action: ViewerAction, rows: some ViewerRows) -> [ViewerEffect] {
    if action != .interrupt { isInterruptArmed = false }
    if overlay == nil { noteMovement(action) }
    switch action {
    case .edit(let edit): return apply(edit, rows: rows)
    case .answer(let isYes): return answer(isYes)
    case .resize(let columnCount, let lineCount):
      self.columnCount = max(1, columnCount)
      self.lineCount = max(1, lineCount)
      return [.redraw]
    case .cancel: return cancel()
    case .interrupt: return interrupt()
    case .suspend: return [.suspend]
    case .redraw: return [.redraw]
    default: break
    }
    if overlay != nil, let effects = applyToOverlay(action, rows: rows) { return effects }
    if let effects = applyToRows(action, rows: rows) ?? applyToColumns(action) { return effects }
    return applyToRest(action, rows: rows)
  }

  /// Takes note of whether the view goes on by lines or goes elsewhere; what leaves it where it is, if only for the time
  /// being, changes nothing.
  private mutating func noteMovement(_ action: ViewerAction) {
    switch action {
    case .moveRows(let count), .scroll(let count), .moveRecords(let count):
      isMovingByLines = abs(count) <= max(3, bodyLineCount / 4)
    case .click, .copyCell, .copyRecord, .showTotal, .edit, .answer, .cancel, .interrupt, .suspend, .editFilter,
      .editSearch, .editCommand, .repeatSearch, .openRecord, .showHelp, .toggleFollow,
      .goToEnd, .sort, .addCellToFilter, .reload:
      break
    default: isMovingByLines = false
    }
  }

  // MARK: Rows

  /// How far some pages are; a count may be any that somebody types, and a screen as high as the terminal says.
  private func rowCount(ofPages count: Int, lineCount: Int) -> Int {
    let (product, overflows) = count.multipliedReportingOverflow(by: lineCount)
    return overflows ? (count < 0 ? -1 : 1) * (Int.max / 4) : max(-Int.max / 4, min(Int.max / 4, product))
  }

  private mutating func applyToRows(_ action: ViewerAction, rows: some ViewerRows) -> [ViewerEffect]? {
    let body = max(1, bodyLineCount)
    switch action {
    case .moveRows(let count): return moveCursor(by: count, rows)
    case .movePages(let count): return moveView(by: rowCount(ofPages: count, lineCount: body), rows)
    case .moveHalfPage(let direction, let given):
      if let given { halfPageRows = max(1, given) }
      return moveView(by: direction * (halfPageRows ?? max(1, body / 2)), rows)
    case .goToRow(let number):
      let effects = stopFollowing(unlessDown: false)
      cursorRow = max(0, min(number - 1, lastRow(rows.count, isFree: true)))
      return effects
    case .goToEnd:
      if let total = rows.count.total {
        cursorRow = max(0, total - 1)
        isMovingByLines = false
        return []
      }
      return isFollowing ? [] : [.seekEnd]
    case .scroll(let count):
      let effects = stopFollowing(unlessDown: count > 0)
      let most = max(0, lastRow(rows.count, isFree: false) - body + 1)
      topRow = min(max(0, topRow + count), max(most, min(topRow, topRow + count)))
      cursorRow = min(max(cursorRow, topRow), topRow + body - 1)
      return effects
    case .moveRecords(let count): return moveCursor(by: count, rows)
    default: return nil
    }
  }

  /// The last row that a movement may reach: a screen beyond what has come, as long as the end is not known.
  private func lastRow(_ count: PagerCount, isFree: Bool) -> Int {
    if let total = count.total { return max(0, total - 1) }
    return isFree ? .max : max(cursorRow, count.reached + max(1, bodyLineCount) - 1)
  }

  private mutating func moveCursor(by count: Int, _ rows: some ViewerRows) -> [ViewerEffect] {
    let effects = stopFollowing(unlessDown: count > 0)
    cursorRow = min(max(0, cursorRow + count), lastRow(rows.count, isFree: false))
    return effects
  }

  /// View and cursor together, as far as rows go.
  private mutating func moveView(by count: Int, _ rows: some ViewerRows) -> [ViewerEffect] {
    let effects = stopFollowing(unlessDown: count > 0)
    let last = lastRow(rows.count, isFree: false)
    let most = max(0, last - max(1, bodyLineCount) + 1)
    topRow = count > 0 ? max(topRow, min(topRow + count, most)) : max(0, topRow + count)
    cursorRow = min(max(0, cursorRow + count), last)
    return effects
  }

  private mutating func stopFollowing(unlessDown isDown: Bool) -> [ViewerEffect] {
    if !isFollowing || isDown { return [] }
    isFollowing = false
    return [.follow(false)]
  }

  // MARK: Columns

  private mutating func applyToColumns(_ action: ViewerAction) -> [ViewerEffect]? {
    switch action {
    case .moveColumns(let count): moveColumn(by: count)
    case .goToFirstColumn: cursorColumn = columns.firstIndex { !$0.isHidden } ?? 0
    case .goToLastColumn: cursorColumn = columns.lastIndex { !$0.isHidden } ?? 0
    case .widenColumn(let count):
      if columns.indices.contains(cursorColumn) { columns[cursorColumn].widen(by: count) }
    case .freezeColumns:
      // Once more at the same place lets go.
      frozenCount = frozenCount == cursorColumn + 1 ? 0 : cursorColumn + 1
      firstColumn = frozenCount
      if frozenCount > 0 && viewport.separator == nil {
        message = ViewerMessage("frozen columns need a wider terminal")
      }
    case .hideColumn: hideColumn()
    default: return nil
    }
    return []
  }

  private mutating func moveColumn(by count: Int) {
    let step = count < 0 ? -1 : 1
    var left = min(abs(count), columns.count)
    var index = cursorColumn + step
    while left > 0 && columns.indices.contains(index) {
      if !columns[index].isHidden {
        cursorColumn = index
        left -= 1
      }
      index += step
    }
  }

  private mutating func hideColumn() {
    guard columns.indices.contains(cursorColumn), columns.count(where: { !$0.isHidden }) > 1 else {
      message = ViewerMessage("the last column stays")
      return
    }
    columns[cursorColumn].isHidden = true
    let hidden = cursorColumn
    moveColumn(by: 1)
    if cursorColumn == hidden { moveColumn(by: -1) }
    message = ViewerMessage("hidden; :columns * shows all")
  }

  // MARK: Overlays

  private mutating func applyToOverlay(_ action: ViewerAction, rows: some ViewerRows) -> [ViewerEffect]? {
    let body = overlayLineCount
    switch action {
    case .closeOverlay:
      overlay = nil
      isMovingByLines = false
    case .moveRows(let count): scrollOverlay(by: count)
    case .scroll(let count): scrollOverlay(by: count)
    case .movePages(let count): scrollOverlay(by: rowCount(ofPages: count, lineCount: body))
    case .moveHalfPage(let direction, let given): scrollOverlay(by: direction * (given ?? max(1, body / 2)))
    case .goToRow(let number): scrollOverlay(to: number - 1)
    case .goToEnd: scrollOverlay(to: .max / 2)
    case .moveColumns, .click: break
    default: return nil
    }
    return []
  }

  private mutating func scrollOverlay(by count: Int) {
    switch overlay {
    case .record(let view): scrollOverlay(to: view.topLine + count)
    case .help(let topLine): scrollOverlay(to: topLine + count)
    case nil: break
    }
  }

  private mutating func scrollOverlay(to line: Int) {
    switch overlay {
    case .record(var view):
      view.topLine = min(max(0, line), max(0, view.lines.count - overlayLineCount))
      overlay = .record(view)
    case .help:
      overlay = .help(topLine: min(max(0, line), max(0, ViewerHelp.lines.count - overlayLineCount)))
    case nil: break
    }
  }

  // MARK: The rest

  private mutating func applyToRest(_ action: ViewerAction, rows: some ViewerRows) -> [ViewerEffect] {
    switch action {
    case .sort(let isDescending, let isAdded): return sort(isDescending: isDescending, isAdded: isAdded)
    case .editFilter: open(.filter, text: wantedFilter ?? filter, history: filterHistory)
    case .editSearch(let isBackward): open(.search(isBackward: isBackward), text: "", history: searchHistory)
    case .editCommand: open(.command, text: "", history: commandHistory)
    case .addCellToFilter: return addCellToFilter(rows)
    case .repeatSearch(let count, let isReversed): return repeatSearch(count: count, isReversed: isReversed, rows)
    case .openRecord:
      if rows.count.total != 0 { overlay = .record(RecordView()) }
    case .showHelp: overlay = .help(topLine: 0)
    case .copyCell: return copy(rows, wholeRecord: false)
    case .copyRecord: return copy(rows, wholeRecord: true)
    case .reload: return [.reload]
    case .toggleFollow:
      isFollowing.toggle()
      return [.follow(isFollowing)]
    case .showTotal:
      return rows.count.total == nil ? [.countTotal] : showPosition(rows.count)
    case .quit(let printsCommand): return [.quit(printsCommand: printsCommand)]
    case .click(let columnIndex, let lineIndex): click(columnIndex, lineIndex, rows)
    default: break
    }
    return []
  }

  private mutating func showPosition(_ count: PagerCount) -> [ViewerEffect] {
    message = ViewerMessage(
      count.total == 0 ? "there are no rows" : "row \(cursorRow + 1) of \(count.total ?? count.reached)")
    return []
  }

  private mutating func sort(isDescending: Bool, isAdded: Bool) -> [ViewerEffect] {
    guard columns.indices.contains(cursorColumn) else { return [] }
    let column = columns[cursorColumn]
    let key = ViewerSort.Key(
      text: column.sortName + (isDescending ? ":desc" : ""), columnName: column.name, isDescending: isDescending)
    var wanted = isAdded ? wantedSort ?? sort : ViewerSort()
    if let index = wanted.keys.firstIndex(where: { $0.columnName == column.name }) {
      wanted.keys[index] = key
    } else {
      wanted.keys.append(key)
    }
    submitted = nil
    wantedSort = wanted
    return [.sort(wanted)]
  }

  private mutating func addCellToFilter(_ rows: some ViewerRows) -> [ViewerEffect] {
    guard case .loaded(let row) = rows.state(ofRow: cursorRow), columns.indices.contains(cursorColumn) else {
      return []
    }
    let name = columns[cursorColumn].filterName
    let field = cursorColumn < row.fields.count ? row.fields[cursorColumn] : .missing
    var text: [UInt8] = []
    FieldText.append(field, in: row.record.span, to: &text)
    let added: String
    switch field.kind {
    case .array, .object:
      message = ViewerMessage("a filter cannot name an array or object", isError: true)
      return []
    case _ where field.isNull: added = "\(name) is null"
    case .number, .true, .false: added = "\(name) == \(String(decoding: text, as: UTF8.self))"
    default: added = "\(name) == \(ViewerNames.literal(text))"
    }
    submitted = nil
    let before = wantedFilter ?? filter
    let wanted = before.isEmpty ? added : "(\(before)) and \(added)"
    wantedFilter = wanted
    return [.filter(wanted)]
  }

  private mutating func copy(_ rows: some ViewerRows, wholeRecord: Bool) -> [ViewerEffect] {
    guard case .loaded(let row) = rows.state(ofRow: cursorRow) else { return [] }
    message = ViewerMessage(wholeRecord ? "record copied" : "cell copied")
    if wholeRecord { return [.copy(row.record)] }
    var text: [UInt8] = []
    if cursorColumn < row.fields.count { FieldText.append(row.fields[cursorColumn], in: row.record.span, to: &text) }
    return [.copy(text)]
  }

  private mutating func click(_ columnIndex: Int, _ lineIndex: Int, _ rows: some ViewerRows) {
    if let column = viewport.column(at: columnIndex) { cursorColumn = column }
    let line = lineIndex - headerLineCount
    guard line >= 0, line < bodyLineCount else { return }
    let row = topRow + line
    if row <= lastRow(rows.count, isFree: false) {
      _ = stopFollowing(unlessDown: false)
      cursorRow = row
    }
  }

  private mutating func cancel() -> [ViewerEffect] {
    if prompt != nil {
      prompt = nil
    } else if overlay != nil {
      overlay = nil
      isMovingByLines = false
    } else if progress != nil {
      return [.cancel]
    } else if isFollowing {
      return stopFollowing(unlessDown: false)
    } else {
      isHighlighting = false
    }
    return []
  }

  private mutating func interrupt() -> [ViewerEffect] {
    if prompt != nil || overwriteQuestion != nil {
      prompt = nil
      overwriteQuestion = nil
    } else if progress != nil {
      return [.cancel]
    } else if isFollowing {
      return stopFollowing(unlessDown: false)
    } else if isInterruptArmed {
      return [.interrupt]
    } else {
      isInterruptArmed = true
      message = ViewerMessage("q quits; so does Ctrl-C once more")
    }
    return []
  }
}
