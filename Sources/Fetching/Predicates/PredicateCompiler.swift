// From the tree of a filter to instructions. They are laid down from the last to the first, so that the places to go
// to are known, with a stack of its own in place of recursion; cheap comparisons come before costly ones within an
// `and` or `or`.

import Reading

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
            Frame(children: ordered.map(\.element), isAll: isAll, onTrue: onTrue, onFalse: onFalse))
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

  /// A rough measure; comparisons of about the same cost have the same, so that they keep the order they are written
  /// in.
  private func cost(_ test: PredicateTest) -> Int {
    let operands = [test.left] + test.right
    let functions = operands.reduce(0) { $0 + $1.functions.count }
    let isComputed = functions > 0 || test.right.contains { !$0.isLiteral }
    let one =
      switch test.relation {
      case .isNull, .exists: 1
      case .contains, .like: test.ignoresCase ? 8 : 4
      case .beginsWith, .endsWith: test.ignoresCase ? 8 : 2
      case .matches: 12
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
      var instruction = PredicateInstruction(
        comparator: PredicateComparator(operation: .computed, constant: Int32(code.computed.count - 1)),
        field: Int32(field), test: Int32(index), onTrue: onTrue, onFalse: onFalse)
      if test.relation.isOrder, test.left.functions.isEmpty, computed.operands.count == 1,
        computed.operands[0].functions.isEmpty
      {
        instruction.comparator.operation = .fields
        instruction.comparator.accepted = computed.comparators[0].accepted
        instruction.other = computed.operands[0].field
      }
      return add(instruction)
    }
    let isAll = test.relation == .between
    var entry = isAll ? onTrue : onFalse
    var comparators = comparators(of: test)
    if test.relation == .oneOf { gatherLists(&comparators) }
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
    if let place = test.left.functions.firstIndex(where: \.isQuantifier) {
      if case .any = test.left.functions[place] { computation.quantifier = .any } else { computation.quantifier = .all }
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
    if let pattern = test.pattern {
      code.expressions.append(pattern)
      return [PredicateComparator(operation: .matches, constant: Int32(code.expressions.count - 1))]
    }
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

  /// Fewer elements are looked at one by one, which is as fast.
  private static let shortestList = 8

  /// Puts the numbers and the texts of a long list in order, so that one search replaces all their comparisons.
  private mutating func gatherLists(_ comparators: inout [PredicateComparator]) {
    for (operation, list) in [
      (PredicateComparator.Operation.text, PredicateComparator.Operation.textList), (.number, .numberList),
    ] {
      let members = comparators.filter { $0.operation == operation }.map { code.constants[Int($0.constant)] }
      guard members.count >= PredicateCompiler.shortestList else { continue }
      // The empty text stays by itself as well: an empty cell equals it and is no text.
      comparators.removeAll {
        $0.operation == operation && !(operation == .text && code.constants[Int($0.constant)].range.isEmpty)
      }
      let start = code.constants.count
      code.constants += members.sorted {
        KeyBytes.compare(code.pool.span.extracting($0.range), code.pool.span.extracting($1.range)) < 0
      }
      code.lists.append(start..<code.constants.count)
      // In front, as it decides most.
      comparators.insert(
        PredicateComparator(
          operation: list, accepted: PredicateComparator.equal, constant: Int32(code.lists.count - 1)),
        at: 0)
    }
  }

  private mutating func fill(
    _ comparator: inout PredicateComparator, with literal: PredicateLiteral, _ test: PredicateTest
  ) {
    var constant = PredicateConstant(kind: .null)
    let start = code.pool.count
    comparator.constant = Int32(code.constants.count)
    switch literal {
    case .null: comparator.operation = .null
    case .boolean(let value):
      comparator.operation = .boolean
      constant.kind = value ? .true : .false
    case .number(let text):
      comparator.operation = .number
      constant.kind = .number
      DecimalText.append(text.span, to: &code.pool)
      constant.prefix = DecimalText.prefix(text.span) ?? constant.prefix
      constant.short = ShortDecimal(text.span) ?? constant.short
    case .instant(let seconds):
      comparator.operation = .instant
      constant.kind = .instant
      Instant(seconds: seconds).append(to: &code.pool)
      constant.prefix = Instant(seconds: seconds).prefix
    case .text(let text):
      constant.kind = .text
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
    if comparator.operation == .contains {
      let text = code.pool.span.extracting(constant.range)
      constant.search = SubstringSearch(for: text, ignoresASCIICase: test.ignoresCase)
      constant.isASCII = PredicateText.isASCII(text)
    } else if comparator.operation == .like {
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
