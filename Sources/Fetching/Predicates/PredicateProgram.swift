// A predicate made ready to run: a flat array of instructions, each a comparison with the place to go to when it holds and
// when it does not, as in the Berkeley packet filter (McCanne and Jacobson 1993). `and`, `or` and `not` are in the
// places alone and cost nothing. This file compiles; PredicateEvaluation.swift runs.
//
// A comparison of a field with a literal is one instruction (`between` two, `in` one an element). What has functions, `any`,
// `all` or a second field is `.computed` and described in a table of its own, so that instructions stay small.

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
}

/// What never changes while a program runs.
struct PredicateCode: Sendable {
  var instructions: [PredicateInstruction] = []
  /// Where to begin: an index into `instructions`, or `accept` or `reject`.
  var entry = PredicateCode.accept
  var constants: [PredicateConstant] = []
  /// The bytes of all constants.
  var pool: [UInt8] = []
  /// The patterns of all `like`s.
  var patterns: [UInt16] = []
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
    // In instructions alone: see PredicateComputation
    case computed
    /// With another value, in computations alone.
    case value
  }

  var operation: Operation
  /// Which outcomes hold: `less`, `equal`, `greater`.
  var accepted: UInt8 = 0
  var ignoresCase = false
  /// An index into `constants`; for `.computed` into `computed`.
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
  /// Whether a value of another kind decides the test, as it does not in the midst of the elements of `in`.
  var isLast = true
}

/// A literal, ready to be compared with.
struct PredicateConstant: Sendable {
  var literal: PredicateLiteral
  /// Of text its bytes; of numbers and instants their encoding; of patterns, where they stand in `patterns`.
  var range = 0..<0
  /// Of numbers and instants the first eight bytes of the encoding, and whether that is all.
  var prefix = KeyPrefix(bits: 0, isExact: true)
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

struct PredicateCompiler {
  private let predicate: Predicate
  private var code = PredicateCode()

  init(_ predicate: Predicate) {
    self.predicate = predicate
    code.tests = predicate.tests
  }

  mutating func run() -> PredicateCode {
    guard !predicate.nodes.isEmpty else { return code }
    let costs = nodeCosts()
    // Instructions are laid down from the last to the first, so that the places they go to are known.
    struct Frame {
      var node: Int
      /// Children still to be laid down, the last one next.
      var children: [Int]
      var isAll: Bool
      var onTrue: Int32
      var onFalse: Int32
    }
    var frames: [Frame] = []
    var entry = PredicateCode.accept
    var next: (node: Int, onTrue: Int32, onFalse: Int32)? = (
      predicate.root, PredicateCode.accept, PredicateCode.reject
    )
    while true {
      if let (index, wantedTrue, wantedFalse) = next {
        let node = predicate.nodes[index]
        let (onTrue, onFalse) = node.isNegated ? (wantedFalse, wantedTrue) : (wantedTrue, wantedFalse)
        next = nil
        switch node.content {
        case .test(let test):
          entry = layDown(test, onTrue, onFalse)
        case .all(let children), .any(let children):
          var isAll = false
          if case .all = node.content { isAll = true }
          // The order changes nothing, as no test has an effect; the cheap first.
          let ordered = children.enumerated().sorted {
            (costs[$0.element], $0.offset) < (costs[$1.element], $1.offset)
          }
          entry = isAll ? onTrue : onFalse
          frames.append(
            Frame(node: index, children: ordered.map(\.element), isAll: isAll, onTrue: onTrue, onFalse: onFalse))
        }
      }
      guard var frame = frames.popLast() else { break }
      if let child = frame.children.popLast() {
        next = frame.isAll ? (child, entry, frame.onFalse) : (child, frame.onTrue, entry)
        frames.append(frame)
      }
      // An empty frame leaves the entry of its first child to the frame below.
    }
    reverse(from: entry)
    return code
  }

  /// Puts the instructions in the order in which they run.
  private mutating func reverse(from entry: Int32) {
    let last = Int32(code.instructions.count) - 1
    func moved(_ place: Int32) -> Int32 { place < 0 ? place : last - place }
    code.instructions.reverse()
    for index in code.instructions.indices {
      code.instructions[index].onTrue = moved(code.instructions[index].onTrue)
      code.instructions[index].onFalse = moved(code.instructions[index].onFalse)
    }
    code.entry = moved(entry)
  }

  // MARK: Costs

  private func nodeCosts() -> [Int] {
    var costs: [Int] = []
    for node in predicate.nodes {
      switch node.content {
      case .test(let index): costs.append(cost(predicate.tests[index]))
      case .all(let children), .any(let children):
        costs.append(children.reduce(0) { min(1_000_000_000, $0 + costs[$1]) })
      }
    }
    return costs
  }

  /// A rough measure; comparisons of about the same cost have the same, so that they keep the order they are written in.
  private func cost(_ test: PredicateTest) -> Int {
    let operands = [test.left] + test.right
    let functions = operands.reduce(0) { $0 + $1.functions.count }
    let isComputed = functions > 0 || test.right.contains { !$0.isLiteral }
    let one =
      switch test.relation {
      case .isNull, .exists: 1
      case .contains, .like: test.ignoresCase ? 8 : 4
      case .beginsWith, .endsWith: test.ignoresCase ? 8 : 2
      default: 2
      }
    return (one + (isComputed ? 8 : 0) + 4 * functions) * max(1, test.right.count)
  }

  // MARK: Tests

  /// Lays down one test and returns where it begins.
  private mutating func layDown(_ index: Int, _ wantedTrue: Int32, _ wantedFalse: Int32) -> Int32 {
    let test = predicate.tests[index]
    let (onTrue, onFalse) = test.isNegated ? (wantedFalse, wantedTrue) : (wantedTrue, wantedFalse)
    guard case .field(let field) = test.left.base else { return onFalse }
    if !test.left.functions.isEmpty || test.right.contains(where: { !$0.isLiteral }) {
      let computed = computation(of: test, field: field)
      code.computed.append(computed)
      let comparator = PredicateComparator(operation: .computed, constant: Int32(code.computed.count - 1))
      return add(
        PredicateInstruction(
          comparator: comparator, field: Int32(field), test: Int32(index), onTrue: onTrue, onFalse: onFalse))
    }
    let isAll = test.relation == .between
    var entry = isAll ? onTrue : onFalse
    let comparators = comparators(of: test)
    for (number, comparator) in comparators.enumerated().reversed() {
      entry = add(
        PredicateInstruction(
          comparator: comparator, field: Int32(field), test: Int32(index), onTrue: isAll ? entry : onTrue,
          onFalse: isAll ? onFalse : entry, isLast: isAll || number == comparators.count - 1))
    }
    return entry
  }

  private mutating func add(_ instruction: PredicateInstruction) -> Int32 {
    code.instructions.append(instruction)
    return Int32(code.instructions.count - 1)
  }

  private mutating func computation(of test: PredicateTest, field: Int) -> PredicateComputation {
    var computation = PredicateComputation(
      left: PredicateComputation.Operand(field: Int32(field), functions: test.left.functions), comparators: [],
      relation: test.relation, needsAll: test.relation == .between)
    if let place = test.left.functions.firstIndex(where: { $0 == .any || $0 == .all }) {
      computation.quantifier = test.left.functions[place] == .any ? .any : .all
      computation.left.functions = Array(test.left.functions[..<place])
      computation.elementFunctions = Array(test.left.functions[(place + 1)...])
    }
    var comparators = comparators(of: test)
    for (number, operand) in test.right.enumerated() {
      guard case .field(let other) = operand.base else { continue }
      comparators[number].operation = .value
      comparators[number].constant = Int32(computation.operands.count)
      computation.operands.append(
        PredicateComputation.Operand(field: Int32(other), functions: operand.functions))
    }
    computation.comparators = comparators
    return computation
  }

  /// One comparator for each right operand, as if it were a literal; one for a test without.
  private mutating func comparators(of test: PredicateTest) -> [PredicateComparator] {
    if test.relation == .isNull { return [PredicateComparator(operation: .isNull)] }
    if test.relation == .exists { return [PredicateComparator(operation: .exists)] }
    var result: [PredicateComparator] = []
    for (number, operand) in test.right.enumerated() {
      var comparator = PredicateComparator(operation: .value, ignoresCase: test.ignoresCase)
      switch test.relation {
      case .less: comparator.accepted = PredicateComparator.less
      case .lessOrEqual: comparator.accepted = PredicateComparator.less | PredicateComparator.equal
      case .greater: comparator.accepted = PredicateComparator.greater
      case .greaterOrEqual: comparator.accepted = PredicateComparator.greater | PredicateComparator.equal
      case .between:
        comparator.accepted =
          PredicateComparator.equal | (number == 0 ? PredicateComparator.greater : PredicateComparator.less)
      default: comparator.accepted = PredicateComparator.equal
      }
      if case .literal(let literal) = operand.base { fill(&comparator, with: literal, test) }
      result.append(comparator)
    }
    return result
  }

  private mutating func fill(
    _ comparator: inout PredicateComparator, with literal: PredicateLiteral, _ test: PredicateTest
  ) {
    var constant = PredicateConstant(literal: literal)
    let start = code.pool.count
    comparator.constant = Int32(code.constants.count)
    switch literal {
    case .null: comparator.operation = .null
    case .boolean: comparator.operation = .boolean
    case .number(let text):
      comparator.operation = .number
      DecimalText.append(text.span, to: &code.pool)
      constant.prefix = DecimalText.prefix(text.span) ?? constant.prefix
    case .instant(let seconds):
      comparator.operation = .instant
      Instant(seconds: seconds).append(to: &code.pool)
      constant.prefix = Instant(seconds: seconds).prefix
    case .text(let text):
      switch test.relation {
      case .contains: comparator.operation = .contains
      case .beginsWith: comparator.operation = .beginsWith
      case .endsWith: comparator.operation = .endsWith
      case .like: comparator.operation = .like
      default: comparator.operation = .text
      }
      if comparator.operation == .text, let prefix = Instant.prefix(text.span) {
        comparator.operation = .instant
        constant.prefix = prefix
        Instant.append(text.span, to: &code.pool)
      } else if test.ignoresCase {
        CaseFolding.append(text.span, to: &code.pool)
      } else {
        code.pool += text
      }
    }
    constant.range = start..<code.pool.count
    if comparator.operation == .like {
      let pattern = PredicateText.pattern(of: Array(code.pool[start...]))
      code.pool.removeSubrange(start...)
      constant.range = code.patterns.count..<(code.patterns.count + pattern.count)
      code.patterns += pattern
    } else if test.relation == .contains, comparator.operation != .contains {
      // Membership of a number, a boolean or null in an array: the same operation, told apart by the literal.
      comparator.operation = .contains
    }
    code.constants.append(constant)
  }
}
