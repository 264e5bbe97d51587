// Runs a predicate on the fields of a record: a loop over its instructions, without recursion and without allocation
// once the scratch has its size. What a comparison means, literal by literal and kind by kind, is in
// `PredicateCode.compare`.

package import Reading

/// What came of a comparison.
enum PredicateOutcome {
  case no
  case yes
  /// It does not hold because the value is of a kind that the literal is not compared with.
  case otherKind
}

extension PredicateProgram {
  /// Whether a record is wanted.
  ///
  /// - Parameters:
  ///   - bytes: the bytes that the fields' positions count in.
  ///   - fields: fields of many records, row by row.
  ///   - index: where the predicate's fields of this record begin, in the order of `Predicate.fields`.
  /// - Complexity: at most one visit to each comparison.
  package mutating func evaluate(_ bytes: Span<UInt8>, _ fields: Span<Field>, at index: Int) -> Bool {
    var place = code.entry
    while place >= 0 {
      let instruction = code.instructions[Int(place)]
      let field = fields[index &+ Int(instruction.field)]
      let outcome: PredicateOutcome
      switch instruction.comparator.operation {
      case .computed:
        outcome = compute(Int(instruction.comparator.constant), bytes, fields, at: index)
      case .fields:
        let other = fields[index &+ Int(instruction.other)]
        if let order = PredicateCode.shortOrder(field, other, bytes) {
          outcome = instruction.comparator.accepts(order) ? .yes : .no
        } else {
          outcome = compute(Int(instruction.comparator.constant), bytes, fields, at: index)
        }
      case .matches:
        outcome = match(Int(instruction.comparator.constant), bytes, field)
      default:
        outcome = code.compare(instruction.comparator, bytes, field, &scratch.decoded, &scratch.folded)
      }
      if outcome != .otherKind {
        if !counts[Int(instruction.test)].isMet { counts[Int(instruction.test)].isMet = true }
      } else if instruction.isLast {
        counts[Int(instruction.test)].add(field, bytes)
      }
      place = outcome == .yes ? instruction.onTrue : instruction.onFalse
    }
    return place == PredicateCode.accept
  }

  /// Searches a value for a regular expression.
  mutating func match(_ number: Int, _ bytes: Span<UInt8>, _ field: Field) -> PredicateOutcome {
    if field.isPlainText { return scratch.matchers[number].matches(bytes, in: field.place) ? .yes : .no }
    guard field.isText else { return .otherKind }
    // Taken out for the time that it is looked into.
    var text: [UInt8] = []
    swap(&text, &scratch.decoded)
    let plain = FieldText.decode(field, bytes, to: &text)
    let isFound = scratch.matchers[number].matches(text.span, in: plain.place)
    swap(&text, &scratch.decoded)
    return isFound ? .yes : .no
  }
}

// MARK: - A value and a literal

extension PredicateCode {
  /// Compares a value with a constant.
  func compare(
    _ comparator: PredicateComparator, _ bytes: Span<UInt8>, _ field: Field, _ decoded: inout [UInt8],
    _ folded: inout [UInt8]
  ) -> PredicateOutcome {
    switch field.kind {
    case .quotedEscaped, .stringEscaped:
      let plain = FieldText.decode(field, bytes, to: &decoded)
      return comparePlain(comparator, decoded.span, plain, &folded)
    case .array where comparator.operation == .contains:
      return compareElements(comparator, bytes, field, &decoded, &folded)
    default:
      return comparePlain(comparator, bytes, field, &folded)
    }
  }

  /// Compares a value that has no escapes.
  private func comparePlain(
    _ comparator: PredicateComparator, _ bytes: Span<UInt8>, _ field: Field, _ folded: inout [UInt8]
  ) -> PredicateOutcome {
    switch comparator.operation {
    case .isNull: return field.isNothing ? .yes : .no
    case .exists: return field.isThere ? .yes : .no
    case .null: return comparator.isEquality && field.isNothing ? .yes : .no
    case .number: return compareNumber(comparator, bytes, field)
    case .text: return compareText(comparator, bytes, field)
    case .instant: return compareInstant(comparator, bytes, field)
    case .boolean: return compareBoolean(comparator, bytes, field)
    case .contains, .beginsWith, .endsWith, .like: return comparePart(comparator, bytes, field, &folded)
    case .textList, .numberList: return compareList(comparator, bytes, field)
    case .computed, .fields, .value, .matches: return .no
    }
  }

  private func compareNumber(
    _ comparator: PredicateComparator, _ bytes: Span<UInt8>, _ field: Field
  ) -> PredicateOutcome {
    guard field.isNumberOrCell else { return .otherKind }
    let text = bytes.extracting(field.place)
    let constant = constants[Int(comparator.constant)]
    if let order = ShortDecimal(text)?.order(constant.short) { return comparator.accepts(order) ? .yes : .no }
    guard let prefix = DecimalText.prefix(text) else { return .otherKind }
    if prefix.bits == constant.prefix.bits && !prefix.isExact && !constant.prefix.isExact {
      // More than fifteen digits, and the first fifteen the same: rare enough to allocate.
      var encoded: [UInt8] = []
      DecimalText.append(text, to: &encoded)
      return comparator.accepts(KeyBytes.compare(encoded.span, pool.span.extracting(constant.range))) ? .yes : .no
    }
    return comparator.accepts(prefix.order(constant.prefix)) ? .yes : .no
  }

  /// The order of two short numbers, or nil where the fields are anything else.
  static func shortOrder(_ left: Field, _ right: Field, _ bytes: Span<UInt8>) -> Int? {
    guard left.isNumberOrCell, right.isNumberOrCell, let first = ShortDecimal(bytes.extracting(left.place)),
      let second = ShortDecimal(bytes.extracting(right.place))
    else { return nil }
    return first.order(second)
  }

  /// Whether a value is one of many constants that are in order.
  private func compareList(
    _ comparator: PredicateComparator, _ bytes: Span<UInt8>, _ field: Field
  ) -> PredicateOutcome {
    var range = lists[Int(comparator.constant)]
    let text = bytes.extracting(field.place)
    if case .textList = comparator.operation {
      guard field.isPlainText else { return .otherKind }
      while !range.isEmpty {
        let middle = range.lowerBound &+ range.count / 2
        let order = KeyBytes.compare(text, pool.span.extracting(constants[middle].range))
        if order == 0 { return .yes }
        range = order < 0 ? range.lowerBound..<middle : (middle &+ 1)..<range.upperBound
      }
      return .no
    }
    guard field.isNumberOrCell, let number = DecimalText(text) else { return .otherKind }
    let prefix = number.prefix
    while !range.isEmpty {
      let middle = range.lowerBound &+ range.count / 2
      let constant = constants[middle].prefix
      var order = prefix.order(constant)
      if order == 0 && !prefix.isExact && !constant.isExact {
        // As in `compareNumber`.
        var encoded: [UInt8] = []
        number.append(from: text, to: &encoded)
        order = KeyBytes.compare(encoded.span, pool.span.extracting(constants[middle].range))
      }
      if order == 0 { return .yes }
      range = order < 0 ? range.lowerBound..<middle : (middle &+ 1)..<range.upperBound
    }
    return .no
  }

  private func compareInstant(
    _ comparator: PredicateComparator, _ bytes: Span<UInt8>, _ field: Field
  ) -> PredicateOutcome {
    guard field.isPlainText else { return .otherKind }
    let text = bytes.extracting(field.place)
    guard let prefix = Instant.prefix(text) else { return .otherKind }
    let constant = constants[Int(comparator.constant)]
    if prefix.bits == constant.prefix.bits && !prefix.isExact && !constant.prefix.isExact {
      // Both finer than microseconds.
      var encoded: [UInt8] = []
      Instant.append(text, to: &encoded)
      return comparator.accepts(KeyBytes.compare(encoded.span, pool.span.extracting(constant.range))) ? .yes : .no
    }
    return comparator.accepts(prefix.order(constant.prefix)) ? .yes : .no
  }

  private func compareText(
    _ comparator: PredicateComparator, _ bytes: Span<UInt8>, _ field: Field
  ) -> PredicateOutcome {
    let range = constants[Int(comparator.constant)].range
    guard field.isPlainText else {
      // An empty unquoted cell is null, and yet `== ""` is true of it.
      return range.isEmpty && comparator.isEquality && field.isEmptyCell ? .yes : .otherKind
    }
    let text = bytes.extracting(field.place)
    if comparator.isEquality {
      return PredicateText.isEqual(text, pool.span.extracting(range)) ? .yes : .no
    }
    return comparator.accepts(KeyBytes.compare(text, pool.span.extracting(range))) ? .yes : .no
  }

  private func compareBoolean(
    _ comparator: PredicateComparator, _ bytes: Span<UInt8>, _ field: Field
  ) -> PredicateOutcome {
    let value: Bool
    switch field.kind {
    case .true: value = true
    case .false: value = false
    case .bare, .quoted:
      let text = bytes.extracting(field.place)
      if text.spells("true") {
        value = true
      } else if text.spells("false") {
        value = false
      } else {
        return .otherKind
      }
    default: return .otherKind
    }
    let literal = constants[Int(comparator.constant)].kind == .true
    return comparator.accepts((value ? 1 : 0) &- (literal ? 1 : 0)) ? .yes : .no
  }

  private func comparePart(
    _ comparator: PredicateComparator, _ bytes: Span<UInt8>, _ field: Field, _ folded: inout [UInt8]
  ) -> PredicateOutcome {
    guard field.isPlainText else { return .otherKind }
    let constant = constants[Int(comparator.constant)]
    guard constant.kind == .text else { return .otherKind }
    let text = bytes.extracting(field.place)
    if comparator.ignoresCase {
      if case .contains = comparator.operation {
        // As it stands first; folding matters only to what is beyond ASCII on both sides, or becomes ASCII.
        if isPart(.contains, text, constant) { return .yes }
        if constant.isASCII ? !PredicateText.mayFoldToASCII(text) : PredicateText.isASCII(text) { return .no }
      }
      folded.removeAll(keepingCapacity: true)
      CaseFolding.append(text, to: &folded)
      return isPart(comparator.operation, folded.span, constant) ? .yes : .no
    }
    return isPart(comparator.operation, text, constant) ? .yes : .no
  }

  private func isPart(
    _ operation: PredicateComparator.Operation, _ text: Span<UInt8>, _ constant: PredicateConstant
  ) -> Bool {
    switch operation {
    case .contains: constant.search.firstIndex(of: pool.span.extracting(constant.range), in: text) != nil
    case .beginsWith: PredicateText.hasPrefix(text, pool.span.extracting(constant.range))
    case .endsWith: PredicateText.hasSuffix(text, pool.span.extracting(constant.range))
    case .like: PredicateText.isLike(text, patterns.span.extracting(constant.range))
    default: false
    }
  }

  /// `contains` on an array: whether one of its elements equals the literal.
  private func compareElements(
    _ comparator: PredicateComparator, _ bytes: Span<UInt8>, _ field: Field, _ decoded: inout [UInt8],
    _ folded: inout [UInt8]
  ) -> PredicateOutcome {
    let constant = constants[Int(comparator.constant)]
    var element = comparator
    element.accepted = PredicateComparator.equal
    switch constant.kind {
    case .number: element.operation = .number
    case .true, .false: element.operation = .boolean
    case .null: element.operation = .null
    case .instant: element.operation = .instant
    case .text: element.operation = .text
    }
    var cursor = JSONCursor(inside: field.place)
    while let member = cursor.next(bytes) {
      let value = member.value
      if element.operation == .text {
        guard value.isText else { continue }
        if comparator.ignoresCase {
          _ = FieldText.decode(value, bytes, to: &decoded)
          folded.removeAll(keepingCapacity: true)
          CaseFolding.append(decoded.span, to: &folded)
          if PredicateText.isEqual(folded.span, pool.span.extracting(constant.range)) { return .yes }
        } else if FieldText.equals(value, in: bytes, pool.span.extracting(constant.range)) {
          return .yes
        }
      } else if compare(element, bytes, value, &decoded, &folded) == .yes {
        return .yes
      }
    }
    return .no
  }
}

// What is asked of a field once a comparison. By `switch`, as `==` on another module's enum is a call.
extension Field {
  @inline(__always)
  var place: Range<Int> { Int(start)..<(Int(start) &+ Int(count)) }

  /// Whether it is a JSON number, or a CSV cell without escapes that is not null.
  @inline(__always)
  var isNumberOrCell: Bool {
    switch kind {
    case .number, .quoted: true
    case .bare: count > 0
    default: false
    }
  }

  /// Whether it is a JSON string, or a CSV cell that is not null, without escapes.
  @inline(__always)
  fileprivate var isPlainText: Bool {
    switch kind {
    case .string, .quoted: true
    case .bare: count > 0
    default: false
    }
  }

  /// Whether it is a JSON string or a CSV cell that is not null.
  @inline(__always)
  var isText: Bool {
    switch kind {
    case .stringEscaped, .quotedEscaped: true
    default: isPlainText
    }
  }

  @inline(__always)
  fileprivate var isEmptyCell: Bool {
    if case .bare = kind { count == 0 } else { false }
  }

  @inline(__always)
  fileprivate var isNothing: Bool {
    switch kind {
    case .missing, .null: true
    case .bare: count == 0
    default: false
    }
  }

  @inline(__always)
  fileprivate var isThere: Bool {
    if case .missing = kind { false } else { true }
  }
}

extension FieldText {
  /// Replaces `text` by the decoded text of a field, and returns the field that it is there.
  static func decode(_ field: Field, _ bytes: Span<UInt8>, to text: inout [UInt8]) -> Field {
    text.removeAll(keepingCapacity: true)
    append(field, in: bytes, to: &text)
    let kind: FieldKind =
      switch field.kind {
      case .quotedEscaped: .quoted
      case .stringEscaped: .string
      default: field.kind
      }
    return Field(0..<text.count, kind)
  }
}

extension KeyPrefix {
  @inline(__always)
  func order(_ other: KeyPrefix) -> Int { bits < other.bits ? -1 : bits == other.bits ? 0 : 1 }
}

extension Span<UInt8> {
  /// Whether these bytes are that text.
  func spells(_ word: StaticString) -> Bool {
    guard count == word.utf8CodeUnitCount else { return false }
    for index in indices where unsafe word.utf8Start[index] != self[index] { return false }
    return true
  }
}
