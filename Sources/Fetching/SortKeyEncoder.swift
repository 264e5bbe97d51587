// Makes the keys that rows are ordered by: bytes that compare like the values (see `KeyBytes`), one encoding after
// another for several keys. Nearly every comparison is decided by the first eight bytes, so those are made apart and
// without memory traffic; all bytes are made only for rows that are kept.

package import Reading

/// Encodes the sort keys of records.
///
/// It holds scratch memory and tallies, so each thread has its own; the tallies are merged at the end.
package struct SortKeyEncoder: Sendable {
  /// A key's part of the first eight bytes.
  private struct Head {
    /// The bytes from the top, zeros after them.
    var bits: UInt64
    var byteCount: Int
    /// Whether they are the key's whole encoding.
    var isWhole: Bool
    var kind: ValueKind

    @inline(__always)
    init(_ bits: UInt64, _ byteCount: Int, _ isWhole: Bool, _ kind: ValueKind) {
      self.bits = bits
      self.byteCount = byteCount
      self.isWhole = isWhole
      self.kind = kind
    }

    @inline(__always)
    init(_ prefix: KeyPrefix, _ kind: ValueKind) { self.init(prefix.bits, 8, prefix.isExact, kind) }
  }

  /// What is needed to encode one key, without anything that counts references.
  struct Coding {
    enum Form: UInt8 { case auto, text, number, date, other }
    var form: Form
    var isReversed: Bool
    var nullsFirst: Bool
    var foldsCase: Bool
  }

  private let codings: [Coding]
  private var conversions: [SortConversion]
  private var scratch: [UInt8] = []
  private var keyTallies: [KindTally]

  // The first key, mostly the only one, stands outside the arrays, so that nothing is counted or checked for it.
  let firstCoding: Coding
  let isSingle: Bool
  /// Whether dates are made by the kernel; nil: if it is faster here. The keys are the same.
  var usesKernel: Bool?
  var firstTally = KindTally()
  private var firstFailures = 0
  private var keyFailures: [Int]

  /// How many values of each kind each key met, counted by `prefix`.
  package var tallies: [KindTally] {
    var tallies = keyTallies
    if !tallies.isEmpty { tallies[0].merge(firstTally) }
    return tallies
  }

  /// How many values of each key were not of the kind asked for, counted by `prefix`.
  package var conversionFailures: [Int] {
    var failures = keyFailures
    if !failures.isEmpty { failures[0] &+= firstFailures }
    return failures
  }

  package init(sortBy descriptors: [SortDescriptor]) {
    codings = descriptors.map { descriptor in
      let form: Coding.Form =
        switch descriptor.kind {
        case .auto: .auto
        case .text: .text
        case .number: .number
        case .date: .date
        default: .other
        }
      return Coding(
        form: form, isReversed: descriptor.order == .reverse, nullsFirst: descriptor.nulls == .first,
        foldsCase: descriptor.ignoresCase)
    }
    conversions = descriptors.map { SortConversion($0.kind, foldsCase: $0.ignoresCase) }
    keyTallies = Array(repeating: KindTally(), count: descriptors.count)
    keyFailures = Array(repeating: 0, count: descriptors.count)
    firstCoding =
      codings.first ?? Coding(form: .auto, isReversed: false, nullsFirst: false, foldsCase: false)
    isSingle = codings.count == 1
  }

  /// The number of keys, and so of fields a record.
  package var keyCount: Int { codings.count }

  /// The first eight bytes of a record's key. Counts the kinds met, so it is called once a record.
  ///
  /// - Parameters:
  ///   - bytes: what the fields' positions count in.
  ///   - fields: the fields of many records; this record's begin at `index`, one a key, in order.
  package mutating func prefix(_ bytes: Span<UInt8>, _ fields: Span<Field>, at index: Int) -> KeyPrefix {
    if isSingle && index < fields.count {
      let field = fields[index]
      if let head = Self.directedHead(of: field, bytes, firstCoding) {
        firstTally.count(head.kind, isMissing: field.isMissing)
        if head.kind == .null && firstCoding.form != .auto && !field.isNull { firstFailures &+= 1 }
        return KeyPrefix(bits: head.bits, isExact: head.isWhole)
      }
    }
    return composedPrefix(bytes, fields, at: index)
  }

  /// The same for any number of keys of any kind.
  private mutating func composedPrefix(_ bytes: Span<UInt8>, _ fields: Span<Field>, at index: Int) -> KeyPrefix {
    var bits: UInt64 = 0
    var used = 0
    var isWhole = true
    for key in 0..<codings.count {
      let field = index &+ key < fields.count ? fields[index &+ key] : .missing
      let coding = codings[key]
      let head = Self.directedHead(of: field, bytes, coding) ?? slowHead(of: field, bytes, key)
      keyTallies[key].count(head.kind, isMissing: field.isMissing)
      if head.kind == .null && coding.form != .auto && !field.isNull { keyFailures[key] &+= 1 }
      if isWhole && used < 8 {
        bits |= head.bits >> UInt64(8 &* used)
        used &+= head.byteCount
        isWhole = head.isWhole && used <= 8
      } else {
        isWhole = false
      }
    }
    return KeyPrefix(bits: bits, isExact: isWhole)
  }

  /// Appends the whole key of a record. Its first eight bytes are those of `prefix`.
  package mutating func append(
    _ bytes: Span<UInt8>, _ fields: Span<Field>, at index: Int, to out: inout [UInt8]
  ) {
    for key in 0..<codings.count {
      let field = index &+ key < fields.count ? fields[index &+ key] : .missing
      _ = append(field, bytes, key, to: &out)
    }
  }

  /// Adds up what another thread's encoder of the same keys counted.
  package mutating func mergeCounts(_ other: SortKeyEncoder) {
    let theirs = other.tallies
    let failures = other.conversionFailures
    for key in 0..<min(codings.count, other.codings.count) {
      keyTallies[key].merge(theirs[key])
      keyFailures[key] &+= failures[key]
    }
  }

  private mutating func slowHead(of field: Field, _ bytes: Span<UInt8>, _ key: Int) -> Head {
    var encoded: [UInt8] = []
    swap(&encoded, &scratch)
    encoded.removeAll(keepingCapacity: true)
    let kind = append(field, bytes, key, to: &encoded)
    let head = Head(
      KeyBytes.prefix(of: encoded.span), min(8, encoded.count), encoded.count <= 8, kind)
    swap(&encoded, &scratch)
    return head
  }

  private mutating func append(
    _ field: Field, _ bytes: Span<UInt8>, _ key: Int, to out: inout [UInt8]
  ) -> ValueKind {
    let start = out.count
    let coding = codings[key]
    let kind: ValueKind
    if coding.form == .auto {
      kind = ValueEncoding.append(field, bytes, foldsCase: coding.foldsCase, to: &out)
    } else if field.isNull {
      out.append(KeyBytes.null)
      kind = .null
    } else {
      kind = conversions[key].append(field, bytes, to: &out)
    }
    if kind == .null {
      if coding.nullsFirst { out[start] = KeyBytes.nullFirst }
    } else if coding.isReversed {
      KeyBytes.reverse(&out, from: start)
    }
    return kind
  }

  /// The head of the common kinds in the key's direction; nil where the slow path has to look.
  @inline(__always)
  private static func directedHead(of field: Field, _ bytes: Span<UInt8>, _ coding: Coding) -> Head? {
    guard var head = head(of: field, bytes, coding) else { return nil }
    if head.kind == .null {
      if coding.nullsFirst { head.bits = 0 }
    } else if coding.isReversed {
      // What is not filled stays zero.
      let padding = head.byteCount == 8 ? 0 : UInt64.max >> UInt64(8 &* head.byteCount)
      head.bits ^= KeyBytes.belowRank & ~padding
    }
    return head
  }

  /// The head of the common kinds, ascending; nil where the slow path has to look.
  @inline(__always)
  private static func head(of field: Field, _ bytes: Span<UInt8>, _ coding: Coding) -> Head? {
    if field.isNull { return nullHead }
    if coding.form == .other { return nil }
    switch field.kind {
    case .bare, .quoted, .string, .number: break
    case .true where coding.form == .auto: return Head(UInt64(KeyBytes.trueByte) << 56, 1, true, .boolean)
    case .false where coding.form == .auto: return Head(UInt64(KeyBytes.falseByte) << 56, 1, true, .boolean)
    default: return nil
    }
    let text = bytes.extracting(field.range)
    switch coding.form {
    case .number:
      return DecimalText.prefix(text).map { Head($0, .number) } ?? nullHead
    case .date:
      let plain = Instant.plainBits(text)
      if plain != 0 { return Head(KeyPrefix(bits: plain, isExact: true), .date) }
      return Instant(text).map { Head($0.prefix, .date) } ?? nullHead
    case .auto:
      let plain = Instant.plainBits(text)
      if plain != 0 { return Head(KeyPrefix(bits: plain, isExact: true), .date) }
      if !field.isNumber && CellShape.mayBeDate(text), let instant = Instant(text) {
        return Head(instant.prefix, .date)
      }
      if !field.isString && CellShape.mayBeNumberOrDate(text), let number = DecimalText.prefix(text) {
        return Head(number, .number)
      }
    default: break
    }
    return textHead(text, foldsCase: coding.foldsCase)
  }

  private static var nullHead: Head { Head(UInt64(KeyBytes.null) << 56, 1, true, .null) }

  /// The rank, up to seven bytes and what fits of the two zero bytes after them; nil where a zero byte among them has
  /// to be escaped, or where other than ASCII is to be folded.
  private static func textHead(_ text: Span<UInt8>, foldsCase: Bool) -> Head? {
    var word: UInt64 = 0
    if text.count >= 8 {
      word = KeyBytes.word(text, 0).byteSwapped >> 8
    } else {
      for index in 0..<text.count { word |= UInt64(text[index]) << UInt64(48 &- 8 &* index) }
    }
    if foldsCase {
      guard word & 0x8080_8080_8080_8080 == 0 else { return nil }
      // The top bit of each byte from `A` on, less that of each byte beyond `Z`.
      let capitals =
        (word &+ 0x3F3F_3F3F_3F3F_3F3F) & ~(word &+ 0x2525_2525_2525_2525) & 0x8080_8080_8080_8080
      word |= capitals >> 2
    }
    let count = min(7, text.count)
    // The lowest zero byte is found exactly by this test, and a false one needs a true one below it; the bytes that are
    // not text are filled, so that only zeros in the text count.
    let filled = word | 0xFF << 56 | (UInt64.max >> UInt64(8 &* (count &+ 1)))
    if (filled &- 0x0101_0101_0101_0101) & ~filled & 0x8080_8080_8080_8080 != 0 { return nil }
    return Head(
      UInt64(KeyBytes.textRank) << 56 | word, min(8, text.count &+ 3), text.count <= 5, .text)
  }
}

// Comparing enumerations of another module with `==` is a call through its witness table; a pattern is one comparison.
extension Field {
  @inline(__always)
  fileprivate var isMissing: Bool { if case .missing = kind { true } else { false } }

  @inline(__always)
  fileprivate var isNumber: Bool { if case .number = kind { true } else { false } }

  @inline(__always)
  fileprivate var isString: Bool { if case .string = kind { true } else { false } }
}
