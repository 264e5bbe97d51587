// What is said about expressions that are no filter, word for word.

import Fetching
import TestSupport
import Testing

struct PredicateErrorTests {
  struct Row: CustomTestStringConvertible {
    let expression: String
    let message: String

    init(_ expression: String, _ message: String) {
      self.expression = expression
      self.message = message
    }

    var testDescription: String { expression }
  }

  @Test(arguments: firstRows + furtherRows)
  func messageIs(_ row: Row) {
    #expect(message(row.expression) == row.message)
  }

  @Test func parenthesesHaveALimit() {
    let deep = String(repeating: "(", count: 1001) + "a == 1" + String(repeating: ")", count: 1001)
    #expect(message(deep).hasPrefix("more than 1000 parentheses within one another\n  …((((("))
    #expect(message(String(deep.dropFirst().dropLast())) == "")
    let functions = String(repeating: "lower(", count: 1001) + "a" + String(repeating: ")", count: 1001) + " == 'a'"
    #expect(message(functions).hasPrefix("more than 1000 functions within one another\n"))
  }

  @Test func everyPrefixOfAnExpressionIsRefusedOrTaken() {
    let source =
      #"not (a.b[0] contains[c] "x\u00e9\n" or `b c` in [1, -2.5e3, 'y']) and d >= now - 30d && length(e) != 1"#
    for count in 0...source.utf8.count {
      let piece = String(decoding: source.utf8.prefix(count), as: UTF8.self)
      let text = message(piece)
      #expect(text.isEmpty || text.split(separator: "\n", omittingEmptySubsequences: false).count == 3)
    }
  }

  @Test func anyBytesAreRefusedOrTaken() {
    var generator = SeededGenerator(seed: 4)
    let pieces = [
      "a", " ", "and", "or", "not", "(", ")", "[", "]", "==", "<", "5", "-", "\"", "'", "`", "{", "}", "in", "is",
      "null",
      "between", "now", "30d", "contains", "[c]", "any(", "é", "\u{1B}", "\r\n", "\\", "/", "=~", ",", ".", "&",
      "exists(",
    ]
    for _ in 0..<3000 {
      let source = (0..<generator.below(12)).map { _ in generator.pick(pieces) }.joined()
      #expect(!message(source).contains("\u{1B}"))
    }
  }

  /// A near miss quotes the expression, line breaks and escapes included (found by fuzzing).
  @Test(arguments: [
    "a\n> 5d", "a > 5d\n", "is null a\n\u{1B}b", "\"a\n\" in tags", "a\nb == 1", "a-\u{202E}b",
  ])
  func nearMissesAreHarmless(source: String) {
    let text = message(source)
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count == 3)
    #expect(!text.contains("\u{1B}") && !text.contains("\u{202E}") && !text.contains("\u{9B}"))
  }

  private func message(_ source: String) -> String {
    do throws(PredicateError) {
      _ = try Predicate(parsing: source, now: predicateNow)
      return ""
    } catch {
      #expect(error.range.lowerBound <= source.utf8.count)
      return error.message
    }
  }
}
