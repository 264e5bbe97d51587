// What is wrong with a filter expression, as data: the place, what was expected, a near miss. The text for people is
// made here and nowhere else. The expression is a person's own, but it may have come through a script, so that it is
// shown like any other data: control characters replaced, long expressions cut around the place.

/// An expression that is no filter.
package struct PredicateError: Error, Equatable, Sendable {
  /// The expression as given.
  package let source: String
  /// Where it is wrong, in bytes of `source`'s UTF-8; empty at the end of the expression.
  package let range: Range<Int>
  /// What is wrong: "expected a value after `>`, found `and`".
  package let problem: String
  /// What may have been meant, as it would be written.
  package let nearMiss: String?

  init(source: String, range: Range<Int>, problem: String, nearMiss: String? = nil) {
    self.source = source
    self.range = range
    self.problem = problem
    self.nearMiss = nearMiss
  }

  /// Three lines: what is wrong, the expression, and a caret under the place.
  package var message: String {
    let bytes = source.utf8
    let place = bytes.index(bytes.startIndex, offsetBy: range.lowerBound, limitedBy: bytes.endIndex) ?? bytes.endIndex
    // An index inside a character counts as that character, as `distance` would round it down.
    var before: [Character] = []
    var after: [Character] = []
    var index = source.startIndex
    while index < source.endIndex {
      let next = source.index(after: index)
      if next <= place {
        before.append(PredicateError.harmless(source[index]))
      } else {
        after.append(PredicateError.harmless(source[index]))
      }
      index = next
    }
    if before.count > PredicateError.shownBefore {
      before.removeFirst(before.count - PredicateError.shownBefore + 1)
      before.insert("…", at: 0)
    }
    if after.count > PredicateError.shownAfter {
      after.removeLast(after.count - PredicateError.shownAfter + 1)
      after.append("…")
    }
    // Both may quote the expression, and the message has three lines whatever stands there.
    var text = PredicateError.harmless(problem, limit: .max)
    if let nearMiss { text += "; did you mean \(PredicateError.harmless(nearMiss, limit: 80))?" }
    text += "\n  " + String(before) + String(after)
    text += "\n  " + String(repeating: " ", count: before.count) + "^"
    return text
  }

  // Together they fit a line of 80.
  private static let shownBefore = 40
  private static let shownAfter = 36

  /// A piece of the expression for use in `problem`: cut and made harmless.
  static func quoted(_ piece: String, limit: Int = 30) -> String {
    "`" + harmless(piece, limit: limit) + "`"
  }

  /// A text cut and without anything that moves the cursor.
  static func harmless(_ piece: String, limit: Int) -> String {
    var shown = ""
    var count = 0
    for character in piece {
      if count == limit {
        shown += "…"
        break
      }
      shown.append(harmless(character))
      count += 1
    }
    return shown
  }

  /// The character itself, or one that stands for it and neither moves the cursor nor turns the line around.
  private static func harmless(_ character: Character) -> Character {
    if character == "\t" || character == "\n" || character == "\r" || character == "\r\n" { return " " }
    for scalar in character.unicodeScalars {
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB:
        return "?"
      default: continue
      }
    }
    return character
  }
}

/// The candidate nearest to what was written, if it is near. A single letter is near to nothing.
func nearMiss(of word: String, among candidates: [String]) -> String? {
  guard word.utf8.count > 1 else { return nil }
  let nearest = NearestNames.find(Array(word.utf8), among: candidates.map { Array($0.utf8) }, limit: 1)
  return nearest.first.map { String(decoding: $0, as: UTF8.self) }
}
