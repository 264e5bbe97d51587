// Which key does what. Pure: it knows only what has been typed of a command so far, a count or the `+` before a sort.

package import TerminalIO

/// What keys mean at the moment.
package enum ViewerContext: Sendable, Equatable {
  case table
  /// The record in full.
  case record
  case help
  /// A line is being edited.
  case prompt
  /// A question to be answered with yes or no.
  case question
}

/// Turns keys into actions.
package struct KeyBindings: Sendable, Equatable {
  /// No result has more rows.
  private static let largestCount = 1_000_000_000_000_000

  private var count: Int?
  private var addsSortKey = false

  package init() {}

  /// What has been typed of a command, for the status line.
  package var pendingText: String { (count.map(String.init) ?? "") + (addsSortKey ? "+" : "") }

  package mutating func clear() {
    count = nil
    addsSortKey = false
  }

  /// The action of a key, if it completes one.
  package mutating func action(for key: Key, in context: ViewerContext) -> ViewerAction? {
    if key == .control("c") {
      clear()
      return .interrupt
    }
    if key == .control("z") { return .suspend }
    switch context {
    case .prompt: return KeyBindings.edit(key)
    case .question: return KeyBindings.answer(key)
    case .table, .record, .help: break
    }
    if let digit = KeyBindings.digit(key), digit != 0 || count != nil {
      count = min((count ?? 0) * 10 + digit, KeyBindings.largestCount)
      return nil
    }
    if key == .character("+"), context == .table {
      addsSortKey = true
      return nil
    }
    defer { clear() }
    if context != .table {
      if let action = overlayAction(key, isRecord: context == .record) { return action }
      // What changes the table is not done behind a person's back.
      if case .character(let scalar) = key.code, key.modifiers.isEmpty,
        !(context == .record ? "jk fbdugGyYxnN=/?:" : "jk fbdugGyYxnN=").unicodeScalars.contains(scalar)
      {
        return nil
      }
      if key.code == .right { return nil }
    }
    return key.modifiers.contains(.alt) ? nil : tableAction(key)
  }

  private static func digit(_ key: Key) -> Int? {
    guard key.modifiers.isEmpty, case .character(let scalar) = key.code, scalar.value >= 0x30, scalar.value <= 0x39
    else { return nil }
    return Int(scalar.value) - 0x30
  }

  private func tableAction(_ key: Key) -> ViewerAction? {
    let times = count ?? 1
    switch key.code {
    case .down: return .moveRows(times)
    case .up: return .moveRows(-times)
    case .left: return .moveColumns(-times)
    case .right: return .moveColumns(times)
    case .pageDown: return .movePages(times)
    case .pageUp: return .movePages(-times)
    case .home: return .goToRow(count ?? 1)
    case .end: return count.map { .goToRow($0) } ?? .goToEnd
    case .enter: return .openRecord
    case .escape: return count != nil || addsSortKey ? nil : .cancel
    case .function(1): return .showHelp
    case .character(let scalar):
      return key.modifiers.contains(.control) ? controlAction(scalar, times) : letterAction(scalar, times)
    default: return nil
    }
  }

  private func controlAction(_ scalar: Unicode.Scalar, _ times: Int) -> ViewerAction? {
    switch scalar {
    case "f": .movePages(times)
    case "b": .movePages(-times)
    case "d": .moveHalfPage(direction: 1, rows: count)
    case "u": .moveHalfPage(direction: -1, rows: count)
    case "n", "j": .moveRows(times)
    case "p", "k": .moveRows(-times)
    case "e": .scroll(times)
    case "y": .scroll(-times)
    case "l": .redraw
    default: nil
    }
  }

  private func letterAction(_ scalar: Unicode.Scalar, _ times: Int) -> ViewerAction? {
    switch scalar {
    case "j": .moveRows(times)
    case "k": .moveRows(-times)
    case " ", "f": .movePages(times)
    case "b": .movePages(-times)
    case "d": .moveHalfPage(direction: 1, rows: count)
    case "u": .moveHalfPage(direction: -1, rows: count)
    case "g": .goToRow(count ?? 1)
    case "G": count.map { .goToRow($0) } ?? .goToEnd
    case "h": .moveColumns(-times)
    case "l": .moveColumns(times)
    case "0", "^": .goToFirstColumn
    case "$": .goToLastColumn
    case "[": .widenColumn(-times)
    case "]": .widenColumn(times)
    case "z": .freezeColumns
    case "-": .hideColumn
    case "s": .sort(isDescending: false, isAdded: addsSortKey)
    case "S": .sort(isDescending: true, isAdded: addsSortKey)
    case "&": .editFilter
    case "*": .addCellToFilter
    case "/": .editSearch(isBackward: false)
    case "?": .editSearch(isBackward: true)
    case "n": .repeatSearch(count: times, isReversed: false)
    case "N": .repeatSearch(count: times, isReversed: true)
    case ":": .editCommand
    case "y": .copyCell
    case "Y": .copyRecord
    case "r": .reload
    case "F": .toggleFollow
    case "=": .showTotal
    case "H": .showHelp
    case "q": .quit(printsCommand: false)
    case "x": .quit(printsCommand: true)
    default: nil
    }
  }

  /// What is different where a record or the help covers the table.
  private func overlayAction(_ key: Key, isRecord: Bool) -> ViewerAction? {
    switch key.code {
    case .escape, .left, .enter, .character("q"), .character("h"): return .closeOverlay
    case .backspace: return .closeOverlay
    case .character("J") where isRecord: return .moveRecords(count ?? 1)
    case .character("K") where isRecord: return .moveRecords(-(count ?? 1))
    case .function(1), .character("H"): return isRecord ? .showHelp : .closeOverlay
    default: return nil
    }
  }

  private static func answer(_ key: Key) -> ViewerAction? {
    switch key.code {
    case .character("y"), .character("Y"): .answer(true)
    case .character("n"), .character("N"), .character("q"), .escape, .enter: .answer(false)
    default: nil
    }
  }

  // MARK: The line being edited, as readline has it

  private static func edit(_ key: Key) -> ViewerAction? {
    let jumps = !key.modifiers.isDisjoint(with: [.control, .alt])
    switch key.code {
    case .enter: return .edit(.submit)
    case .escape: return .cancel
    case .tab: return .edit(.complete(isBackward: key.modifiers.contains(.shift)))
    case .backspace: return .edit(jumps ? .deleteWord : .deleteBackward)
    case .delete: return .edit(.deleteForward)
    case .left: return .edit(jumps ? .moveWords(-1) : .moveCharacters(-1))
    case .right: return .edit(jumps ? .moveWords(1) : .moveCharacters(1))
    case .home: return .edit(.moveToStart)
    case .end: return .edit(.moveToEnd)
    case .up: return .edit(.recall(-1))
    case .down: return .edit(.recall(1))
    case .character(let scalar):
      if key.modifiers.contains(.control) { return control(scalar).map { .edit($0) } }
      if key.modifiers.contains(.alt) { return alt(scalar).map { .edit($0) } }
      return .edit(.insert(String(scalar)))
    default: return nil
    }
  }

  private static func control(_ scalar: Unicode.Scalar) -> LineEdit? {
    switch scalar {
    case "a": .moveToStart
    case "e": .moveToEnd
    case "b": .moveCharacters(-1)
    case "f": .moveCharacters(1)
    case "d": .deleteForward
    case "h": .deleteBackward
    case "w": .deleteWord
    case "u": .deleteToStart
    case "k": .deleteToEnd
    case "p": .recall(-1)
    case "n": .recall(1)
    case "j", "m": .submit
    default: nil
    }
  }

  private static func alt(_ scalar: Unicode.Scalar) -> LineEdit? {
    switch scalar {
    case "b": .moveWords(-1)
    case "f": .moveWords(1)
    default: nil
    }
  }
}
