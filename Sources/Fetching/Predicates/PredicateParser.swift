// Grammar of a filter, from tokens to the tree. `and`, `or`, `not` and parentheses are kept on a stack of its own, so
// that no expression is too deep for the thread's. Every error says what was expected at the place and what stands
// there.
//
//     condition   = term { ("and" | "or") term }           not, and, or bind in this order
//     term        = { "not" } ( "(" condition ")" | comparison )
//     comparison  = "exists" "(" name ")" | operand relation
//     relation    = compare operand | ["not"] textual operand | ["not"] "between" operand "and" operand
//                 | ["not"] "in" "[" operand { "," operand } "]" | "is" ["not"] "null"
//     operand     = literal | name | function "(" operand ")"

import Reading

struct PredicateParser {
  let source: String
  let bytes: [UInt8]
  private let now: Int
  let tokens: [PredicateToken]
  var index = 0
  var predicate: Predicate

  /// Parentheses within one another. Far more than a person writes, and few enough for every later pass.
  static let depthLimit = 1000

  /// What was opened and is not closed yet: an `or` of `and`s.
  private struct Frame {
    /// Where the parenthesis stands; the outermost frame has none.
    var opened: Range<Int>?
    var isNegated: Bool
    var alternatives: [Int] = []
    var terms: [Int] = []
  }

  init(_ source: String, now: Int) throws(PredicateError) {
    self.source = source
    bytes = Array(source.utf8)
    self.now = now
    tokens = try PredicateLexer.tokens(of: source)
    predicate = Predicate(source: source)
  }

  mutating func run() throws(PredicateError) -> Predicate {
    var frames = [Frame(opened: nil, isNegated: false)]
    if token.kind == .end {
      throw failure(token, "the filter is empty, expected a comparison such as `distance > 40000`")
    }
    parsing: while true {
      // A term begins here.
      var isNegated = false
      while take(.not) { isNegated.toggle() }
      if token.kind == .symbol(.openParenthesis) {
        guard frames.count <= PredicateParser.depthLimit else {
          throw failure(token, "more than \(PredicateParser.depthLimit) parentheses within one another")
        }
        frames.append(Frame(opened: token.range, isNegated: isNegated))
        index += 1
        continue
      }
      frames[frames.count - 1].terms.append(try parseComparison(isNegated: isNegated))

      // A term has ended here.
      while true {
        if take(.and) { continue parsing }
        if take(.or) {
          closeAlternative(&frames[frames.count - 1])
          continue parsing
        }
        if token.kind == .symbol(.closeParenthesis), frames.count > 1, var frame = frames.popLast() {
          index += 1
          closeAlternative(&frame)
          frames[frames.count - 1].terms.append(close(frame))
          continue
        }
        break
      }
      if token.kind == .end { break }
      throw afterTerm()
    }
    if frames.count > 1, let opened = frames[frames.count - 1].opened {
      throw PredicateError(source: source, range: opened, problem: "this parenthesis is never closed")
    }
    closeAlternative(&frames[0])
    predicate.finish(root: close(frames[0]))
    return predicate
  }

  // MARK: The tree

  private mutating func closeAlternative(_ frame: inout Frame) {
    frame.alternatives.append(
      frame.terms.count == 1
        ? frame.terms[0] : predicate.add(PredicateNode(content: .all(frame.terms), isNegated: false)))
    frame.terms = []
  }

  private mutating func close(_ frame: Frame) -> Int {
    if frame.alternatives.count == 1 {
      let only = frame.alternatives[0]
      if frame.isNegated { predicate.negate(only) }
      return only
    }
    return predicate.add(PredicateNode(content: .any(frame.alternatives), isNegated: frame.isNegated))
  }

  // MARK: Comparisons

  private mutating func parseComparison(isNegated: Bool) throws(PredicateError) -> Int {
    let start = token.range.lowerBound
    if token.kind == .name, following.kind == .symbol(.openParenthesis), text(token).lowercased() == "exists" {
      index += 1
      index += 1
      let field = try parseFieldName()
      guard token.kind == .symbol(.closeParenthesis) else { throw expected("`)`", []) }
      index += 1
      let left = PredicateOperand(base: .field(predicate.fieldIndex(of: field, mayBeAbsent: true)))
      return add(PredicateTest(left: left, relation: .exists, right: [], text: ""), from: start, isNegated)
    }

    let firstToken = token
    var left = try parseOperand(as: "a comparison")
    let leftEnd = index
    let operation = token
    let isInfixNegated = operation.kind == .keyword(.not) && index + 1 < tokens.count && isNegatable(following)
    if isInfixNegated { index += 1 }
    var test = PredicateTest(
      left: PredicateOperand(base: .literal(.null)), relation: .equal, right: [], isNegated: isInfixNegated, text: "")

    switch token.kind {
    case .symbol(let symbol):
      guard let (relation, isNot) = PredicateParser.comparisons[symbol] else {
        if symbol == .matches || symbol == .matchesNot {
          try refuseLiteral(left, firstToken, before: operation)
          test.isNegated = symbol == .matchesNot
          try parseMatch(&test)
          test.left = resolve(left, mayBeAbsent: false)
          return add(test, from: start, isNegated)
        }
        throw missingRelation(after: firstToken, end: leftEnd)
      }
      index += 1
      try refuseModifier()
      let rightToken = token
      var right = try parseOperand(after: operation)
      test.relation = relation
      test.isNegated = isNot
      if left.name == nil {
        guard right.name != nil else {
          throw PredicateError(
            source: source, range: firstToken.range, problem: "expected a name on one side of `\(text(operation))`")
        }
      }
      // The literal stands on the right, `any` and `all` on the left.
      if left.name == nil || right.operand.isQuantified && !left.operand.isQuantified {
        swap(&left, &right)
        test.relation = PredicateParser.flipped[symbol] ?? relation
      }
      if right.operand.isQuantified {
        throw failure(rightToken, "expected one `any` or `all` in a comparison")
      }
      test.left = left.operand
      if right.name == nil, right.operand.base == .literal(.null), test.relation == .equal {
        test.relation = .isNull
        test.left = resolve(left, mayBeAbsent: true)
      } else {
        test.left = resolve(left, mayBeAbsent: false)
        test.right = [resolve(right, mayBeAbsent: false)]
      }
      return add(test, from: start, isNegated)

    case .keyword(.is):
      try refuseLiteral(left, firstToken, before: operation)
      index += 1
      if take(.not) { test.isNegated = true }
      guard token.kind == .keyword(.null) else { throw expected("`null` or `not null` after `is`", [.null, .not]) }
      index += 1
      test.relation = .isNull
      test.left = resolve(left, mayBeAbsent: true)
      return add(test, from: start, isNegated)

    case .keyword(.between):
      try refuseLiteral(left, firstToken, before: operation)
      index += 1
      let low = try parseUnquantified(as: "the lower bound")
      guard token.kind == .keyword(.and) || token.kind == .symbol(.and) else {
        throw expected("`and` between the two bounds", [.and])
      }
      index += 1
      let high = try parseUnquantified(as: "the upper bound")
      test.relation = .between
      test.left = resolve(left, mayBeAbsent: false)
      test.right = [resolve(low, mayBeAbsent: false), resolve(high, mayBeAbsent: false)]
      return add(test, from: start, isNegated)

    case .keyword(.in):
      if left.name == nil, following.kind == .name {
        throw failure(
          following, "expected `[` after `in`", nearMiss: "\(text(following)) contains \(text(firstToken))")
      }
      try refuseLiteral(left, firstToken, before: operation)
      index += 1
      test.relation = .oneOf
      let elements = try parseList()
      test.left = resolve(left, mayBeAbsent: false)
      test.right = elements.map { resolve($0, mayBeAbsent: false) }
      return add(test, from: start, isNegated)

    case .keyword(let keyword):
      guard let relation = PredicateParser.textual[keyword] else {
        if keyword == .matches {
          try refuseLiteral(left, firstToken, before: operation)
          try parseMatch(&test)
          test.left = resolve(left, mayBeAbsent: false)
          return add(test, from: start, isNegated)
        }
        throw missingRelation(after: firstToken, end: leftEnd)
      }
      try refuseLiteral(left, firstToken, before: operation)
      let word = token
      index += 1
      test.relation = relation
      test.ignoresCase = try parseModifier()
      let operand = token
      let right = try parseOperand(after: word)
      let isText = if case .literal(.text) = right.operand.base { true } else { false }
      if right.name == nil ? relation != .contains && !isText : relation == .like {
        throw failure(operand, "expected text in quotes after `\(text(word))`")
      }
      if right.operand.isQuantified { throw failure(operand, "expected `\(text(operand))` on the left side") }
      test.left = resolve(left, mayBeAbsent: false)
      test.right = [resolve(right, mayBeAbsent: false)]
      return add(test, from: start, isNegated)

    default:
      throw missingRelation(after: firstToken, end: leftEnd)
    }
  }

  private mutating func add(
    _ test: PredicateTest, from start: Int, _ isNegated: Bool
  ) -> Int {
    var test = test
    if case .field(let index) = test.left.base { test.subject = predicate.fields[index].description }
    test.text = text(start..<tokens[index - 1].range.upperBound)
    return predicate.add(test, isNegated: isNegated)
  }

  static let comparisons: [PredicateSymbol: (PredicateTest.Relation, isNot: Bool)] = [
    .equal: (.equal, false), .notEqual: (.equal, true), .less: (.less, false), .lessOrEqual: (.lessOrEqual, false),
    .greater: (.greater, false), .greaterOrEqual: (.greaterOrEqual, false),
  ]

  private static let flipped: [PredicateSymbol: PredicateTest.Relation] = [
    .less: .greater, .lessOrEqual: .greaterOrEqual, .greater: .less, .greaterOrEqual: .lessOrEqual,
  ]

  private static let textual: [PredicateKeyword: PredicateTest.Relation] = [
    .contains: .contains, .beginswith: .beginsWith, .endswith: .endsWith, .like: .like,
  ]

  private func isNegatable(_ token: PredicateToken) -> Bool {
    guard case .keyword(let keyword) = token.kind else { return false }
    return PredicateParser.textual[keyword] != nil || keyword == .in || keyword == .between || keyword == .matches
  }

  private mutating func parseList() throws(PredicateError) -> [Operand] {
    let open = token
    guard open.kind == .symbol(.openBracket) else {
      throw expected("`[` after `in`, as in `type in [\"Run\", \"Hike\"]`", [])
    }
    index += 1
    var elements: [Operand] = []
    while true {
      elements.append(try parseUnquantified(as: "a value"))
      if token.kind == .symbol(.comma) {
        index += 1
      } else if token.kind == .symbol(.closeBracket) {
        index += 1
        return elements
      } else if token.kind == .end {
        throw failure(open, "this bracket is never closed")
      } else {
        throw expected("`,` or `]`", [])
      }
    }
  }

  /// `[c]` after a word.
  mutating func parseModifier() throws(PredicateError) -> Bool {
    guard token.kind == .symbol(.openBracket) else { return false }
    index += 1
    guard token.kind == .name, text(token) == "c" || text(token) == "C" else {
      throw expected("`c` (ignore case) between the brackets", [])
    }
    index += 1
    guard token.kind == .symbol(.closeBracket) else { throw expected("`]` after `[c`", []) }
    index += 1
    return true
  }

  private func refuseModifier() throws(PredicateError) {
    if token.kind == .symbol(.openBracket) {
      throw expected("a value", [], nearMiss: following.kind == .name ? "lower(…) ==" : "in [")
    }
  }

  private func refuseLiteral(
    _ operand: Operand, _ first: PredicateToken, before operation: PredicateToken
  ) throws(PredicateError) {
    if operand.name == nil { throw failure(first, "expected a name before `\(text(operation))`") }
  }

  // MARK: Operands

  /// An operand whose field has no index yet, as that depends on what it is compared with.
  struct Operand {
    var operand: PredicateOperand
    var name: FieldName?
  }

  private mutating func resolve(_ operand: Operand, mayBeAbsent: Bool) -> PredicateOperand {
    guard let name = operand.name else { return operand.operand }
    var result = operand.operand
    result.base = .field(predicate.fieldIndex(of: name, mayBeAbsent: mayBeAbsent))
    return result
  }

  private mutating func parseOperand(after operation: PredicateToken) throws(PredicateError) -> Operand {
    try parseOperand(as: "a value after `\(text(operation))`")
  }

  /// An operand of which there are several, so that it can be no array's elements.
  private mutating func parseUnquantified(as what: String) throws(PredicateError) -> Operand {
    let first = token
    let result = try parseOperand(as: what)
    if result.operand.isQuantified { throw failure(first, "expected `\(text(first))` on the left side") }
    return result
  }

  private mutating func parseOperand(as what: String) throws(PredicateError) -> Operand {
    // Functions are collected on the way in and closed on the way out, without recursion.
    var functions: [PredicateFunction] = []
    while token.kind == .name, following.kind == .symbol(.openParenthesis) {
      functions.append(try function(named: token))
      guard functions.count <= PredicateParser.depthLimit else {
        throw failure(token, "more than \(PredicateParser.depthLimit) functions within one another")
      }
      if functions.count > 1, functions[functions.count - 2].isQuantifier {
        throw failure(token, "expected the name of an array in `\(text(tokens[index - 2]))`")
      }
      index += 2
    }
    var result: Operand
    if functions.isEmpty {
      result = try parseValue(as: what)
    } else {
      result = Operand(operand: PredicateOperand(base: .literal(.null)), name: try parseFieldName())
      functions.reverse()
      for place in functions.indices {
        if case .date = functions[place] { functions[place] = .date(try parseFormat()) }
        guard token.kind == .symbol(.closeParenthesis) else { throw expected("`)`", []) }
        index += 1
      }
    }
    result.operand.functions = functions
    return result
  }

  /// The second argument of `date`.
  private mutating func parseFormat() throws(PredicateError) -> StrptimeFormat {
    guard token.kind == .symbol(.comma) else { throw expected("`,` and a format such as \"%d %b %Y\"", []) }
    index += 1
    guard case .text(let format) = token.kind, !format.isEmpty, !format.contains(0) else {
      throw expected("a format in quotes such as \"%d %b %Y\"", [])
    }
    index += 1
    return StrptimeFormat(String(decoding: format, as: UTF8.self))
  }

  private func function(named token: PredicateToken) throws(PredicateError) -> PredicateFunction {
    let name = text(token).lowercased()
    if let (_, function) = PredicateFunction.named.first(where: { $0.name == name }) { return function }
    if name == "exists" { throw failure(token, "`exists` is a condition of its own and has no value to compare") }
    throw failure(
      token, "unknown function \(PredicateError.quoted(text(token)))",
      nearMiss: Fetching.nearMiss(of: name, among: PredicateFunction.named.map(\.name) + ["exists"]))
  }

  private mutating func parseValue(as what: String) throws(PredicateError) -> Operand {
    let first = token
    switch first.kind {
    case .name, .exactName:
      return Operand(operand: PredicateOperand(base: .literal(.null)), name: try parseFieldName())
    case .number:
      index += 1
      return literal(.number(Array(text(first).utf8)))
    case .text(let text):
      index += 1
      return literal(.text(text))
    case .symbol(.minus), .symbol(.plus):
      guard case .number = following.kind, following.range.lowerBound == first.range.upperBound else {
        var suggestion: String?
        if case .number = following.kind { suggestion = text(first) + text(following) }
        throw failure(following, "expected a number right after `\(text(first))`", nearMiss: suggestion)
      }
      let digits = text(following)
      index += 2
      return literal(.number(Array((first.kind == .symbol(.minus) ? "-" + digits : digits).utf8)))
    case .keyword(.true):
      index += 1
      return literal(.boolean(true))
    case .keyword(.false):
      index += 1
      return literal(.boolean(false))
    case .keyword(.null):
      index += 1
      return literal(.null)
    case .keyword(.now), .keyword(.today):
      return try parseInstant()
    case .duration:
      throw failure(
        first, "a duration stands after `now` or `today`", nearMiss: "now - \(text(first))")
    default:
      throw expected(what, [.not])
    }
  }

  private func literal(_ literal: PredicateLiteral) -> Operand {
    Operand(operand: PredicateOperand(base: .literal(literal)), name: nil)
  }

  private mutating func parseInstant() throws(PredicateError) -> Operand {
    let day = 86_400
    var seconds = now
    if token.kind == .keyword(.today) {
      let (_, second) = now.quotientAndRemainder(dividingBy: day)
      seconds = now &- (second < 0 ? second &+ day : second)
    }
    index += 1
    while token.kind == .symbol(.plus) || token.kind == .symbol(.minus) {
      let isMinus = token.kind == .symbol(.minus)
      guard case .duration(let duration) = following.kind else {
        throw failure(following, "expected a duration such as `30d` (s, m, h, d, w)")
      }
      let (sum, isOverflow) =
        isMinus ? seconds.subtractingReportingOverflow(duration) : seconds.addingReportingOverflow(duration)
      guard !isOverflow, abs(sum.quotientAndRemainder(dividingBy: 2).quotient) <= PredicateLexer.longestDuration else {
        throw failure(following, "this is out of the range of dates")
      }
      seconds = sum
      index += 2
    }
    return literal(.instant(seconds))
  }

  private mutating func parseFieldName() throws(PredicateError) -> FieldName {
    let first = token
    switch first.kind {
    case .name:
      index += 1
      return FieldName(text(first))
    case .exactName(let name):
      index += 1
      return FieldName(name, isQuoted: true)
    default:
      throw expected("a name", [])
    }
  }

  // MARK: Tokens

  var token: PredicateToken { tokens[index] }

  /// The token after this one; at the end, the end.
  var following: PredicateToken { tokens[min(index + 1, tokens.count - 1)] }

  func text(_ token: PredicateToken) -> String { text(token.range) }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private enum Connective {
    case not, and, or
  }

  private mutating func take(_ connective: Connective) -> Bool {
    let isThere =
      switch connective {
      case .not: token.kind == .keyword(.not) || token.kind == .symbol(.not)
      case .and: token.kind == .keyword(.and) || token.kind == .symbol(.and)
      case .or: token.kind == .keyword(.or) || token.kind == .symbol(.or)
      }
    if isThere { index += 1 }
    return isThere
  }
}
