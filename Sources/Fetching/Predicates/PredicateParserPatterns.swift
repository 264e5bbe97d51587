// The right side of `=~`, `!~` and `matches`: a regular expression between slashes or in quotes. What is wrong within it is
// shown at its place in the filter, not in the text that the quotes stand for.

extension PredicateParser {
  /// Parses what follows the left side, from the operator on, into a test whose left side is not set.
  mutating func parseMatch(_ test: inout PredicateTest) throws(PredicateError) {
    let operation = token
    index += 1
    test.relation = .matches
    test.ignoresCase = try parseModifier()
    let literal = token
    let source: [UInt8]
    switch literal.kind {
    case .regularExpression: source = Array(bytes[(literal.range.lowerBound + 1)..<(literal.range.upperBound - 1)])
    case .text(let decoded): source = decoded
    default: throw expected("a regular expression after `\(text(operation))`, as in `\(text(operation)) /^a.*z$/`", [])
    }
    if case .text = literal.kind, let place = source.firstIndex(of: 0x08) {
      // `\b` as JSON has it, where the boundary of a word is meant.
      throw failure(
        at: placeInQuotes(literal, place), "this is a backspace within quotes", nearMiss: "\\\\b or /…/")
    }
    do {
      test.pattern = try Pattern(source, ignoresCase: test.ignoresCase)
    } catch {
      let place =
        literal.kind == .regularExpression
        ? literal.range.lowerBound + 1 + error.offset : placeInQuotes(literal, error.offset)
      throw failure(at: place, error.reason, nearMiss: nil)
    }
    test.right = [PredicateOperand(base: .literal(.text(source)))]
    index += 1
  }

  private func failure(at place: Int, _ problem: String, nearMiss: String?) -> PredicateError {
    PredicateError(source: source, range: place..<place, problem: problem, nearMiss: nearMiss)
  }

  /// Where the byte of a decoded text stands in the quotes that it comes from.
  private func placeInQuotes(_ literal: PredicateToken, _ offset: Int) -> Int {
    let end = literal.range.upperBound - 1
    var place = literal.range.lowerBound + 1
    var decoded = 0
    while place < end {
      var (length, width) = (1, 1)
      if bytes[place] == UInt8(ascii: "\\") {
        length = 2
        if bytes[place + 1] == UInt8(ascii: "u"), place + 6 <= end {
          length = 6
          let digits = String(decoding: bytes[(place + 2)..<(place + 6)], as: UTF8.self)
          let unit = UInt32(digits, radix: 16) ?? 0
          width = unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3
          if unit & 0xFC00 == 0xD800 { (length, width) = (12, 4) }
        }
      }
      if decoded + width > offset { return place }
      decoded += width
      place += length
    }
    return end
  }
}
