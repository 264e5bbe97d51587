// What the parser says when an expression is no filter: for each place where it can stop, what was expected there,
// and what people who write such a thing mostly mean.

extension PredicateParser {
  func failure(_ token: PredicateToken, _ problem: String, nearMiss: String? = nil) -> PredicateError {
    PredicateError(source: source, range: token.range, problem: problem, nearMiss: nearMiss)
  }

  var found: String { token.kind == .end ? "the end" : PredicateError.quoted(text(token)) }

  /// "expected … , found …" at the present token, with the nearest of some keywords.
  func expected(
    _ what: String, _ keywords: [PredicateKeyword], nearMiss suggestion: String? = nil
  ) -> PredicateError {
    var suggestion = suggestion
    if suggestion == nil, token.kind == .name {
      suggestion = Fetching.nearMiss(of: text(token), among: keywords.map(\.rawValue))
    }
    if suggestion == nil, isMeantAsName { suggestion = "the name `\(text(token))` in backquotes" }
    return failure(token, "expected \(what), found \(found)", nearMiss: suggestion)
  }

  /// Whether the present token is a keyword where a field of that name would make sense.
  private var isMeantAsName: Bool {
    guard case .keyword = token.kind, case .symbol(let symbol) = following.kind else { return false }
    return PredicateParser.comparisons[symbol] != nil
  }

  /// A comparison has a left side and then something that is no relation.
  func missingRelation(after first: PredicateToken, end: Int) -> PredicateError {
    let name = PredicateError.quoted(text(first.range.lowerBound..<tokens[end - 1].range.upperBound))
    let relations = "expected a comparison such as `==` after \(name)"
    var suggestion: String?
    switch token.kind {
    case .name:
      let words: [PredicateKeyword] = [
        .in, .between, .contains, .beginswith, .endswith, .like, .matches, .is, .and, .or,
      ]
      suggestion = PredicateParser.synonyms[text(token).lowercased()]
      if suggestion == nil, first.kind == .name, case .symbol(let symbol) = following.kind,
        PredicateParser.comparisons[symbol] != nil
      {
        // Two words and then a relation.
        suggestion = "`\(text(first.range.lowerBound..<token.range.upperBound))` in backquotes"
      }
      if suggestion == nil { suggestion = Fetching.nearMiss(of: text(token), among: words.map(\.rawValue)) }
    case .symbol(.minus):
      // `start-date`, without blanks, is meant as one name.
      if token.range.lowerBound == first.range.upperBound, following.range.lowerBound == token.range.upperBound {
        suggestion = "`\(text(first.range.lowerBound..<following.range.upperBound))` in backquotes"
      }
    case .end, .keyword(.and), .keyword(.or), .symbol(.and), .symbol(.or), .symbol(.closeParenthesis):
      if first.kind == .name, end > 0, tokens[end - 1].range == first.range { suggestion = "\(text(first)) == true" }
    default: break
    }
    return failure(token, "\(relations), found \(found)", nearMiss: suggestion)
  }

  /// What other languages call a relation.
  private static let synonyms: [String: String] = [
    "eq": "==", "equals": "==", "ne": "!=", "lt": "<", "le": "<=", "lte": "<=", "gt": ">", "ge": ">=", "gte": ">=",
    "startswith": "beginswith", "hasprefix": "beginswith", "hassuffix": "endswith", "includes": "contains",
    "ilike": "like[c]", "has": "contains", "isnot": "is not", "exists": "is not null",
  ]

  /// Something stands after a complete comparison.
  func afterTerm() -> PredicateError {
    switch token.kind {
    case .symbol(.closeParenthesis):
      return failure(token, "this parenthesis closes nothing")
    case .name:
      let word = text(token)
      return failure(
        token, "expected `and`, `or` or the end, found \(found)",
        nearMiss: Fetching.nearMiss(of: word, among: ["and", "or"]))
    case .symbol(let symbol) where PredicateParser.comparisons[symbol] != nil:
      return failure(
        token, "expected `and`, `or` or the end, found \(found)",
        nearMiss: lastIsOrdered ? "two comparisons with `and`" : nil)
    case .symbol(.comma):
      return failure(token, "expected `and`, `or` or the end, found `,`", nearMiss: "and")
    case .symbol(.plus), .symbol(.minus):
      return failure(
        token, "expected `and`, `or` or the end, found \(found); there is no arithmetic but with durations")
    default:
      return failure(token, "expected `and`, `or` or the end, found \(found)")
    }
  }

  /// Whether the comparison before this place is one of order, as in `1 < x < 5`.
  private var lastIsOrdered: Bool {
    switch predicate.tests.last?.relation {
    case .less, .lessOrEqual, .greater, .greaterOrEqual: true
    default: false
    }
  }
}
