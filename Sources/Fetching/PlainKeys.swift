// The keys of the commonest forms of dates, numbers and text, made without a single branch that depends on the data.
// Everything else is not judged here: it is left to `SortKeyEncoder.prefix`, the obvious twin.
//
// The trick: in a file that mixes forms no branch can be foreseen, and a wrong guess costs more than all the arithmetic
// of a key. So each value is treated as if it had the common form, and one bit tells afterwards whether it had.

import Reading

/// What comes of treating a value as one of a common form.
struct PlainKey {
  /// The first eight bytes of the ascending key, where `isWhole` or `isBegun`; else anything.
  var bits: UInt64
  /// 1 where that is the key, 0 where the value has to be looked at.
  var isWhole: UInt64
  /// 1 where the value at least begins as the form does.
  var isBegun: UInt64
  /// How many of the eight bytes are the key's, from the first.
  var byteCount: UInt64 = 8
  /// Whether there are no more.
  var isExact = true
}

/// A common form.
protocol PlainForm {
  /// What its values are counted as.
  var kind: ValueKind { get }

  /// Treats a value as one of the form.
  ///
  /// - Parameters:
  ///   - start: where the value begins; there are `SortKeyBlock.reach` bytes from here on, whatever they are.
  ///   - count: bytes of the value.
  ///   - traits: what its kind of field allows.
  func key(_ bytes: Span<UInt8>, at start: Int, count: Int, traits: FieldTraits) -> PlainKey
}

/// What a kind of field allows, as bits, so that asking takes no branch.
struct FieldTraits {
  /// Bit 0: the range is the text. Bit 1: null whatever the range. Bit 2: missing. Bit 3: null where empty. Bit 4: a string.
  private let bits: UInt64

  @inline(__always)
  init(_ kind: FieldKind) {
    switch kind {
    case .missing: bits = 0b00110
    case .null: bits = 0b00010
    case .bare: bits = 0b01001
    case .quoted, .number: bits = 0b00001
    case .string: bits = 0b10001
    default: bits = 0
    }
  }

  @inline(__always) var isText: UInt64 { bits & 1 }
  @inline(__always) var isMissing: UInt64 { bits >> 2 & 1 }
  @inline(__always) var isString: UInt64 { bits >> 4 & 1 }
  @inline(__always) func isNull(count: Int) -> UInt64 { (bits >> 1 | bits >> 3 & flag(count == 0)) & 1 }
}

/// 1 for true, as arithmetic: `&&` would be a branch.
@inline(__always)
func flag(_ condition: Bool) -> UInt64 { condition ? 1 : 0 }

/// All bits for 1, none for 0.
@inline(__always)
func mask(_ flag: UInt64) -> UInt64 { 0 &- flag }

/// The top bit of each byte of decimal digits' values (that is, after XOR with `0`) that is none.
@inline(__always)
private func nonDigits(_ word: UInt64) -> UInt64 { (word &+ 0x7676_7676_7676_7676 | word) & 0x8080_8080_8080_8080 }

/// `YYYY-MM-DDThh:mm:ss` with `Z` or without, or with a blank instead of the `T`. February 29 is none of them.
///
/// What begins as one may go on with a fraction or an offset; its bits are then those of the part before.
struct PlainDates: PlainForm {
  /// `00T00:00` and `:00Z`, as `CivilDate.separators`.
  private static let middle: UInt64 = 0x3030_3A30_3054_3030
  private static let end: UInt64 = 0x5A30_303A
  /// Days beyond 28 of each month, two bits a month, those of January from bit 2 on.
  private static let daysBeyond28 = 0x3BB_EECC

  @inline(__always) var kind: ValueKind { .date }

  @inline(__always)
  func key(_ bytes: Span<UInt8>, at start: Int, count: Int, traits: FieldTraits) -> PlainKey {
    let date = KeyBytes.word(bytes, start) ^ CivilDate.separators
    let middle = KeyBytes.word(bytes, start &+ 8) ^ Self.middle
    let end = KeyBytes.word(bytes, start &+ 12) >> 32 ^ Self.end
    let gap = middle >> 16 & 0xFF
    let time = middle & ~0xFF_0000
    let last = end & 0xFF_FFFF
    let nonDigits =
      ((date &+ CivilDate.digitLimits | date) | (time &+ ClockTime.digitLimits | time) | (last &+ 0x76_767F | last))
      & 0x8080_8080_8080_8080
    @inline(__always) func pair(_ digits: UInt64, _ place: UInt64) -> Int {
      Int(truncatingIfNeeded: (digits &* 10 &+ digits >> 8) >> (place &* 8) & 0xFF)
    }
    let year = pair(date, 0) &* 100 &+ pair(date, 2)
    let month = pair(date, 5)
    let day = pair(middle, 0)
    let hour = pair(time, 3)
    let minute = pair(time, 6)
    let second = pair(last, 1)
    let dayLimit = 28 &+ (Self.daysBeyond28 &>> (2 &* month)) & 3
    // Negative where one of them is.
    let ranges =
      (23 &- hour) | (59 &- minute) | (60 &- second) | (month &- 1) | (12 &- month) | (day &- 1) | (dayLimit &- day)
    let isBegun =
      traits.isText & flag(count >= 19) & flag(nonDigits == 0) & flag(ranges >= 0)
      & (flag(gap == 0) | flag(gap == UInt64(UInt8(ascii: "T") ^ UInt8(ascii: " "))))
    let seconds =
      CivilDate.daysSince1970(year: year, month: month, day: day) &* 86_400 &+ hour &* 3600 &+ minute &* 60 &+ second
    return PlainKey(
      bits: Instant.bits(seconds: seconds),
      isWhole: isBegun & (flag(count == 19) | flag(count == 20) & flag(end >> 24 == 0)), isBegun: isBegun)
  }
}

/// Numbers of up to eight digits with at most a minus before and a point among them.
struct PlainNumbers: PlainForm {
  /// Whether strings may be numbers.
  let readsStrings: Bool

  @inline(__always) var kind: ValueKind { .number }

  @inline(__always)
  func key(_ bytes: Span<UInt8>, at start: Int, count: Int, traits: FieldTraits) -> PlainKey {
    let isNegative = flag(bytes[start] == UInt8(ascii: "-"))
    let start = start &+ Int(truncatingIfNeeded: isNegative)
    let count = count &- Int(truncatingIfNeeded: isNegative)
    let text = KeyBytes.word(bytes, start) ^ 0x3030_3030_3030_3030
    let ninth = UInt64(bytes[start &+ 8] ^ 0x30)
    // The first byte that is a point: the lowest set bit is always that of a true one. Eight where there is none.
    let points = text ^ 0x1E1E_1E1E_1E1E_1E1E
    let found = (points &- 0x0101_0101_0101_0101) & ~points & 0x8080_8080_8080_8080
    let pointAt = min(found.trailingZeroBitCount >> 3, 8)
    let hasPoint = flag(pointAt < count) & flag(pointAt < 8)
    let below = UInt64(1) << UInt64(pointAt &* 8) &- 1
    let closed = text & below | (text >> 8 | ninth << 56) & ~below
    let digitCount = count &- Int(truncatingIfNeeded: hasPoint)
    // Shifts by 64 give zero.
    let kept = UInt64(1) << UInt64(truncatingIfNeeded: max(0, digitCount) &* 8) &- 1
    let digits = (text & ~mask(hasPoint) | closed & mask(hasPoint)) & kept
    let wholeCount = hasPoint == 1 ? pointAt : digitCount
    let isWhole =
      traits.isText & (1 ^ (traits.isString & flag(!readsStrings))) & flag(digitCount >= 1) & flag(digitCount <= 8)
      & flag(nonDigits(digits) == 0) & flag(wholeCount >= 1) & (1 ^ (hasPoint & flag(pointAt == count &- 1)))
    let zeroCount = digits.trailingZeroBitCount >> 3
    let lead = Self.value(digits >> UInt64(zeroCount &* 8)) &* 10_000_000
    let rank = UInt64(ValueKind.number.rawValue) << 61
    let sign: UInt64 = 1 << 60
    let exponent = UInt64(truncatingIfNeeded: wholeCount &- zeroCount &+ 256)
    // Zero has no exponent and no sign.
    let isZero = flag(digits == 0)
    let magnitude = (exponent << 51 | lead << 1) & ~mask(isZero)
    let isBelowZero = isNegative & (1 ^ isZero)
    return PlainKey(
      bits: rank | (magnitude | sign) ^ (mask(isBelowZero) & (sign << 1 &- 1)), isWhole: isWhole, isBegun: isWhole)
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

  @inline(__always)
  func key(_ bytes: Span<UInt8>, at start: Int, count: Int, traits: FieldTraits) -> PlainKey {
    let text = KeyBytes.word(bytes, start)
    let length = UInt64(min(count, 7))
    let taken = UInt64(1) << (length &* 8) &- 1
    var word = text & taken
    // The lowest set bit of this test is always that of a true zero byte.
    let zeros = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 & taken
    var isWhole = traits.isText & flag(zeros == 0)
    if foldsCase {
      let capitals = (word &+ 0x3F3F_3F3F_3F3F_3F3F) & ~(word &+ 0x2525_2525_2525_2525) & 0x8080_8080_8080_8080
      isWhole &= flag(word & 0x8080_8080_8080_8080 == 0)
      word |= capitals >> 2
    }
    if !takesAll {
      // Both begin with one of `+-.` and the digits.
      let first = text & 0xFF
      isWhole &= flag(count == 0) | flag(first &- 0x2B > 0x39 &- 0x2B)
    }
    return PlainKey(
      bits: UInt64(KeyBytes.textRank) << 56 | word.byteSwapped >> 8, isWhole: isWhole, isBegun: isWhole,
      byteCount: min(8, UInt64(truncatingIfNeeded: count) &+ 3), isExact: count <= 5)
  }
}
