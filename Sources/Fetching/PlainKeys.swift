// The keys of the commonest forms of dates, numbers and text, made without a single branch that depends on the data.
// Everything else is not judged here: it is left to `SortKeyEncoder.prefix`, the obvious twin.
//
// The trick: in a file that mixes forms no branch can be foreseen, and a wrong guess costs more than all the arithmetic
// of a key. So each value is treated as if it had the common form, and one bit tells afterwards whether it had.

import Reading

/// What comes of treating a value as one of a common form.
///
/// Verdicts are words that are zero where nothing is wrong, as these can be joined by `|`. What the compiler is given as
/// comparisons joined by `&&`, or even by `&` of their outcomes, it makes branches of.
struct PlainKey {
  /// The first eight bytes of the ascending key; anything where it is wrong.
  var bits: UInt64
  /// Zero where the value has the form, or at least begins so.
  var wrong: UInt64
  /// Zero where it has the form to its end, if nothing is wrong.
  var unfinished: UInt64 = 0
  /// How many of the eight bytes are the key's, from the first.
  var byteCount: UInt64 = 8
  /// Whether there are no more.
  var isExact = true
}

/// A common form.
protocol PlainForm {
  /// What its values are counted as.
  var kind: ValueKind { get }
  /// Whether strings may have it.
  var readsStrings: Bool { get }

  /// Treats a value as one of the form.
  ///
  /// - Parameters:
  ///   - start: where the value begins; there are `SortKeyBlock.reach` bytes from here on, whatever they are.
  ///   - count: bytes of the value.
  func key(_ bytes: Span<UInt8>, at start: Int, count: Int) -> PlainKey
}

extension FieldKind {
  // Every case is named, so that this is a bit of a constant and no branch.

  /// Whether the range is the text, if the field is not null.
  @inline(__always)
  var isPlainText: Bool {
    switch self {
    case .bare, .quoted, .number, .string: true
    case .missing, .quotedEscaped, .null, .false, .true, .stringEscaped, .array, .object: false
    }
  }

  /// The same without strings.
  @inline(__always)
  var isPlainCell: Bool {
    switch self {
    case .bare, .quoted, .number: true
    case .missing, .quotedEscaped, .null, .false, .true, .string, .stringEscaped, .array, .object: false
    }
  }
}

/// 1 for zero, 0 for everything else.
@inline(__always)
func zeroFlag(_ word: UInt64) -> UInt64 { word == 0 ? 1 : 0 }

/// All bits for 1, none for 0.
@inline(__always)
func mask(_ flag: UInt64) -> UInt64 { 0 &- flag }

/// 1 where a number is below zero.
@inline(__always)
func signFlag(_ number: Int) -> UInt64 { UInt64(truncatingIfNeeded: number) >> 63 }

/// The top bit of each byte of decimal digits' values (that is, after XOR with `0`) that is none.
@inline(__always)
private func nonDigits(_ word: UInt64) -> UInt64 { (word &+ 0x7676_7676_7676_7676 | word) & 0x8080_8080_8080_8080 }

/// Numbers of up to eight digits with at most a minus before and a point among them.
struct PlainNumbers: PlainForm {
  let readsStrings: Bool

  @inline(__always) var kind: ValueKind { .number }

  @inline(__always)
  func key(_ bytes: Span<UInt8>, at start: Int, count: Int) -> PlainKey {
    let isNegative = zeroFlag(KeyBytes.knownWord(bytes, start) & 0xFF ^ UInt64(UInt8(ascii: "-")))
    let start = start &+ Int(truncatingIfNeeded: isNegative)
    let count = count &- Int(truncatingIfNeeded: isNegative)
    let text = KeyBytes.knownWord(bytes, start) ^ 0x3030_3030_3030_3030
    // Without the first byte, with a ninth.
    let next = KeyBytes.knownWord(bytes, start &+ 1) ^ 0x3030_3030_3030_3030
    // The first byte that is a point: the lowest set bit is always that of a true one. Eight where there is none.
    let points = text ^ 0x1E1E_1E1E_1E1E_1E1E
    let found = (points &- 0x0101_0101_0101_0101) & ~points & 0x8080_8080_8080_8080
    let pointAt = found.trailingZeroBitCount >> 3
    let hasPoint = signFlag(pointAt &- count) & (1 ^ UInt64(truncatingIfNeeded: pointAt >> 3))
    // What follows the point moves up to where it was.
    let below = (1 &<< UInt64(truncatingIfNeeded: pointAt &* 8) &- 1) | ~mask(hasPoint)
    let digitCount = count &- Int(truncatingIfNeeded: hasPoint)
    let kept = UInt64.max &>> UInt64(truncatingIfNeeded: 64 &- 8 &* digitCount)
    let digits = (text & below | next & ~below) & kept
    let wholeCount = digitCount &+ (pointAt &- digitCount) & Int(truncatingIfNeeded: mask(hasPoint))
    // Below zero where one of them is: there are one to eight digits, and some before a point and after it.
    let counts =
      (digitCount &- 1) | (8 &- digitCount) | (wholeCount &- 1)
      | (digitCount &- wholeCount &- Int(truncatingIfNeeded: hasPoint))
    let zeroCount = digits.trailingZeroBitCount >> 3
    let lead = Self.value(digits &>> UInt64(truncatingIfNeeded: zeroCount &* 8)) &* 10_000_000
    let exponent = UInt64(truncatingIfNeeded: wholeCount &- zeroCount &+ 256)
    // Zero has no exponent and no sign.
    let isZero = zeroFlag(digits)
    let magnitude = (exponent << 51 | lead << 1) & ~mask(isZero)
    let rank = UInt64(ValueKind.number.rawValue) << 61
    let sign: UInt64 = 1 << 60
    let complement = mask(isNegative & ~isZero) & (sign << 1 &- 1)
    return PlainKey(
      bits: (rank | sign | magnitude) ^ complement,
      wrong: nonDigits(digits) | signFlag(counts))
  }

  /// The number that eight digits are, the first in the lowest byte: pairs, then fours, then all.
  @inline(__always)
  private static func value(_ digits: UInt64) -> UInt64 {
    let pairs = digits &* 10 &+ digits >> 8
    let first = (pairs & 0xFF_0000_00FF) &* (100 &+ 1_000_000 << 32)
    let second = (pairs >> 16 & 0xFF_0000_00FF) &* (1 &+ 10_000 << 32)
    return (first &+ second) >> 32
  }
}

/// Text without zero bytes in its first seven; where case is folded, of ASCII there.
struct PlainTexts: PlainForm {
  let foldsCase: Bool
  /// Whether all text is text; else what may be a number or a date is none.
  let takesAll: Bool

  @inline(__always) var kind: ValueKind { .text }
  @inline(__always) var readsStrings: Bool { true }

  @inline(__always)
  func key(_ bytes: Span<UInt8>, at start: Int, count: Int) -> PlainKey {
    let text = KeyBytes.knownWord(bytes, start)
    let length = UInt64(truncatingIfNeeded: min(count, 7))
    let taken = 1 &<< (length &* 8) &- 1
    var word = text & taken
    // The lowest set bit of this test is always that of a true zero byte.
    let zeros = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 & taken
    // An empty cell may be null.
    var wrong = zeros | signFlag(count &- 1)
    if foldsCase {
      wrong |= word & 0x8080_8080_8080_8080
      let capitals = (word &+ 0x3F3F_3F3F_3F3F_3F3F) & ~(word &+ 0x2525_2525_2525_2525) & 0x8080_8080_8080_8080
      word |= capitals >> 2
    }
    if !takesAll {
      // Both begin with one of `+-.` and the digits; neither difference is below zero then.
      let first = Int(truncatingIfNeeded: text & 0xFF)
      wrong |= 1 ^ signFlag((first &- 0x2B) | (0x39 &- first))
    }
    return PlainKey(
      bits: UInt64(KeyBytes.textRank) << 56 | word.byteSwapped >> 8, wrong: wrong,
      byteCount: UInt64(truncatingIfNeeded: min(8, count &+ 3)), isExact: count <= 5)
  }
}
