// A line of text being typed: moving, deleting, history, completion of names. It draws nothing and knows no keys.
//
// The text is an array of characters, so that the cursor never stands inside one; a mark that is typed after a letter
// joins it.

/// Something to do to the line.
package enum LineEdit: Sendable, Equatable {
  case insert(String)
  case moveCharacters(Int)
  case moveWords(Int)
  case moveToStart
  case moveToEnd
  case deleteBackward
  case deleteForward
  case deleteWord
  case deleteToStart
  case deleteToEnd
  /// To older entries (-1) or newer ones (1).
  case recall(Int)
  case complete(isBackward: Bool)
  case submit
}

/// A line and a cursor in it.
package struct LineEditor: Sendable, Equatable {
  /// More is not taken: no expression is that long.
  package static let longest = 10_000

  private var characters: [Character]
  /// Characters before the cursor.
  package private(set) var cursor: Int
  private var history: [String]
  /// Where in the history; its count stands for the line as typed.
  private var historyIndex: Int
  private var typed: [Character] = []
  private var completion: Completion?

  private struct Completion: Sendable, Equatable {
    var start: Int
    var candidates: [String]
    /// The one that stands in the line; -1: what they have in common.
    var index: Int
  }

  /// - Parameter history: earlier lines, the newest last.
  package init(_ text: String = "", history: [String] = []) {
    characters = Array(text)
    cursor = characters.count
    self.history = history
    historyIndex = history.count
  }

  package var text: String { String(characters) }
  /// The text before the cursor.
  package var textBeforeCursor: String { String(characters[..<cursor]) }

  /// Does what needs nothing but the line; `.submit` and `.complete` are its owner's.
  package mutating func apply(_ edit: LineEdit) {
    completion = nil
    switch edit {
    case .insert(let text): insert(text)
    case .moveCharacters(let count): cursor = min(max(0, cursor + count), characters.count)
    case .moveWords(let count):
      for _ in 0..<min(abs(count), characters.count) { cursor = count < 0 ? wordStart() : wordEnd() }
    case .moveToStart: cursor = 0
    case .moveToEnd: cursor = characters.count
    case .deleteBackward: delete(max(0, cursor - 1)..<cursor)
    case .deleteForward: delete(cursor..<min(characters.count, cursor + 1))
    case .deleteWord: delete(wordStart()..<cursor)
    case .deleteToStart: delete(0..<cursor)
    case .deleteToEnd: delete(cursor..<characters.count)
    case .recall(let step): recall(step)
    case .complete, .submit: break
    }
  }

  private mutating func insert(_ text: String) {
    // A line is one line: what would end it or drive a terminal becomes a blank.
    var clean = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      clean.append(scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) ? " " : scalar)
    }
    let room = LineEditor.longest - characters.count
    guard room > 0 else { return }
    let after = characters[cursor...]
    let before = Array(String(characters[..<cursor]) + String(String(clean).prefix(room)))
    characters = before + after
    cursor = before.count
  }

  private mutating func delete(_ range: Range<Int>) {
    characters.removeSubrange(range)
    cursor = range.lowerBound
  }

  private func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }

  private func wordStart() -> Int {
    var index = cursor
    while index > 0 && !isWord(characters[index - 1]) { index -= 1 }
    while index > 0 && isWord(characters[index - 1]) { index -= 1 }
    return index
  }

  private func wordEnd() -> Int {
    var index = cursor
    while index < characters.count && !isWord(characters[index]) { index += 1 }
    while index < characters.count && isWord(characters[index]) { index += 1 }
    return index
  }

  private mutating func recall(_ step: Int) {
    let index = min(max(0, historyIndex + step), history.count)
    if index == historyIndex { return }
    if historyIndex == history.count { typed = characters }
    historyIndex = index
    characters = index == history.count ? typed : Array(history[index])
    cursor = characters.count
  }

  /// Completes the word before the cursor: first what all candidates have in common, then one after another.
  ///
  /// - Parameters:
  ///   - candidates: all words there are, each with the text that takes its place.
  ///   - isBackward: whether to go through them from the last.
  /// - Returns: the candidates that fit, for a message.
  @discardableResult
  package mutating func complete(
    _ candidates: [(word: String, replacement: String)], isBackward: Bool = false
  ) -> [String] {
    if var going = completion, !going.candidates.isEmpty {
      let count = going.candidates.count
      going.index = isBackward ? (going.index <= 0 ? count : going.index) - 1 : (going.index + 1) % count
      replaceWord(from: going.start, with: going.candidates[going.index])
      completion = going
      return going.candidates
    }
    let start = completionStart()
    let word = String(characters[start..<cursor]).lowercased()
    let fitting = candidates.filter {
      $0.word.lowercased().hasPrefix(word) || $0.replacement.lowercased().hasPrefix(word)
    }
    guard let first = fitting.first else { return [] }
    let texts = fitting.map(\.replacement)
    if fitting.count == 1 {
      replaceWord(from: start, with: first.replacement)
      return texts
    }
    let common = texts.dropFirst().reduce(texts[0]) { String(zip($0, $1).prefix { $0 == $1 }.map(\.0)) }
    if common.count > word.count {
      replaceWord(from: start, with: common)
      completion = Completion(start: start, candidates: texts, index: -1)
    } else {
      let index = isBackward ? texts.count - 1 : 0
      replaceWord(from: start, with: texts[index])
      completion = Completion(start: start, candidates: texts, index: index)
    }
    return texts
  }

  /// Where the word before the cursor begins: after what cannot be in a name, or at the quote that opens one.
  private func completionStart() -> Int {
    var quote: Int?
    for index in 0..<cursor {
      switch characters[index] {
      case "`": quote = quote == nil ? index : nil
      case "{" where quote == nil: quote = index
      case "}": quote = nil
      default: break
      }
    }
    if let quote { return quote }
    var index = cursor
    while index > 0, !" ,()[]<>=!&|~+:\"'`{}".contains(characters[index - 1]) { index -= 1 }
    return index
  }

  private mutating func replaceWord(from start: Int, with text: String) {
    let rest = characters[cursor...]
    let before = Array(characters[..<start]) + Array(text)
    characters = before + rest
    cursor = before.count
  }
}
