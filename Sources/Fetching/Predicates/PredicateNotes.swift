// What a filter has to say after a run: comparisons that never held because of the kind of the values alone, which is
// mostly a literal with quotes too many or too few.

import Reading

extension PredicateCount {
  /// Counts a value of a kind that the test is not for.
  mutating func add(_ field: Field, _ bytes: Span<UInt8>) {
    otherKind &+= 1
    // Once a value could be compared there is nothing to say about kinds.
    if isMet { return }
    kinds |= field.kind == .missing ? 1 : 1 << ValueKind.of(field, bytes).rawValue
  }
}

extension PredicateProgram {
  /// Takes in what a copy of this program learnt elsewhere.
  package mutating func addCounts(of other: PredicateProgram) {
    for (index, count) in other.counts.enumerated() where index < counts.count {
      counts[index].isMet = counts[index].isMet || count.isMet
      counts[index].otherKind &+= count.otherKind
      counts[index].kinds |= count.kinds
    }
  }

  /// A line for each comparison that was false in every record for the kind of its values alone.
  ///
  /// A field that no record had is left out: that its name is unknown is said elsewhere.
  package func notes() -> [String] {
    var notes: [String] = []
    for (test, count) in zip(code.tests, counts) where !count.isMet && count.otherKind > 0 && count.kinds > 1 {
      let holds = test.isNegated ? "true" : "false"
      let records = count.otherKind == 1 ? "the one record" : "all \(count.otherKind) records"
      let comparison = PredicateError.quoted(test.text, limit: 60)
      notes.append("\(comparison) was \(holds) in \(records) because \(reason(test, count.kinds))")
    }
    return notes
  }

  private func reason(_ test: PredicateTest, _ kindBits: UInt8) -> String {
    guard test.right.allSatisfy(\.isLiteral) else { return "the two are of different kinds" }
    let kinds = ValueKind.allCases.filter { kindBits & 1 << $0.rawValue != 0 }.map(\.article)
    guard let last = kinds.last else { return "it is missing" }
    let list = kinds.count == 1 ? last : kinds.dropLast().joined(separator: ", ") + " or " + last
    return "\(PredicateError.harmless(test.subject, limit: 60)) is \(list)"
  }
}

extension ValueKind {
  /// The kind as a sentence has it.
  fileprivate var article: String {
    switch self {
    case .boolean: "a boolean"
    case .number: "a number"
    case .date: "a date"
    case .text: "text"
    case .array: "an array"
    case .object: "an object"
    case .null: "null"
    }
  }
}
