// Random patterns on random texts, against a backtracking search on code points that is as plain as can be; patterns that
// make backtracking slow, on long texts; a table of states so small that it is always full.

import Fetching
import TestSupport
import Testing

struct PatternPropertyTests {
  @Test(arguments: [UInt64(1), 2, 3, 4])
  func agreesWithBacktracking(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var foundCount = 0
    var count = 0
    for _ in 0..<1500 {
      let expression = Reference.random(depth: 3, &generator)
      let source = expression.written
      let pattern = try Pattern(Array(source.utf8), ignoresCase: false)
      // A table that holds a few states, then one that is given up.
      var matcher = PatternMatcher(pattern)
      var tight = PatternMatcher(pattern, tableLimit: generator.below(2000))
      for _ in 0..<6 {
        let text = (0..<generator.below(7)).map { _ in generator.pick(Reference.alphabet) }
        let bytes = Array(String(String.UnicodeScalarView(text)).utf8)
        let expected = expression.firstMatch(in: text)
        count += 1
        if expected != nil { foundCount += 1 }
        let found = matcher.matches(bytes.span, in: 0..<bytes.count)
        #expect(found == (expected != nil), "\(source) on \(String(decoding: bytes, as: UTF8.self).debugDescription)")
        let foundTightly = tight.matches(bytes.span, in: 0..<bytes.count)
        #expect(foundTightly == found, "tight table: \(source)")
        let first = matcher.firstMatch(bytes.span, in: 0..<bytes.count)
        // In a loop around what can be empty, how far a match goes is not the same in all backtracking engines either.
        #expect(
          first?.lowerBound == expected?.lowerBound && (first == expected || expression.loopsAroundNothing),
          "first match of \(source) on \(String(decoding: bytes, as: UTF8.self).debugDescription)")
      }
    }
    // Neither always nor never, or nothing was tested.
    #expect(foundCount > count / 10 && foundCount < count - count / 10)
  }

  @Test(arguments: [
    ("(a*)*b", false), ("(a|aa)+$", true), ("(a|a)*b", false), ("(.*)*x", false), ("((a{0,20}){0,20}){0,20}b", false),
    ("^(a+)+$", true), ("(?:a?){30}a{30}$", true), (".*.*.*.*b", false), ("a.*b.*c", false), ("[ab]{100}c", false),
    ("(a|b)*a(a|b){12}c", false), ("\\b(a+\\b)*b", false), ("(?i)(a*)*b", false),
  ])
  func slowWhenBacktrackingIsNot(pattern: String, expected: Bool) throws {
    let text = [UInt8](repeating: UInt8(ascii: "a"), count: 50_000)
    var matcher = PatternMatcher(try Pattern(Array(pattern.utf8), ignoresCase: false))
    let found = matcher.matches(text.span, in: 0..<text.count)
    #expect(found == expected)
    let first = matcher.firstMatch(text.span, in: 0..<2_000)
    #expect((first != nil) == expected)
  }

  /// 2^13 states on a random text: the table is full again and again.
  @Test func givesUpATableThatIsOfNoUse() throws {
    var generator = SeededGenerator(seed: 5)
    var text = (0..<20_000).map { _ in UInt8(ascii: "a") + UInt8(generator.below(2)) }
    let pattern = try Pattern(Array("a[ab]{12}c|(a|b)*a[ab]{10}d$".utf8), ignoresCase: false)
    for limit in [0, 3000, 100_000, 4 << 20] {
      var matcher = PatternMatcher(pattern, tableLimit: limit)
      for _ in 0..<2 {
        let isFound = matcher.matches(text.span, in: 0..<text.count)
        #expect(!isFound)
        text.append(UInt8(ascii: "c"))
        let isFoundAtEnd = matcher.matches(text.span, in: 0..<text.count)
        #expect(isFoundAtEnd == (text[text.count - 14] == UInt8(ascii: "a")))
        text.removeLast()
      }
    }
  }

  /// Pieces of patterns in any order, on bytes of any kind: nothing traps, and both searches agree.
  @Test func anyTextIsRefusedOrSearchedFor() {
    var generator = SeededGenerator(seed: 9)
    let pieces = [
      "a", "b", "é", "😀", "\n", " ", "(", "(?:", "(?i)", "(?im-s:", "(?<n>", ")", ")", "[", "[^", "]", "-", "[:alpha:]",
      "[[:^word:]]",
      "*", "+", "?", "{2}", "{,3}", "{1,3}", "{0,}", "{", "}", "|", "|", "^", "$", ".", "\\", "\\b", "\\B", "\\d",
      "\\W", "\\s", "\\A",
      "\\z", "\\x41", "\\x{e9}", "\\pL", "\\1", "\\.", "0", ",", "\u{212A}", "(?=",
    ]
    var accepted = 0
    for _ in 0..<8000 {
      let source = Array((0..<generator.below(9)).map { _ in generator.pick(pieces) }.joined().utf8)
      do throws(PatternError) {
        let pattern = try Pattern(source, ignoresCase: generator.oneIn(2))
        accepted += 1
        var matcher = PatternMatcher(pattern)
        var tight = PatternMatcher(pattern, tableLimit: 0)
        for _ in 0..<3 {
          let text = (0..<generator.below(12)).map { _ in
            generator.pick([0x61, 0x62, 0x0A, 0x20, 0xC3, 0xA9, 0x41, 0xFF, 0xF0, 0x9F, 0x98, 0x80, 0x2E] as [UInt8])
          }
          let isFound = matcher.matches(text.span, in: 0..<text.count)
          let isFoundTightly = tight.matches(text.span, in: 0..<text.count)
          let first = matcher.firstMatch(text.span, in: 0..<text.count)
          #expect(isFoundTightly == isFound && (first != nil) == isFound, "\(source) on \(text)")
        }
      } catch {
        #expect(error.offset >= 0 && error.offset <= source.count && !error.reason.isEmpty)
      }
    }
    #expect(accepted > 500 && accepted < 7500)
  }

  @Test func optionalsByTheHundred() throws {
    let count = 200
    let source = String(repeating: "a?", count: count) + String(repeating: "a", count: count)
    #expect(try isFound(source, String(repeating: "a", count: count)))
    #expect(try !isFound(source, String(repeating: "a", count: count - 1)))
  }
}

/// A pattern as the tests see it, and a search by trying everything in order of preference.
private indirect enum Reference {
  case literal(Unicode.Scalar)
  case dot
  case set([Unicode.Scalar], isInverted: Bool)
  case start, end, boundary, notBoundary
  case empty
  case sequence(Reference, Reference)
  case choice(Reference, Reference)
  case repetition(Reference, Int, Int?, isLazy: Bool)

  static let alphabet: [Unicode.Scalar] = ["a", "b", "é", "a", "b", "é", " ", "\n"]

  static func random(depth: Int, _ generator: inout SeededGenerator) -> Reference {
    if depth > 0, !generator.oneIn(5) {
      let first = random(depth: depth - 1, &generator)
      switch generator.below(5) {
      case 0, 1: return .sequence(first, random(depth: depth - 1, &generator))
      case 2: return .choice(first, random(depth: depth - 1, &generator))
      default:
        let least = generator.below(3)
        let isLazy = generator.oneIn(3)
        if generator.oneIn(2) { return .repetition(first, least % 2, nil, isLazy: isLazy) }
        return .repetition(first, least, generator.oneIn(3) ? nil : least + generator.below(3), isLazy: isLazy)
      }
    }
    switch generator.below(14) {
    case 0: return .dot
    case 1: return .set([generator.pick(alphabet), generator.pick(alphabet)], isInverted: generator.oneIn(2))
    case 2: return .start
    case 3: return .end
    case 4: return .boundary
    case 5: return .notBoundary
    case 6: return .empty
    default: return .literal(generator.pick(alphabet))
    }
  }

  var written: String {
    switch self {
    case .literal(let scalar): String(scalar)
    case .dot: "."
    case .set(let scalars, let isInverted):
      "[" + (isInverted ? "^" : "") + scalars.map { String($0) }.joined() + "]"
    case .start: "^"
    case .end: "$"
    case .boundary: "\\b"
    case .notBoundary: "\\B"
    case .empty: "(?:)"
    case .sequence(let first, let second): first.written + second.written
    case .choice(let first, let second): "(" + first.written + "|" + second.written + ")"
    case .repetition(let part, let least, let most, let isLazy):
      "(?:" + part.written + ")"
        + (most.map { "{\(least),\($0)}" } ?? (least == 0 ? "*" : least == 1 ? "+" : "{\(least),}"))
        + (isLazy ? "?" : "")
    }
  }

  private var isNullable: Bool {
    switch self {
    case .literal, .dot, .set: false
    case .start, .end, .boundary, .notBoundary, .empty: true
    case .sequence(let first, let second): first.isNullable && second.isNullable
    case .choice(let first, let second): first.isNullable || second.isNullable
    case .repetition(let part, let least, _, _): least == 0 || part.isNullable
    }
  }

  /// Whether something that can be empty is repeated without end.
  var loopsAroundNothing: Bool {
    switch self {
    case .sequence(let first, let second), .choice(let first, let second):
      first.loopsAroundNothing || second.loopsAroundNothing
    case .repetition(let part, _, let most, _): most == nil && part.isNullable || part.loopsAroundNothing
    default: false
    }
  }

  /// The first match, in bytes.
  func firstMatch(in text: [Unicode.Scalar]) -> Range<Int>? {
    func bytes(_ place: Int) -> Int { text[..<place].reduce(0) { $0 + UTF8.width($1) } }
    for start in 0...text.count {
      var end = -1
      if match(
        text, start,
        {
          end = $0; return true
        })
      {
        return bytes(start)..<bytes(end)
      }
    }
    return nil
  }

  private func isWord(_ text: [Unicode.Scalar], _ place: Int) -> Bool {
    place >= 0 && place < text.count && (text[place] == "a" || text[place] == "b")
  }

  private func match(_ text: [Unicode.Scalar], _ place: Int, _ rest: (Int) -> Bool) -> Bool {
    switch self {
    case .literal(let scalar): return place < text.count && text[place] == scalar && rest(place + 1)
    case .dot: return place < text.count && text[place] != "\n" && rest(place + 1)
    case .set(let scalars, let isInverted):
      return place < text.count && scalars.contains(text[place]) != isInverted && rest(place + 1)
    case .start: return place == 0 && rest(place)
    case .end: return place == text.count && rest(place)
    case .boundary: return isWord(text, place - 1) != isWord(text, place) && rest(place)
    case .notBoundary: return isWord(text, place - 1) == isWord(text, place) && rest(place)
    case .empty: return rest(place)
    case .sequence(let first, let second): return first.match(text, place) { second.match(text, $0, rest) }
    case .choice(let first, let second): return first.match(text, place, rest) || second.match(text, place, rest)
    case .repetition(let part, let least, let most, let isLazy):
      return Reference.repeated(part, least, most, isLazy, text, place, rest)
    }
  }

  private static func repeated(
    _ part: Reference, _ least: Int, _ most: Int?, _ isLazy: Bool, _ text: [Unicode.Scalar], _ place: Int,
    _ rest: (Int) -> Bool
  ) -> Bool {
    if most == 0 { return rest(place) }
    if least > 0 {
      return part.match(text, place) { repeated(part, least - 1, most.map { $0 - 1 }, isLazy, text, $0, rest) }
    }
    func more() -> Bool {
      part.match(text, place) { next in
        // A round that took nothing is the last one.
        next == place ? rest(next) : repeated(part, 0, most.map { $0 - 1 }, isLazy, text, next, rest)
      }
    }
    return isLazy ? rest(place) || more() : more() || rest(place)
  }
}
