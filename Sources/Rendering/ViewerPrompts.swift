// What is typed on the last line: searches, filters, commands; and what becomes of it when it is submitted.

import Paging
import Reading

extension ViewerState {
  /// Entries of a history that are kept.
  private static let longestHistory = 100
  /// Rows that a search looks at by itself before it is handed on: as many as keep a key within its time.
  private static let rowsSearchedAtOnce = 2000
  private static let commands = ["columns", "filter", "help", "page", "q", "sort", "w", "w!", "x"]

  mutating func open(_ kind: ViewerPrompt.Kind, text: String, history: [String]) {
    prompt = ViewerPrompt(kind: kind, editor: LineEditor(text, history: history))
  }

  mutating func apply(_ edit: LineEdit, rows: some ViewerRows) -> [ViewerEffect] {
    guard var prompt else { return [] }
    switch edit {
    case .submit:
      self.prompt = nil
      return submit(prompt, rows)
    case .complete(let isBackward):
      prompt.candidates = prompt.editor.complete(candidates(for: prompt), isBackward: isBackward)
    case .deleteBackward where prompt.editor.text.isEmpty:
      // As in less and vim: deleting the prompt itself leaves it.
      self.prompt = nil
      return []
    default:
      prompt.editor.apply(edit)
      prompt.candidates = []
      prompt.rejection = nil
    }
    self.prompt = prompt
    return []
  }

  mutating func answer(_ isYes: Bool) -> [ViewerEffect] {
    guard let path = overwriteQuestion else { return [] }
    overwriteQuestion = nil
    if isYes { return [.write(path: path, overwrites: true)] }
    message = ViewerMessage("nothing written")
    return []
  }

  /// The words that may be completed at the cursor.
  private func candidates(for prompt: ViewerPrompt) -> [(word: String, replacement: String)] {
    var isSort = false
    switch prompt.kind {
    case .search: return []
    case .filter: break
    case .command:
      let before = prompt.editor.textBeforeCursor
      guard before.contains(" ") else { return ViewerState.commands.map { ($0, $0) } }
      if before.hasPrefix("w") { return [] }
      isSort = !before.hasPrefix("filter")
    }
    return columns.map { (String(decoding: $0.name, as: UTF8.self), isSort ? $0.sortName : $0.filterName) }
  }

  private static func remember(_ text: String, in history: inout [String]) {
    if text.isEmpty { return }
    history.removeAll { $0 == text }
    history.append(text)
    if history.count > longestHistory { history.removeFirst() }
  }

  private mutating func submit(_ prompt: ViewerPrompt, _ rows: some ViewerRows) -> [ViewerEffect] {
    submitted = (prompt, 0)
    let text = prompt.editor.text
    switch prompt.kind {
    case .search(let isBackward):
      ViewerState.remember(text, in: &searchHistory)
      return search(for: text, isBackward: isBackward, rows)
    case .filter:
      ViewerState.remember(text, in: &filterHistory)
      if text == wantedFilter ?? filter { return [] }
      wantedFilter = text
      return [.filter(text)]
    case .command:
      ViewerState.remember(text, in: &commandHistory)
      return run(text, rows)
    }
  }

  // MARK: Search

  private mutating func search(for text: String, isBackward: Bool, _ rows: some ViewerRows) -> [ViewerEffect] {
    if text.isEmpty {
      guard let last = search else { return [] }
      search = ViewerSearch(text: last.text, isBackward: isBackward, match: last.isPlain ? nil : last.match)
      return repeatSearch(count: 1, isReversed: false, rows)
    }
    var match: ViewerMatch?
    if let pattern = ViewerSearch.pattern(in: text) {
      do throws(ViewerRejection) {
        match = try compile(pattern)
      } catch {
        submitted?.argumentOffset = 1
        reject(error)
        return []
      }
    }
    let search = ViewerSearch(text: text, isBackward: isBackward, match: match)
    self.search = search
    return look(for: search, from: cursorRow, isBackward: isBackward, count: 1, rows)
  }

  mutating func repeatSearch(count: Int, isReversed: Bool, _ rows: some ViewerRows) -> [ViewerEffect] {
    guard let search else {
      message = ViewerMessage("no search yet", isError: true)
      return []
    }
    let isBackward = search.isBackward != isReversed
    return look(for: search, from: cursorRow + (isBackward ? -1 : 1), isBackward: isBackward, count: count, rows)
  }

  /// Goes through the rows that are loaded; what lies beyond is the program's to search.
  private mutating func look(
    for search: ViewerSearch, from start: Int, isBackward: Bool, count: Int, _ rows: some ViewerRows
  ) -> [ViewerEffect] {
    isHighlighting = true
    // Whether it begins at an end of the rows, so that it looks at all.
    let isWhole = isBackward ? rows.count.total.map { start >= max(0, $0 - 1) } ?? false : start <= 0
    var row = start
    var left = count
    for _ in 0..<ViewerState.rowsSearchedAtOnce {
      guard row >= 0 else { return notFound(search, isBackward, isAbsent: isWhole && left == count) }
      switch rows.state(ofRow: row) {
      case .loaded(let content):
        if let column = search.column(in: content, columns: columns) {
          left -= 1
          if left == 0 {
            found(row: row, column: column)
            return []
          }
        }
        row += isBackward ? -1 : 1
        continue
      case .pastEnd where !isBackward: return notFound(search, isBackward, isAbsent: isWhole && left == count)
      default: break
      }
      break
    }
    return [
      .search(
        ViewerSearchRequest(
          text: search.text, row: row, isBackward: isBackward, count: left, isWhole: isWhole && left == count))
    ]
  }

  private mutating func notFound(_ search: ViewerSearch, _ isBackward: Bool, isAbsent: Bool) -> [ViewerEffect] {
    message = ViewerMessage(search.failure(isBackward: isBackward, isAbsent: isAbsent), isError: true)
    return []
  }

  // MARK: Commands

  private mutating func run(_ text: String, _ rows: some ViewerRows) -> [ViewerEffect] {
    let trimmed = text.drop { $0 == " " }
    if trimmed.isEmpty { return [] }
    let word = trimmed.prefix { $0 != " " }
    let rest = trimmed.dropFirst(word.count).drop { $0 == " " }
    submitted?.argumentOffset = text.utf8.count - rest.utf8.count
    var argument = String(rest)
    while argument.last == " " { argument.removeLast() }
    if let number = Int(word), number > 0 { return goTo(number, rows) }
    switch word {
    case "page":
      guard let number = Int(argument), number > 0 else { return refuse("a page number is expected") }
      let (row, overflow) = (number - 1).multipliedReportingOverflow(by: pageSize)
      return goTo(overflow ? .max : min(row, .max - 1) + 1, rows)
    case "sort":
      let sort = ViewerSort(argument.isEmpty ? [] : [ViewerSort.Key(text: argument)])
      wantedSort = sort
      return [.sort(sort)]
    case "filter":
      wantedFilter = argument
      return [.filter(argument)]
    case "columns":
      if argument.isEmpty { return refuse("names are expected, or * for all") }
      guard argument == "*" else { return [.columns(argument)] }
      for index in columns.indices { columns[index].isHidden = false }
      return columnsText.isEmpty ? [] : [.columns("*")]
    case "w", "w!":
      if argument.isEmpty { return refuse("a file name is expected") }
      return [.write(path: argument, overwrites: word == "w!")]
    case "q", "quit": return [.quit(printsCommand: false)]
    case "x": return [.quit(printsCommand: true)]
    case "h", "help": return apply(.showHelp, rows: rows)
    default:
      submitted?.argumentOffset = 0
      return refuse("no such command; there are N, " + ViewerState.commands.joined(separator: ", "))
    }
  }

  /// To a row, also from within a record, where the keys that go to a row go to a line.
  private mutating func goTo(_ number: Int, _ rows: some ViewerRows) -> [ViewerEffect] {
    let covering = overlay
    overlay = nil
    defer { overlay = covering }
    return apply(.goToRow(number), rows: rows)
  }

  private mutating func refuse(_ message: String) -> [ViewerEffect] {
    reject(ViewerRejection(message, offset: 0))
    return []
  }
}
