// Random filters over random records, against the plainest evaluator there can be: recursive, on decoded values, with
// numbers as whole tenths and dates as whole seconds. It shares no code with the program.

import Fetching
import Reading
import TestSupport
import Testing

struct PredicatePropertyTests {
  @Test(arguments: [false, true])
  func programAgreesWithTheReference(isJSON: Bool) throws {
    var generator = SeededGenerator(seed: isJSON ? 1 : 2)
    var wanted = 0
    for _ in 0..<1500 {
      let expression = Expression.random(depth: 3, &generator)
      let source = expression.written(&generator)
      let predicate = try Predicate(parsing: source, now: predicateNow)
      let program = PredicateProgram(predicate)
      var reused = program
      for _ in 0..<4 {
        let values = ["a", "b", "c"].map { ($0, Sample.random(isJSON: isJSON, &generator)) }
        let members = values.filter { !$0.1.isMissing }
        let record =
          isJSON
          ? "{" + members.map { "\"\($0.0)\":\($0.1.raw)" }.joined(separator: ",") + "}"
          : members.map { "\($0.0)=\($0.1.raw)" }.joined(separator: ";")
        let expected = expression.holds(Dictionary(uniqueKeysWithValues: values))
        let found = reused.evaluate(predicate, PredicateRecord(record))
        #expect(found == expected, "\(source) on \(record)")
        if found { wanted += 1 }
      }
    }
    // Neither always nor never, or nothing was tested.
    #expect(wanted > 1000 && wanted < 5000)
  }

  @Test func combiningHoldsWhereBothHold() throws {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<500 {
      let first = Expression.random(depth: 2, &generator)
      let second = Expression.random(depth: 2, &generator)
      let one = try Predicate(parsing: first.written(&generator), now: predicateNow)
      let other = try Predicate(parsing: second.written(&generator), now: predicateNow)
      let both = one.combined(with: other)
      #expect(Set(both.fields.map(\.description)).count == both.fields.count)
      var program = PredicateProgram(both)
      for _ in 0..<4 {
        let values = ["a", "b", "c"].map { ($0, Sample.random(isJSON: true, &generator)) }.filter { !$0.1.isMissing }
        let record = "{" + values.map { "\"\($0.0)\":\($0.1.raw)" }.joined(separator: ",") + "}"
        let fields = Dictionary(uniqueKeysWithValues: values)
        #expect(program.evaluate(both, PredicateRecord(record)) == (first.holds(fields) && second.holds(fields)))
      }
    }
  }
}

/// A value as it is written in a record, and what it is.
private struct Sample {
  var raw: String
  var isMissing = false
  var isNull = false
  var isCell = false
  var boolean: Bool?
  /// In tenths.
  var number: Int?
  /// In seconds since 1970.
  var instant: Int?
  var text: String?
  var elements: [Sample]?

  static let missing = Sample(raw: "", isMissing: true, isNull: true)

  static let dates = [
    ("2024-01-01", 1_704_067_200), ("2024-01-01T00:00Z", 1_704_067_200), ("2024-01-01T01:30:00+01:00", 1_704_069_000),
    ("2023-12-31 23:59:59", 1_704_067_199), ("2024-06-15T12:00:00Z", predicateNow),
  ]
  static let numbers = [
    ("0", 0), ("1", 10), ("1.0", 10), ("-1", -10), ("1.5", 15), ("15e-1", 15), ("10", 100), ("-0", 0),
  ]
  static let looseNumbers = [("01", 10), ("+1", 10), (".5", 5), ("007", 70)]
  static let texts = ["", "a", "A", "ab", "b", "ba", "true", "1", "10", "2024", "é", "É", "a*b", "2024-02-30"]

  static func random(isJSON: Bool, _ generator: inout SeededGenerator) -> Sample {
    isJSON ? json(depth: 1, &generator) : cell(&generator)
  }

  private static func json(depth: Int, _ generator: inout SeededGenerator) -> Sample {
    switch generator.below(9) {
    case 0 where depth > 0: return missing
    case 1: return Sample(raw: "null", isNull: true)
    case 2:
      let value = generator.oneIn(2)
      return Sample(raw: value ? "true" : "false", boolean: value)
    case 3, 4:
      let (raw, tenths) = generator.pick(numbers)
      return Sample(raw: raw, number: tenths)
    case 5:
      let (raw, seconds) = generator.pick(dates)
      return Sample(raw: "\"\(escaped(raw, &generator))\"", instant: seconds, text: raw)
    case 6 where depth > 0:
      let elements = (0..<generator.below(3)).map { _ in json(depth: depth - 1, &generator) }
      return Sample(raw: "[" + elements.map(\.raw).joined(separator: ",") + "]", elements: elements)
    default:
      let text = generator.pick(texts)
      return Sample(raw: "\"\(escaped(text, &generator))\"", text: text)
    }
  }

  private static func escaped(_ text: String, _ generator: inout SeededGenerator) -> String {
    text.unicodeScalars.map { scalar in
      guard generator.oneIn(4) else { return String(Character(scalar)) }
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }

  private static func cell(_ generator: inout SeededGenerator) -> Sample {
    var cell = Sample(raw: "", isCell: true)
    switch generator.below(6) {
    case 0: return generator.oneIn(2) ? missing : Sample(raw: "", isNull: true, isCell: true)
    case 1: cell.text = generator.oneIn(2) ? "true" : "false"
    case 2: cell.text = generator.pick(numbers + looseNumbers).0
    case 3: cell.text = generator.pick(dates).0
    default: cell.text = generator.pick(texts)
    }
    let text = cell.text ?? ""
    cell.boolean = text == "true" ? true : text == "false" ? false : nil
    cell.number = (numbers + looseNumbers + [("2024", 20240)]).first { $0.0 == text }?.1
    cell.instant = dates.first { $0.0 == text }?.1
    switch generator.below(text.isEmpty ? 1 : 3) {
    case 0: cell.raw = "\"\(text)\""
    case 1: cell.raw = "\"\(text.prefix(1))\"\(text.dropFirst())"
    default: cell.raw = text
    }
    return cell
  }

  /// Kind and place in its order, for comparing two fields.
  var rank: Int {
    if isNull { return 7 }
    if elements != nil { return 5 }
    if boolean != nil && !isCell { return 1 }
    if number != nil { return 2 }
    return instant != nil ? 3 : 4
  }

  /// The order of two values of any kinds.
  static func order(_ first: Sample, _ second: Sample) -> Int {
    func sign<Value: Comparable>(_ left: Value, _ right: Value) -> Int { left < right ? -1 : left == right ? 0 : 1 }
    if first.rank != second.rank { return sign(first.rank, second.rank) }
    switch first.rank {
    case 1: return sign(first.boolean == true ? 1 : 0, second.boolean == true ? 1 : 0)
    case 2: return sign(first.number ?? 0, second.number ?? 0)
    case 3: return sign(first.instant ?? 0, second.instant ?? 0)
    case 4: return textOrder(first.text ?? "", second.text ?? "")
    case 5:
      for (left, right) in zip(first.elements ?? [], second.elements ?? []) {
        let order = order(left, right)
        if order != 0 { return order }
      }
      return sign(first.elements?.count ?? 0, second.elements?.count ?? 0)
    default: return 0
    }
  }

  static func textOrder(_ first: String, _ second: String) -> Int {
    first.utf8.elementsEqual(second.utf8) ? 0 : first.utf8.lexicographicallyPrecedes(second.utf8) ? -1 : 1
  }
}

private enum Literal {
  case null
  case boolean(Bool)
  case number(String, Int)
  case text(String, Int?)

  static func random(_ generator: inout SeededGenerator) -> Literal {
    switch generator.below(8) {
    case 0: return .null
    case 1: return .boolean(generator.oneIn(2))
    case 2, 3, 4:
      let (raw, tenths) = generator.pick(Sample.numbers + Sample.looseNumbers)
      return .number(raw, tenths)
    case 5:
      let (raw, seconds) = generator.pick(Sample.dates)
      return .text(raw, seconds)
    default: return .text(generator.pick(Sample.texts), nil)
    }
  }

  var written: String {
    switch self {
    case .null: "null"
    case .boolean(let value): value ? "true" : "false"
    case .number(let raw, _): raw
    case .text(let text, _): "\"\(text)\""
    }
  }

  /// The order of a value and this, or nil where they are not compared.
  func order(_ value: Sample) -> Int? {
    switch self {
    case .null: return nil
    case .boolean(let literal): return value.boolean.map { ($0 ? 1 : 0) - (literal ? 1 : 0) }
    case .number(_, let literal): return value.number.map { $0 < literal ? -1 : $0 == literal ? 0 : 1 }
    case .text(_, .some(let literal)): return value.instant.map { $0 < literal ? -1 : $0 == literal ? 0 : 1 }
    case .text(let literal, nil): return value.text.map { Sample.textOrder($0, literal) }
    }
  }

  func equals(_ value: Sample) -> Bool {
    if case .null = self { return value.isNull }
    if case .text("", _) = self, value.isCell, value.isNull { return true }
    return order(value) == 0
  }
}

private indirect enum Expression {
  case compare(String, String, Literal)
  case fields(String, String, String)
  case between(String, Literal, Literal, isNot: Bool)
  case list(String, [Literal], isNot: Bool)
  case part(String, String, String, foldsCase: Bool)
  case null(String, isNot: Bool)
  case exists(String)
  case all([Expression])
  case any([Expression])
  case not(Expression)

  static let operators = ["==", "!=", "<", "<=", ">", ">="]

  static func random(depth: Int, _ generator: inout SeededGenerator) -> Expression {
    if depth > 0, !generator.oneIn(4) {
      if generator.oneIn(4) { return .not(random(depth: depth - 1, &generator)) }
      let terms = (0..<(2 + generator.below(2))).map { _ in random(depth: depth - 1, &generator) }
      return generator.oneIn(2) ? .all(terms) : .any(terms)
    }
    let name = generator.pick(["a", "b", "c"])
    switch generator.below(10) {
    case 0: return .fields(name, generator.pick(operators), generator.pick(["a", "b", "c"]))
    case 1: return .between(name, Literal.random(&generator), Literal.random(&generator), isNot: generator.oneIn(2))
    case 2:
      // Long lists are searched, short ones gone through.
      let elements = (0...generator.below(generator.oneIn(2) ? 3 : 40)).map { _ in Literal.random(&generator) }
      return .list(name, elements, isNot: generator.oneIn(2))
    case 3, 4:
      let relation = generator.pick(["contains", "beginswith", "endswith", "like"])
      let text =
        relation == "like" ? generator.pick(["*", "a*", "?", "*b*", "??", "*?", ""]) : generator.pick(Sample.texts)
      return .part(name, relation, text, foldsCase: generator.oneIn(2))
    case 5: return .null(name, isNot: generator.oneIn(2))
    case 6: return .exists(name)
    default: return .compare(name, generator.pick(operators), Literal.random(&generator))
    }
  }

  func written(_ generator: inout SeededGenerator) -> String {
    func joined(_ terms: [Expression], _ words: [String], isAll: Bool) -> String {
      var result = ""
      for (index, term) in terms.enumerated() {
        if index > 0 { result += generator.pick(words) }
        var needsParentheses = generator.oneIn(4)
        switch term {
        case .any where isAll: needsParentheses = true
        default: break
        }
        let text = term.written(&generator)
        result += needsParentheses ? "(\(text))" : text
      }
      return result
    }
    switch self {
    case .compare(let name, let relation, let literal): return "\(name) \(relation) \(literal.written)"
    case .fields(let name, let relation, let other): return "\(name)\(relation)\(other)"
    case .between(let name, let low, let high, let isNot):
      return "\(name) \(isNot ? "not " : "")between \(low.written) and \(high.written)"
    case .list(let name, let elements, let isNot):
      return "\(name) \(isNot ? "NOT " : "")in [\(elements.map(\.written).joined(separator: ", "))]"
    case .part(let name, let relation, let text, let foldsCase):
      return "\(name) \(relation)\(foldsCase ? "[c]" : "") '\(text)'"
    case .null(let name, let isNot): return "\(name) is \(isNot ? "not " : "")null"
    case .exists(let name): return "exists(\(name))"
    case .all(let terms): return joined(terms, [" and ", " && ", " AND "], isAll: true)
    case .any(let terms): return joined(terms, [" or ", "||"], isAll: false)
    case .not(let term):
      var isSimple = true
      switch term {
      case .all, .any: isSimple = false
      default: break
      }
      let text = term.written(&generator)
      return generator.pick(["not ", "!"]) + (isSimple && generator.oneIn(2) ? text : "(\(text))")
    }
  }

  func holds(_ record: [String: Sample]) -> Bool {
    switch self {
    case .compare(let name, let relation, let literal):
      let value = record[name] ?? .missing
      switch relation {
      case "==": return literal.equals(value)
      case "!=": return !literal.equals(value)
      default: return literal.order(value).map { Expression.holds(relation, $0) } ?? false
      }
    case .fields(let name, let relation, let other):
      let (left, right) = (record[name] ?? .missing, record[other] ?? .missing)
      let isSameKind = left.rank == right.rank
      let order = Sample.order(left, right)
      switch relation {
      case "==": return isSameKind && order == 0
      case "!=": return !(isSameKind && order == 0)
      default: return isSameKind && !left.isNull && Expression.holds(relation, order)
      }
    case .between(let name, let low, let high, let isNot):
      let value = record[name] ?? .missing
      let isBetween = (low.order(value) ?? -1) >= 0 && (high.order(value) ?? 1) <= 0
      return isBetween != isNot
    case .list(let name, let elements, let isNot):
      let value = record[name] ?? .missing
      return elements.contains { $0.equals(value) } != isNot
    case .part(let name, let relation, let part, let foldsCase):
      let value = record[name] ?? .missing
      func fold(_ text: String) -> String { foldsCase ? text.lowercased() : text }
      if relation == "contains", let elements = value.elements {
        return elements.contains { $0.text.map { Sample.textOrder(fold($0), fold(part)) == 0 } ?? false }
      }
      guard let text = value.text else { return false }
      return Expression.isPart(Array(fold(text).unicodeScalars), relation, Array(fold(part).unicodeScalars))
    case .null(let name, let isNot): return (record[name] ?? .missing).isNull != isNot
    case .exists(let name): return !(record[name] ?? .missing).isMissing
    case .all(let terms): return terms.allSatisfy { $0.holds(record) }
    case .any(let terms): return terms.contains { $0.holds(record) }
    case .not(let term): return !term.holds(record)
    }
  }

  private static func holds(_ relation: String, _ order: Int) -> Bool {
    switch relation {
    case "<": order < 0
    case "<=": order <= 0
    case ">": order > 0
    default: order >= 0
    }
  }

  private static func isPart(_ text: [Unicode.Scalar], _ relation: String, _ part: [Unicode.Scalar]) -> Bool {
    switch relation {
    case "beginswith": return text.starts(with: part)
    case "endswith": return text.reversed().starts(with: part.reversed())
    case "contains": return (0...text.count).contains { text[$0...].starts(with: part) }
    default:
      guard let first = part.first else { return text.isEmpty }
      let rest = Array(part.dropFirst())
      if first == "*" { return (0...text.count).contains { isPart(Array(text[$0...]), "like", rest) } }
      return !text.isEmpty && (first == "?" || first == text[0]) && isPart(Array(text.dropFirst()), "like", rest)
    }
  }
}
