// A predicate made ready to run: a flat array of instructions, each a comparison with the place to go to when it
// holds and when it does not, as in the Berkeley packet filter (McCanne and Jacobson 1993). `and`, `or` and `not` are
// in the places alone and cost nothing. `PredicateCompiler` makes it; PredicateEvaluation.swift runs it.
//
// A comparison of a field with a literal is one instruction (`between` two, `in` one an element). What has functions,
// `any`, `all` or a second field is `.computed` and described in a table of its own, so that instructions stay small.

import Reading

/// A predicate that can be evaluated, with what it learnt on the way.
///
/// It is a value: each thread evaluates a copy of its own, and the counts are brought together by `addCounts(of:)`.
package struct PredicateProgram: Sendable {
  let code: PredicateCode
  var counts: [PredicateCount]
  var scratch = PredicateScratch()

  package init(_ predicate: Predicate) {
    var compiler = PredicateCompiler(predicate)
    code = compiler.run()
    scratch.matchers = code.expressions.map { PatternMatcher($0) }
    counts = [PredicateCount](repeating: PredicateCount(), count: code.tests.count)
  }
}

/// Memory that is used again for every record.
struct PredicateScratch: Sendable {
  /// What functions made of the left and the right side.
  var left: [UInt8] = []
  var right: [UInt8] = []
  var spare: [UInt8] = []
  /// A text without its escapes, and that in folded case.
  var decoded: [UInt8] = []
  var folded: [UInt8] = []
  /// The encodings of two values.
  var first: [UInt8] = []
  var second: [UInt8] = []
  /// What searches for each of the program's regular expressions.
  var matchers: [PatternMatcher] = []
}

/// What never changes while a program runs.
struct PredicateCode: Sendable {
  var instructions: [PredicateInstruction] = []
  /// Where to begin: an index into `instructions`, or `accept` or `reject`.
  var entry = PredicateCode.accept
  var constants: [PredicateConstant] = []
  /// Ranges of `constants` that are in order, for the elements of a long `in`.
  var lists: [Range<Int>] = []
  /// The bytes of all constants.
  var pool: [UInt8] = []
  /// The patterns of all `like`s.
  var patterns: [UInt16] = []
  /// What `matches` looks for.
  var expressions: [Pattern] = []
  var computed: [PredicateComputation] = []
  var tests: [PredicateTest] = []

  static let accept: Int32 = -1
  static let reject: Int32 = -2
}

/// How a value is compared with a constant. Eight bytes.
struct PredicateComparator: Sendable {
  enum Operation: UInt8, Sendable {
    // With a constant
    case number, text, instant, boolean, null, contains, beginsWith, endsWith, like
    // With nothing
    case isNull, exists
    /// With one of `expressions`, by the matcher of the same number.
    case matches
    /// Membership in a list: the constants of one of `lists`, in order.
    case textList, numberList
    // In instructions alone: see PredicateComputation, and a short way for two plain fields.
    case computed, fields
    /// With another value, in computations alone.
    case value
  }

  var operation: Operation
  /// Which outcomes hold: `less`, `equal`, `greater`.
  var accepted: UInt8 = 0
  var ignoresCase = false
  /// An index into `constants`; for `.matches` into `expressions`, for lists into `lists`, for `.computed` and `.fields` into `computed`.
  var constant: Int32 = 0

  static let less: UInt8 = 1
  static let equal: UInt8 = 2
  static let greater: UInt8 = 4

  @inline(__always)
  func accepts(_ order: Int) -> Bool {
    accepted & (order < 0 ? Self.less : order == 0 ? Self.equal : Self.greater) != 0
  }

  /// Whether it is `==`, the one comparison that null can hold in.
  var isEquality: Bool { accepted == Self.equal }
}

struct PredicateInstruction: Sendable {
  var comparator: PredicateComparator
  /// The field, counted from the first of the record.
  var field: Int32
  var test: Int32
  var onTrue: Int32
  var onFalse: Int32
  /// The second field of `.fields`.
  var other: Int32 = 0
  /// Whether a value of another kind decides the test, as it does not in the midst of the elements of `in`.
  var isLast = true
}

/// A literal, ready to be compared with. Plain bits, so that looking at one counts no references.
struct PredicateConstant: Sendable {
  enum Kind: UInt8, Sendable { case null, `false`, `true`, number, text, instant }

  var kind: Kind
  /// Of text its bytes; of numbers and instants their encoding; of patterns, where they stand in `patterns`.
  var range = 0..<0
  /// Of numbers and instants the first eight bytes of the encoding, and whether that is all.
  var prefix = KeyPrefix(bits: 0, isExact: true)
  /// The number, where it is a short one.
  var short = ShortDecimal.none
  /// How text is searched for with `contains`.
  var search = SubstringSearch.none
  /// Whether the text is of ASCII alone.
  var isASCII = false
}

/// A comparison that is more than a field with a literal.
struct PredicateComputation: Sendable {
  struct Operand: Sendable {
    var field: Int32
    var functions: [PredicateFunction]
  }

  enum Quantifier: Sendable { case any, all }

  /// The value compared. With a quantifier, the array.
  var left: Operand
  var quantifier: Quantifier?
  /// Functions applied to each element.
  var elementFunctions: [PredicateFunction] = []
  var comparators: [PredicateComparator]
  /// The right side of comparators with `.value`, whose `constant` is an index into this.
  var operands: [Operand] = []
  /// The relation of comparators with `.value`.
  var relation: PredicateTest.Relation
  /// Whether all comparators must hold (`between`) or one of them (`in`).
  var needsAll: Bool
}

/// What was learnt of a test.
struct PredicateCount: Sendable {
  /// Whether a value was of a kind that could be compared.
  var isMet = false
  /// How often it was false for the kind of the value alone.
  var otherKind = 0
  /// Those kinds, a bit each by raw value; bit 0 is missing.
  var kinds: UInt8 = 0
}
