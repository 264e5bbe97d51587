// The comparisons that are more than a field with a literal: functions, `any` and `all`, two fields. Slower than the
// rest, yet without allocation for all but nested values. Values that functions make lie in scratch and are fields
// like any other.

import Reading

extension PredicateProgram {
  mutating func compute(
    _ number: Int, _ bytes: Span<UInt8>, _ fields: Span<Field>, at index: Int
  ) -> PredicateOutcome {
    let computation = code.computed[number]
    let field = fields[index &+ Int(computation.left.field)]
    guard let quantifier = computation.quantifier else {
      return computeOne(computation, computation.left.functions, field, bytes, fields, at: index)
    }
    guard field.kind == .array else { return .otherKind }
    var cursor = JSONCursor(inside: field.range)
    var result = quantifier == .all ? PredicateOutcome.yes : .no
    var isMet = false
    var isEmpty = true
    while let member = cursor.next(bytes) {
      isEmpty = false
      let outcome = computeOne(computation, computation.elementFunctions, member.value, bytes, fields, at: index)
      if outcome != .otherKind { isMet = true }
      if quantifier == .any && outcome == .yes { return .yes }
      if quantifier == .all && outcome != .yes { result = .no }
      if quantifier == .all && result == .no && isMet { return .no }
    }
    return isMet || isEmpty ? result : .otherKind
  }

  /// Compares one value, after functions, with what the computation compares with.
  private mutating func computeOne(
    _ computation: PredicateComputation, _ functions: [PredicateFunction], _ field: Field, _ bytes: Span<UInt8>,
    _ fields: Span<Field>, at index: Int
  ) -> PredicateOutcome {
    if functions.isEmpty { return compareAll(computation, bytes, field, bytes, fields, at: index) }
    // Taken out for the time that it is looked into.
    var text: [UInt8] = []
    swap(&text, &scratch.left)
    let value = apply(functions, field, bytes, to: &text)
    let outcome = compareAll(computation, text.span, value, bytes, fields, at: index)
    swap(&text, &scratch.left)
    return outcome
  }

  private mutating func compareAll(
    _ computation: PredicateComputation, _ leftBytes: Span<UInt8>, _ left: Field, _ bytes: Span<UInt8>,
    _ fields: Span<Field>, at index: Int
  ) -> PredicateOutcome {
    var isMet = false
    for comparator in computation.comparators {
      let outcome: PredicateOutcome
      if comparator.operation == .value {
        let operand = computation.operands[Int(comparator.constant)]
        let right = fields[index &+ Int(operand.field)]
        if operand.functions.isEmpty {
          outcome = compareValues(computation.relation, comparator, leftBytes, left, bytes, right)
        } else {
          var text: [UInt8] = []
          swap(&text, &scratch.right)
          let value = apply(operand.functions, right, bytes, to: &text)
          outcome = compareValues(computation.relation, comparator, leftBytes, left, text.span, value)
          swap(&text, &scratch.right)
        }
      } else if comparator.operation == .matches {
        outcome = match(Int(comparator.constant), leftBytes, left)
      } else {
        outcome = code.compare(comparator, leftBytes, left, &scratch.decoded, &scratch.folded)
      }
      if outcome != .otherKind { isMet = true }
      if computation.needsAll ? outcome != .yes : outcome == .yes { return outcome }
    }
    return computation.needsAll ? .yes : isMet ? .no : .otherKind
  }

  // MARK: Two values

  private mutating func compareValues(
    _ relation: PredicateTest.Relation, _ comparator: PredicateComparator, _ leftBytes: Span<UInt8>, _ left: Field,
    _ rightBytes: Span<UInt8>, _ right: Field
  ) -> PredicateOutcome {
    switch relation {
    case .contains where left.kind == .array:
      var cursor = JSONCursor(inside: left.range)
      while let member = cursor.next(leftBytes) {
        if order(leftBytes, member.value, rightBytes, right, foldsCase: comparator.ignoresCase) == 0 { return .yes }
      }
      return .no
    case .contains, .beginsWith, .endsWith:
      guard left.isText, right.isText else { return .otherKind }
      appendText(left, leftBytes, foldsCase: comparator.ignoresCase, to: \.first)
      appendText(right, rightBytes, foldsCase: comparator.ignoresCase, to: \.second)
      let holds =
        switch relation {
        case .contains: PredicateText.contains(scratch.first.span, scratch.second.span)
        case .beginsWith: PredicateText.hasPrefix(scratch.first.span, scratch.second.span)
        default: PredicateText.hasSuffix(scratch.first.span, scratch.second.span)
        }
      return holds ? .yes : .no
    default:
      if left.isNull && right.isNull { return comparator.isEquality ? .yes : .otherKind }
      guard let order = order(leftBytes, left, rightBytes, right, foldsCase: false) else { return .otherKind }
      return comparator.accepts(order) ? .yes : .no
    }
  }

  /// The order of two values that are not null, or nil where they are of different kinds.
  private mutating func order(
    _ leftBytes: Span<UInt8>, _ left: Field, _ rightBytes: Span<UInt8>, _ right: Field, foldsCase: Bool
  ) -> Int? {
    if left.isNumberOrCell, right.isNumberOrCell,
      let first = DecimalText.prefix(leftBytes.extracting(left.place)),
      let second = DecimalText.prefix(rightBytes.extracting(right.place)),
      first.bits != second.bits || first.isExact || second.isExact
    {
      return first.order(second)
    }
    let leftKind = encode(left, leftBytes, foldsCase: foldsCase, to: \.first)
    let rightKind = encode(right, rightBytes, foldsCase: foldsCase, to: \.second)
    guard leftKind == rightKind else { return nil }
    return KeyBytes.compare(scratch.first.span, scratch.second.span)
  }

  private mutating func encode(
    _ field: Field, _ bytes: Span<UInt8>, foldsCase: Bool, to place: WritableKeyPath<PredicateScratch, [UInt8]>
  ) -> ValueKind {
    var encoded: [UInt8] = []
    swap(&encoded, &scratch[keyPath: place])
    encoded.removeAll(keepingCapacity: true)
    let kind: ValueKind
    if field.kind == .stringEscaped || field.kind == .quotedEscaped {
      let plain = FieldText.decode(field, bytes, to: &scratch.decoded)
      kind = ValueEncoding.append(plain, scratch.decoded.span, foldsCase: foldsCase, to: &encoded)
    } else {
      kind = ValueEncoding.append(field, bytes, foldsCase: foldsCase, to: &encoded)
    }
    swap(&encoded, &scratch[keyPath: place])
    return kind
  }

  private mutating func appendText(
    _ field: Field, _ bytes: Span<UInt8>, foldsCase: Bool, to place: WritableKeyPath<PredicateScratch, [UInt8]>
  ) {
    var text: [UInt8] = []
    swap(&text, &scratch[keyPath: place])
    if foldsCase {
      _ = FieldText.decode(field, bytes, to: &scratch.decoded)
      text.removeAll(keepingCapacity: true)
      CaseFolding.append(scratch.decoded.span, to: &text)
    } else {
      _ = FieldText.decode(field, bytes, to: &text)
    }
    swap(&text, &scratch[keyPath: place])
  }

  // MARK: Functions

  /// Applies functions, the first the innermost; the result counts in `result`, or is null.
  private mutating func apply(
    _ functions: [PredicateFunction], _ field: Field, _ bytes: Span<UInt8>, to result: inout [UInt8]
  ) -> Field {
    // A value is decoded first, so that every function finds it plain.
    var value: Field
    if field.kind == .stringEscaped || field.kind == .quotedEscaped {
      value = FieldText.decode(field, bytes, to: &scratch.spare)
      value = PredicateFunction.apply(functions[0], value, scratch.spare.span, to: &result)
    } else {
      value = PredicateFunction.apply(functions[0], field, bytes, to: &result)
    }
    for function in functions.dropFirst() {
      swap(&result, &scratch.spare)
      value = PredicateFunction.apply(function, value, scratch.spare.span, to: &result)
    }
    return value
  }
}

extension PredicateFunction {
  private static let null = Field(0..<0, .null)

  /// Applies a function to a value without escapes. On a kind that it is not for it gives null.
  fileprivate static func apply(
    _ function: PredicateFunction, _ field: Field, _ bytes: Span<UInt8>, to result: inout [UInt8]
  ) -> Field {
    result.removeAll(keepingCapacity: true)
    switch function {
    case .length:
      if field.isText {
        append(PredicateText.length(bytes.extracting(field.place)), to: &result)
      } else if field.kind == .array {
        var cursor = JSONCursor(inside: field.range)
        var count = 0
        while cursor.next(bytes) != nil { count &+= 1 }
        append(count, to: &result)
      } else {
        return null
      }
      return Field(0..<result.count, .number)
    case .lower, .upper:
      guard field.isText else { return null }
      var letterCase = PredicateText.Case.upper
      if case .lower = function { letterCase = .lower }
      PredicateText.append(bytes.extracting(field.place), in: letterCase, to: &result)
      return Field(0..<result.count, field.kind)
    case .abs:
      guard field.isNumberOrCell else { return null }
      let text = bytes.extracting(field.place)
      guard DecimalText.prefix(text) != nil else { return null }
      let hasSign = text[0] == UInt8(ascii: "-") || text[0] == UInt8(ascii: "+")
      result.append(copying: text.extracting((hasSign ? 1 : 0)..<text.count))
      return Field(0..<result.count, .number)
    case .year, .month, .day:
      guard field.isText else { return null }
      let text = bytes.extracting(field.place)
      guard Instant.prefix(text) != nil, let date = CivilDate(text) else { return null }
      switch function {
      case .year: append(date.year, to: &result)
      case .month: append(date.month, to: &result)
      default: append(date.day, to: &result)
      }
      return Field(0..<result.count, .number)
    case .date(let format):
      guard field.isText, let instant = format.read(bytes.extracting(field.place)) else { return null }
      guard appendDate(instant.seconds, to: &result) else { return null }
      return Field(0..<result.count, .string)
    case .any, .all:
      return null
    }
  }

  /// Appends `YYYY-MM-DDThh:mm:ss`; false where the year has not four digits.
  private static func appendDate(_ seconds: Int, to result: inout [UInt8]) -> Bool {
    // Days to a date, as in Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms" (civil_from_days); the year
    // begins in March and years are counted from -400, so that nothing is below zero.
    let second = ((seconds % 86_400) &+ 86_400) % 86_400
    let days = (seconds &- second) / 86_400 &+ 719_468 &+ 146_097
    guard days >= 0 else { return false }
    let dayOfEra = days % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + days / 146_097 * 400 - 400 + (month <= 2 ? 1 : 0)
    guard year >= 0 && year <= 9999 else { return false }
    append(year, digits: 4, to: &result)
    for (sign, number) in [
      (UInt8(ascii: "-"), month), (UInt8(ascii: "-"), dayOfYear - (153 * monthFromMarch + 2) / 5 + 1),
      (UInt8(ascii: "T"), second / 3600), (UInt8(ascii: ":"), second / 60 % 60), (UInt8(ascii: ":"), second % 60),
    ] {
      result.append(sign)
      append(number, digits: 2, to: &result)
    }
    return true
  }

  private static func append(_ number: Int, digits: Int = 1, to result: inout [UInt8]) {
    var divisor = 1
    for _ in 1..<digits { divisor *= 10 }
    while number / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      result.append(UInt8(truncatingIfNeeded: 0x30 + number / divisor % 10))
      divisor /= 10
    }
  }
}
