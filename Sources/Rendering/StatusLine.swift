// The last line of the screen: what is shown, where in it, and what goes on. It only puts texts together; what does not
// fit is left out, the least important first.

import Paging
import TerminalIO

/// The parts of the status line.
struct StatusLine {
  /// Shown to the left, in this order, as far as there is room.
  var left: [String] = []
  /// Shown to the right.
  var right: [String] = []
  var isError = false
  /// Whether the left side is what a person is to be told.
  private var isMessage = false

  init(_ state: ViewerState, _ count: PagerCount) {
    let position: String
    if let total = count.total {
      position = total == 0 ? "no rows" : "\(min(state.cursorRow, total - 1) + 1) of \(total)"
    } else {
      position = "row \(state.cursorRow + 1), \(count.reached) loaded"
    }
    if let message = state.message {
      left = [message.text]
      isError = message.isError
      isMessage = true
    } else {
      left = [StatusLine.safe(state.name), state.format]
      if !state.sort.keys.isEmpty { left.append("sort " + StatusLine.safe(state.sort.text)) }
      if !state.filter.isEmpty { left.append("filter " + StatusLine.safe(state.filter)) }
      let hidden = state.columns.count { $0.isHidden }
      if hidden > 0 { left.append("\(hidden) hidden") }
    }
    let pending = state.keys.pendingText
    if !pending.isEmpty { right.append(pending) }
    if let progress = state.progress { right.append(progress) }
    if state.isFollowing { right.append("following") }
    right.append(position)
    if let percent = state.bytePercent { right.append("\(percent)%") }
  }

  private static func safe(_ text: String) -> String {
    String(decoding: SafeText.safe(Array(text.utf8)), as: UTF8.self)
  }

  /// Writes the line. The right side, where it fits, stands whole; the left side is cut.
  func draw(into screen: inout ScreenBuffer, lineIndex: Int, style: Style) {
    let width = screen.columnCount
    screen.fill(lineIndex: lineIndex, style: style)
    let margin = width >= 20 ? 1 : 0
    var parts = right
    // What was typed and what goes on count for more than the percent; at the least the position is shown.
    while parts.count > 1 && cells(parts) > width * 2 / 3 { parts.removeLast() }
    // A person has to be able to read what they are told; where they are can wait.
    if isMessage {
      let needed = DisplayWidth.cells(SafeText.safe(Array(left.joined(separator: "  ").utf8))) + margin * 2
      while !parts.isEmpty && needed + 2 + cells(parts) > width { parts.removeLast() }
    }
    let rightWidth = cells(parts)
    var leftEnd = width
    if !parts.isEmpty && rightWidth + margin * 2 < width || left.isEmpty {
      leftEnd = max(0, width - rightWidth - margin)
      screen.write(
        parts.joined(separator: "  "), columnIndex: leftEnd, lineIndex: lineIndex, limit: width - leftEnd - margin,
        style: style)
      leftEnd -= 2
    }
    let text = Array(SafeText.safe(Array(left.joined(separator: "  ").utf8)))
    ViewerCellText.draw(
      text, width: DisplayWidth.cells(text), into: &screen, start: margin, available: leftEnd - margin,
      lineIndex: lineIndex, style: isError ? style.adding(.bold) : style)
  }

  private func cells(_ parts: [String]) -> Int {
    parts.reduce(0) { $0 + DisplayWidth.cells(Array($1.utf8)) } + 2 * max(0, parts.count - 1)
  }
}
