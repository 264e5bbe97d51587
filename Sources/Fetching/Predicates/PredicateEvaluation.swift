// Runs a predicate on the fields of a record: a loop over its instructions, without recursion and without allocation once the
// scratch has its size. What a comparison means, literal by literal and kind by kind, is in `PredicateCode.compare`.

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
      if instruction.comparator.operation == .computed {
        outcome = compute(Int(instruction.comparator.constant), bytes, fields, at: index)
      } else {
        outcome = code.compare(instruction.comparator, bytes, field, &scratch.decoded, &scratch.folded)
      }
      if outcome != .otherKind {
        counts[Int(instruction.test)].isMet = true
      } else if instruction.isLast {
        counts[Int(instruction.test)].add(field, bytes)
      }
      place = outcome == .yes ? instruction.onTrue : instruction.onFalse
    }
    return place == PredicateCode.accept
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
    case .isNull: return field.isNull ? .yes : .no
    case .exists: return field.kind != .missing ? .yes : .no
    case .null: return comparator.isEquality && field.isNull ? .yes : .no
    case .number: return compareNumber(comparator, bytes, field)
    case .text: return compareText(comparator, bytes, field)
    case .instant: return compareInstant(comparator, bytes, field)
    case .boolean: return compareBoolean(comparator, bytes, field)
    case .contains, .beginsWith, .endsWith, .like: return comparePart(comparator, bytes, field, &folded)
    case .computed, .value: return .no
    }
  }

  private func compareNumber(
    _ comparator: PredicateComparator, _ bytes: Span<UInt8>, _ field: Field
  ) -> PredicateOutcome {
    guard field.kind == .number || field.isCell else { return .otherKind }
    let text = bytes.extracting(field.range)
    guard let prefix = DecimalText.prefix(text) else { return .otherKind }
    let constant = constants[Int(comparator.constant)]
    if prefix.bits == constant.prefix.bits && !prefix.isExact && !constant.prefix.isExact {
      // More than fifteen digits, and the first fifteen the same: rare enough to allocate.
      var encoded: [UInt8] = []
      DecimalText.append(text, to: &encoded)
      return comparator.accepts(KeyBytes.compare(encoded.span, pool.span.extracting(constant.range))) ? .yes : .no
    }
    return comparator.accepts(prefix.order(constant.prefix)) ? .yes : .no
  }

  private func compareInstant(
    _ comparator: PredicateComparator, _ bytes: Span<UInt8>, _ field: Field
  ) -> PredicateOutcome {
    guard field.kind == .string || field.isCell else { return .otherKind }
    let text = bytes.extracting(field.range)
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
    guard field.kind == .string || field.isCell else {
      // An empty unquoted cell is null, and yet `== ""` is true of it.
      return field.kind == .bare && range.isEmpty && comparator.isEquality ? .yes : .otherKind
    }
    let text = bytes.extracting(field.range)
    if comparator.isEquality {
      return PredicateText.isEqual(text, pool.span.extracting(range)) ? .yes : .no
    }
    return comparator.accepts(KeyBytes.compare(text, pool.span.extracting(range))) ? .yes : .no
  }

  private func compareBoolean(
    _ comparator: PredicateComparator, _ bytes: Span<UInt8>, _ field: Field
  ) -> PredicateOutcome {
    guard case .boolean(let literal) = constants[Int(comparator.constant)].literal else { return .no }
    let value: Bool
    switch field.kind {
    case .true: value = true
    case .false: value = false
    case .bare, .quoted:
      let text = bytes.extracting(field.range)
      if text.spells("true") {
        value = true
      } else if text.spells("false") {
        value = false
      } else {
        return .otherKind
      }
    default: return .otherKind
    }
    return comparator.accepts((value ? 1 : 0) - (literal ? 1 : 0)) ? .yes : .no
  }

  private func comparePart(
    _ comparator: PredicateComparator, _ bytes: Span<UInt8>, _ field: Field, _ folded: inout [UInt8]
  ) -> PredicateOutcome {
    guard field.kind == .string || field.isCell else { return .otherKind }
    let constant = constants[Int(comparator.constant)]
    guard case .text = constant.literal else { return .otherKind }
    let text = bytes.extracting(field.range)
    if comparator.ignoresCase {
      folded.removeAll(keepingCapacity: true)
      CaseFolding.append(text, to: &folded)
      return isPart(comparator.operation, folded.span, constant.range) ? .yes : .no
    }
    return isPart(comparator.operation, text, constant.range) ? .yes : .no
  }

  private func isPart(
    _ operation: PredicateComparator.Operation, _ text: Span<UInt8>, _ range: Range<Int>
  ) -> Bool {
    switch operation {
    case .contains: PredicateText.contains(text, pool.span.extracting(range))
    case .beginsWith: PredicateText.hasPrefix(text, pool.span.extracting(range))
    case .endsWith: PredicateText.hasSuffix(text, pool.span.extracting(range))
    case .like: PredicateText.isLike(text, patterns.span.extracting(range))
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
    switch constant.literal {
    case .number: element.operation = .number
    case .boolean: element.operation = .boolean
    case .null: element.operation = .null
    case .instant: element.operation = .instant
    case .text: element.operation = .text
    }
    var cursor = JSONCursor(inside: field.range)
    while let member = cursor.next(bytes) {
      let value = member.value
      if element.operation == .text {
        guard value.kind == .string || value.kind == .stringEscaped else { continue }
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

extension Field {
  /// Whether it is a CSV cell without escapes that is not null.
  @inline(__always)
  fileprivate var isCell: Bool { kind == .quoted || kind == .bare && count > 0 }
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
