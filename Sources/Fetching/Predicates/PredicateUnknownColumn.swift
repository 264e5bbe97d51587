// A filter that is sound in itself but names a column that is not there: the same error as for any other slip in it, with its place.

package import Reading

extension Predicate {
  /// The error that says that a name in a filter is no column.
  ///
  /// - Parameters:
  ///   - name: a field of the filter.
  ///   - source: the filter as given.
  ///   - columns: the names that there are.
  /// - Returns: nil where the filter does not have the name.
  package static func unknownColumn(
    _ name: FieldName, in source: String, among columns: [[UInt8]]
  ) -> PredicateError? {
    guard let tokens = try? PredicateLexer.tokens(of: source) else { return nil }
    let bytes = Array(source.utf8)
    for (index, token) in tokens.enumerated() {
      var isBare = false
      switch token.kind {
      case .name:
        isBare = true
        let isFunction = index + 1 < tokens.count && tokens[index + 1].kind == .symbol(.openParenthesis)
        if isFunction || FieldName(String(decoding: bytes[token.range], as: UTF8.self)) != name { continue }
      case .exactName(let text):
        if FieldName(text, isQuoted: true) != name { continue }
      default: continue
      }
      let unknown = UnknownColumnError(name: name.text, among: columns)
      var problem = unknown.message
      if isBare && unknown.nearest.isEmpty {
        problem += "; a text stands in quotes: \"\(PredicateError.harmless(name.description, limit: 30))\""
      }
      return PredicateError(source: source, range: token.range, problem: problem)
    }
    return nil
  }
}
