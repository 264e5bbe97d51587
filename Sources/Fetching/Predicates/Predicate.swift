// A filter as parsed: a tree of comparisons, and the fields it needs. It is not what runs: `PredicateProgram` is
// compiled from it. The tree lies in one array, children before parents, and is built and walked without recursion.

package import Reading

/// Which records are wanted.
package struct Predicate: Sendable {
  /// The distinct fields that an evaluation needs, in the order of their first use.
  package private(set) var fields: [FieldName] = []
  /// Of each field, whether it is used in `exists()`, `is null` and `== null` only, so that a record set without it is
  /// nothing to remark on.
  package private(set) var mayBeAbsent: [Bool] = []
  /// The expression as given; several are joined with `and`.
  package private(set) var source: String

  private(set) var tests: [PredicateTest] = []
  private(set) var nodes: [PredicateNode] = []
  /// The index of the topmost node. Its children, and theirs, stand before it.
  private(set) var root = 0

  /// Parses an expression.
  ///
  /// - Parameters:
  ///   - source: the expression.
  ///   - now: what `now` means, in seconds since 1970-01-01T00:00:00Z; `today` is the UTC day it is in.
  /// - Throws: `PredicateError` with the first thing that is wrong.
  /// - Complexity: linear in the expression.
  package init(parsing source: String, now: Int) throws(PredicateError) {
    var parser = try PredicateParser(source, now: now)
    self = try parser.run()
  }

  /// Where the parser begins.
  init(source: String) {
    self.source = source
  }

  /// The predicate that holds where this one and the other hold.
  package func combined(with other: Predicate) -> Predicate {
    var result = self
    result.source = "(\(source)) and (\(other.source))"
    let fieldIndices = zip(other.fields, other.mayBeAbsent).map { result.fieldIndex(of: $0, mayBeAbsent: $1) }
    let testBase = tests.count
    let nodeBase = nodes.count
    result.tests += other.tests.map { test in
      var moved = test
      moved.left.renumber(fieldIndices)
      for index in moved.right.indices { moved.right[index].renumber(fieldIndices) }
      return moved
    }
    result.nodes += other.nodes.map { node in
      var moved = node
      switch node.content {
      case .test(let index): moved.content = .test(index + testBase)
      case .all(let children): moved.content = .all(children.map { $0 + nodeBase })
      case .any(let children): moved.content = .any(children.map { $0 + nodeBase })
      }
      return moved
    }
    result.root = result.add(PredicateNode(content: .all([root, other.root + nodeBase]), isNegated: false))
    return result
  }

  // MARK: Building

  /// The place of a field in `fields`, where it is put if it is new.
  mutating func fieldIndex(of name: FieldName, mayBeAbsent absent: Bool) -> Int {
    if let index = fields.firstIndex(of: name) {
      mayBeAbsent[index] = mayBeAbsent[index] && absent
      return index
    }
    fields.append(name)
    mayBeAbsent.append(absent)
    return fields.count - 1
  }

  mutating func add(_ test: PredicateTest, isNegated: Bool) -> Int {
    tests.append(test)
    return add(PredicateNode(content: .test(tests.count - 1), isNegated: isNegated))
  }

  mutating func add(_ node: PredicateNode) -> Int {
    nodes.append(node)
    return nodes.count - 1
  }

  mutating func negate(_ node: Int) { nodes[node].isNegated.toggle() }

  mutating func finish(root node: Int) { root = node }
}

struct PredicateNode: Sendable {
  enum Content: Sendable {
    /// An index into `tests`.
    case test(Int)
    /// Holds where all of these nodes hold.
    case all([Int])
    /// Holds where one of these nodes holds.
    case any([Int])
  }

  var content: Content
  var isNegated: Bool
}

/// One comparison.
struct PredicateTest: Sendable {
  enum Relation: Sendable, Equatable {
    case equal, less, lessOrEqual, greater, greaterOrEqual
    /// `right` holds the two bounds.
    case between
    /// `right` holds the elements.
    case oneOf
    case contains, beginsWith, endsWith, like
    /// `right` holds the text of the pattern.
    case matches
    /// Null or missing; `right` is empty.
    case isNull
    /// Not missing; `right` is empty.
    case exists

    var isOrder: Bool {
      switch self {
      case .equal, .less, .lessOrEqual, .greater, .greaterOrEqual: true
      default: false
      }
    }
  }

  var left: PredicateOperand
  var relation: Relation
  var right: [PredicateOperand]
  /// `!=`, `is not null`, `not in`: holds where the relation does not.
  var isNegated = false
  var ignoresCase = false
  /// What `matches` looks for.
  var pattern: Pattern?
  /// The comparison as written and the field on its left side, for notes.
  var text: String
  var subject = ""
}

struct PredicateOperand: Sendable {
  enum Base: Sendable, Equatable {
    /// An index into the predicate's fields.
    case field(Int)
    case literal(PredicateLiteral)
  }

  var base: Base
  /// The functions applied to it, the innermost first.
  var functions: [PredicateFunction] = []

  var isLiteral: Bool {
    if case .literal = base { true } else { false }
  }

  var isQuantified: Bool { functions.contains(where: \.isQuantifier) }

  mutating func renumber(_ indices: [Int]) {
    if case .field(let index) = base { base = .field(indices[index]) }
  }
}

enum PredicateLiteral: Sendable, Equatable {
  /// The number as written, with its sign.
  case number([UInt8])
  case text([UInt8])
  case boolean(Bool)
  case null
  /// `now` or `today` with what was added, in seconds since 1970.
  case instant(Int)
}

enum PredicateFunction: Sendable {
  case length, lower, upper, abs, year, month, day
  /// The date that a text is when read by a format.
  case date(StrptimeFormat)
  /// One element of the array is enough.
  case any
  /// Every element of the array is needed.
  case all

  /// The functions by their names; the format of `date` is filled in when it has been read.
  static let named: [(name: String, function: PredicateFunction)] = [
    ("length", .length), ("lower", .lower), ("upper", .upper), ("abs", .abs), ("year", .year), ("month", .month),
    ("day", .day), ("date", .date(StrptimeFormat(""))), ("any", .any), ("all", .all),
  ]

  var isQuantifier: Bool {
    switch self {
    case .any, .all: true
    default: false
    }
  }
}
