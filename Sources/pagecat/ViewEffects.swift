// What the viewer asks of the program, done: most by a pass in the background, some at once.

import Fetching
import Glibc
import Paging
import Reading
import Rendering
import Synchronization
import TerminalIO

extension ViewSession {
  func perform(_ effect: ViewerEffect) {
    switch effect {
    case .sort(let sort): change(.sort) { $0.sorts = sort.text.isEmpty ? [] : [Array(sort.text.utf8)] }
    case .filter(let text): change(.filter) { $0.filters = text.isEmpty ? [] : [Array(text.utf8)] }
    case .columns(let text): changeColumns(text)
    case .search(let request): search(request)
    case .cancel: cancelPass()
    case .seekEnd: seekEnd()
    case .countTotal: count(.count)
    case .write(let path, let overwrites): write(to: path, overwrites: overwrites)
    case .copy(let text): copy(text)
    case .reload: reload()
    case .follow(let follows): follow(follows)
    case .suspend: suspend()
    case .redraw: redraw()
    case .quit(let printsCommand): ending = .quit(printsCommand: printsCommand)
    case .interrupt: end(by: SIGINT)
    }
  }

  /// Shows the rows of a changed question, if it is one.
  private func change(_ purpose: ViewPass.Purpose, _ body: (inout Invocation) -> Void) {
    // Whoever types on while rows are put in order means the rows that will come.
    var changed = pass?.changed ?? invocation
    body(&changed)
    do {
      if purpose == .filter, let filter = changed.filters.first { try ViewSession.check(filter) }
      let query = try Query(changed, reusing: query.inputs)
      // Now its keys are known one by one.
      if purpose == .sort { state.expect(sort: ViewSession.sort(query.descriptor.sortBy)) }
      if pass?.purpose == .reload { return readAgain(changed) }
      open(purpose, changed, query)
    } catch let error as ViewerRejection {
      state.reject(error)
    } catch {
      state.reject(ViewerRejection(ViewSession.describe(error)))
    }
  }

  /// Parses a filter by itself, for the place of an error in it.
  private static func check(_ filter: [UInt8]) throws(ViewerRejection) {
    do throws(PredicateError) {
      _ = try Predicate(parsing: String(decoding: filter, as: UTF8.self), now: 0)
    } catch {
      let hint = error.nearMiss.map { "; did you mean \($0)?" } ?? ""
      throw ViewerRejection(error.problem + hint, offset: error.range.lowerBound)
    }
  }

  private func changeColumns(_ text: String) {
    var changed = pass?.changed ?? invocation
    changed.columns = text == "*" ? nil : Array(text.utf8)
    if text == "*" { changed.hiddenColumns = nil }
    do {
      let query = try Query(changed, reusing: query.inputs)
      if pass?.purpose == .reload { return readAgain(changed) }
      if let pass, pass.changed != nil { return open(pass.purpose, changed, query) }
      // Whatever was to come has the columns of before.
      pass?.monitor.cancel()
      pass = nil
      // The same rows, with other columns.
      source = try ViewPageSource(source.rows, query)
      invocation = changed
      self.query = query
      pager.replaceSource(source)
      hasToldNotes = false
      showColumns()
    } catch {
      state.reject(ViewerRejection(ViewSession.describe(error)))
    }
  }

  private func copy(_ text: [UInt8]) {
    if let sequence = Clipboard.sequence(copying: text) {
      tty.write(sequence)
    } else {
      state.message = ViewerMessage("too long to copy: \(text.count) bytes", isError: true)
    }
  }

  // MARK: Files that change

  private func reload() {
    guard files.areRegular else { return retry() }
    readAgain(pass?.changed ?? invocation)
  }

  /// Reads the files as they are now; what was asked for and has not come yet, is asked of them.
  private func readAgain(_ changed: Invocation) {
    start(.reload, changed: changed) { monitor in
      do {
        let query = try Query(changed)
        let source = try ViewPageSource(opening: query, pageSize: changed.pageSize)
        try await source.rows.begin()
        return monitor.isCancelled ? .cancelled : .opened(query, source, changed)
      } catch {
        return .failed(ViewSession.describe(error))
      }
    }
  }

  private func retry() {
    forgetError()
    pager.retry()
  }

  private func follow(_ follows: Bool) {
    if follows && pager.count.total == nil && files.areRegular { seekEnd() }
    if follows && !query.descriptor.sortBy.isEmpty { state.message = ViewerMessage("following a sort reads all again") }
  }

  /// Sees whether the files are still what they were, now and then.
  func lookAtFiles() {
    guard let change = files.look() else { return }
    switch change {
    case .shrunk(let name): state.message = ViewerMessage("\(name) has become shorter; r reads it again", isError: true)
    case .replaced(let name): state.message = ViewerMessage("\(name) was replaced; r reads it again", isError: true)
    case .removed(let name): state.message = ViewerMessage("\(name) was removed", isError: true)
    case .grown:
      guard state.isFollowing else { return }
      goOn()
      return
    }
    if state.isFollowing, case .removed = change { return }
    if state.isFollowing && pass == nil { reload() }
  }

  /// Goes on in files that have grown.
  func goOn() {
    // What is added to a file stands before the next one.
    guard pass == nil, query.inputs.count == 1, query.descriptor.sortBy.isEmpty, let opened = try? Query(invocation),
      source.rows.reopen(opened.inputs)
    else {
      if pass == nil { reload() }
      return
    }
    query = opened
    files = ViewFiles(opened.inputs)
    pager.retry()
    // Nobody knows whether the last row was whole when it was read.
    pager.forgetEnd(dropsLastRow: true)
  }

  // MARK: Texts

  /// Makes a regular expression into a function, which ignores case unless a capital letter is in it.
  static let compile: @Sendable (String) throws(ViewerRejection) -> ViewerMatch = {
    (text: String) throws(ViewerRejection) -> ViewerMatch in
    let pattern: Pattern
    do throws(PatternError) {
      pattern = try Pattern(Array(text.utf8), ignoresCase: !hasCapital(text))
    } catch {
      throw ViewerRejection(error.reason, offset: error.offset)
    }
    let matcher = SharedMatcher(pattern)
    return { text, start in matcher.firstMatch(text, from: start) }
  }

  /// A capital letter of the text itself, not of `\W`.
  private static func hasCapital(_ text: String) -> Bool {
    var isEscaped = false
    for character in text {
      if !isEscaped && character.isUppercase { return true }
      isEscaped = !isEscaped && character == "\\"
    }
    return false
  }

  /// What an error means, in a line.
  static let describe: @Sendable (any Error) -> String = { error in
    switch error {
    case let error as UsageError:
      // The option is not what a person has typed here, and the expression stands there already.
      let line = error.message.prefix { $0 != "\n" }
      let parts = line.split(separator: ": ", maxSplits: 1)
      return parts.count == 2 && parts[0].hasPrefix("--") ? String(parts[1]) : String(line)
    case let error as ReadError: return ViewSession.short(error)
    case FetchError.read(let error): return ViewSession.short(error)
    case FetchError.unknownSortKey(let error): return error.message
    case let error as UnknownColumnError: return error.message
    case is CancellationError: return "stopped"
    default: return "unexpected: \(error)"
    }
  }

  /// The folder of a file would leave no room for what is wrong with it, and the file is on show.
  private static func short(_ error: ReadError) -> String {
    var error = error
    error.inputName = error.inputName.split(separator: "/").last.map(String.init) ?? error.inputName
    return error.message
  }

  /// Sort keys as the viewer has them.
  static func sort(_ descriptors: [SortDescriptor]) -> ViewerSort {
    ViewerSort(
      descriptors.map {
        ViewerSort.Key(text: $0.description, columnName: $0.key.text, isDescending: $0.order == .reverse)
      })
  }
}

/// A matcher that the drawing and a search may use at a time: there is one for each, so that the drawing need not wait.
private final class SharedMatcher: Sendable {
  private let first: Mutex<PatternMatcher>
  private let second: Mutex<PatternMatcher>

  init(_ pattern: Pattern) {
    first = Mutex(PatternMatcher(pattern))
    second = Mutex(PatternMatcher(pattern))
  }

  func firstMatch(_ text: Span<UInt8>, from start: Int) -> Range<Int>? {
    // Twice an optional: the outer one tells whether the matcher was free.
    if let found = first.withLockIfAvailable({ $0.firstMatch(text, in: 0..<text.count, from: start) }) { return found }
    return second.withLock { $0.firstMatch(text, in: 0..<text.count, from: start) }
  }
}
