// A regular expression as parsed. The terms lie in one array, children before parents, so that what each needs is known as
// soon as it is there: a pattern that needs too much is refused before anything of that size is made.

struct PatternTree {
  enum Term {
    case empty
    /// One code point of a set.
    case scalars(PatternScalars)
    case assertion(PatternAssertion)
    /// One after another.
    case sequence([Int])
    /// One of them, the earlier preferred.
    case choice([Int])
    /// At least `least` times, and at most `most` times or, with nil, without end.
    case repetition(Int, least: Int, most: Int?, isGreedy: Bool)
  }

  private(set) var terms: [Term] = []
  /// Of each term, at most how many nodes of an automaton it needs.
  private var costs: [Int] = []
  /// Of each term, whether it can match without taking a byte.
  private var areNullable: [Bool] = []
  var root = 0

  func cost(of term: Int) -> Int { costs[term] }

  func isNullable(_ term: Int) -> Bool { areNullable[term] }

  mutating func add(_ term: Term) -> Int {
    terms.append(term)
    switch term {
    case .empty:
      costs.append(1)
      areNullable.append(true)
    case .scalars(let scalars):
      costs.append(max(1, scalars.sequences.reduce(0) { $0 + $1.count + 1 }))
      areNullable.append(false)
    case .assertion:
      costs.append(1)
      areNullable.append(true)
    case .sequence(let children):
      costs.append(children.reduce(0) { PatternTree.sum($0, costs[$1]) })
      areNullable.append(children.allSatisfy { areNullable[$0] })
    case .choice(let children):
      costs.append(children.reduce(0) { PatternTree.sum($0, PatternTree.sum(costs[$1], 1)) })
      areNullable.append(children.contains { areNullable[$0] })
    case .repetition(let child, let least, let most, _):
      let one = PatternTree.sum(costs[child], 1)
      let times = most.map { max($0, 1) } ?? (PatternTree.sum(least, 1))
      let (product, isOverflow) = one.multipliedReportingOverflow(by: times)
      costs.append(isOverflow ? .max : PatternTree.sum(product, 2))
      areNullable.append(least == 0 || areNullable[child])
    }
    return terms.count - 1
  }

  private static func sum(_ first: Int, _ second: Int) -> Int {
    let (sum, isOverflow) = first.addingReportingOverflow(second)
    return isOverflow ? .max : sum
  }

  /// The text that every match begins with, and whether the pattern is nothing else.
  func literalPrefix() -> (bytes: [UInt8], isWhole: Bool) {
    var parts = [root]
    if case .sequence(let children) = terms[root] { parts = children }
    var bytes: [UInt8] = []
    for part in parts {
      guard case .scalars(let scalars) = terms[part], let range = scalars.ranges.first, scalars.ranges.count == 1,
        range.count == 1, Unicode.Scalar(range.lowerBound) != nil
      else { return (bytes, false) }
      bytes += PatternScalars.encoded(range.lowerBound)
    }
    return (bytes, true)
  }
}
