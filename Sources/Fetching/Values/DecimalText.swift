// Numbers as they are written, compared exactly. A number is never made a Double: it is its first fifteen digits, a
// decimal exponent, and where the text has more, a note of where.
//
// The encoding, from the top bit: rank 3, sign 1 (set for zero and above), exponent 9, fifteen digits 50, continuation 1.
// Below zero everything after the sign is complemented. The value is 0.d1d2d3… times ten to the exponent. Exponent
// fields: 0 is zero itself; 1 and 511 are exponents too small and too large for the field, which then follow, with all
// digits, in the continuation; else the exponent + 256.

/// A number read from its text.
package struct DecimalText: Sendable {
  package let isNegative: Bool
  /// The first fifteen digits that count, filled up with zeros; 0 for zero.
  private let lead: UInt64
  /// The place of the point before the first of them, by the digits alone and by the written exponent.
  private let place: Int
  private let writtenExponent: Int
  /// Where the digits after the first fifteen stand, up to the last that is not zero; a point may be among them.
  private let rest: Range<Int>
  /// The digits of a written exponent that is too long for an Int.
  private let longExponent: Range<Int>
  private let exponentIsNegative: Bool

  private static let exponents = -254...254
  private static let leadCount = 15

  /// Reads a number: JSON's grammar, also with leading zeros, a leading `+` or without digits before the point.
  ///
  /// - Returns: nil where the text is anything else, be it just a blank more.
  /// - Complexity: linear in the text; no allocation.
  package init?(_ text: Span<UInt8>) {
    let count = text.count
    guard count > 0 else { return nil }
    var index = 0
    isNegative = text[0] == UInt8(ascii: "-")
    if isNegative || text[0] == UInt8(ascii: "+") { index = 1 }
    var lead: UInt64 = 0
    var leadCount = 0
    var place = 0
    var restStart = 0
    var restEnd = 0

    let wholeStart = index
    while index < count {
      let digit = text[index] &- 0x30
      guard digit <= 9 else { break }
      if leadCount < Self.leadCount {
        lead = lead &* 10 &+ UInt64(digit)
        if lead != 0 {
          leadCount &+= 1
          place &+= 1
        }
      } else {
        place &+= 1
        if restStart == 0 { restStart = index }
        if digit != 0 { restEnd = index &+ 1 }
      }
      index &+= 1
    }
    let hasWhole = index > wholeStart
    if index < count && text[index] == UInt8(ascii: ".") {
      index &+= 1
      let fractionStart = index
      while index < count {
        let digit = text[index] &- 0x30
        guard digit <= 9 else { break }
        if leadCount < Self.leadCount {
          lead = lead &* 10 &+ UInt64(digit)
          if lead != 0 { leadCount &+= 1 } else { place &-= 1 }
        } else {
          if restStart == 0 { restStart = index }
          if digit != 0 { restEnd = index &+ 1 }
        }
        index &+= 1
      }
      guard index > fractionStart else { return nil }
    } else if !hasWhole {
      return nil
    }

    var exponent = 0
    var longExponent = 0..<0
    var exponentIsNegative = false
    if index < count {
      guard text[index] | 0x20 == UInt8(ascii: "e") else { return nil }
      index &+= 1
      if index < count && (text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "+")) {
        exponentIsNegative = text[index] == UInt8(ascii: "-")
        index &+= 1
      }
      let digitsStart = index
      var first = index
      while index < count {
        let digit = text[index] &- 0x30
        guard digit <= 9 else { return nil }
        if exponent == 0 { first = index }
        if index &- first < 17 { exponent = exponent &* 10 &+ Int(digit) }
        index &+= 1
      }
      guard index > digitsStart else { return nil }
      if exponent != 0 && index &- first > 17 { longExponent = first..<index }
      if exponentIsNegative { exponent = 0 &- exponent }
    }
    self.lead = lead &* Self.powerOfTen(Self.leadCount &- leadCount)
    self.place = place
    writtenExponent = exponent
    rest = restStart..<max(restStart, restEnd)
    self.longExponent = longExponent
    self.exponentIsNegative = exponentIsNegative
  }

  package var isZero: Bool { lead == 0 }

  /// The first eight bytes of the encoding; exact where that is all of it.
  package var prefix: KeyPrefix {
    let rank = UInt64(ValueKind.number.rawValue) << 61
    let sign: UInt64 = 1 << 60
    guard lead != 0 else { return KeyPrefix(bits: rank | sign, isExact: true) }
    var magnitude: UInt64
    var isExact = false
    let exponent = place &+ writtenExponent
    if !longExponent.isEmpty || !Self.exponents.contains(exponent) {
      magnitude = (isBeyondRange(exponent) ? 511 : 1) << 51 | 1
    } else {
      isExact = rest.isEmpty
      magnitude = UInt64(truncatingIfNeeded: exponent &+ 256) << 51 | lead << 1 | (isExact ? 0 : 1)
    }
    if isNegative {
      magnitude ^= sign &- 1
    } else {
      magnitude |= sign
    }
    return KeyPrefix(bits: rank | magnitude, isExact: isExact)
  }

  /// The first eight bytes of the encoding of a text, or nil where it is no number.
  @inline(__always)
  package static func prefix(_ text: Span<UInt8>) -> KeyPrefix? {
    let bits = plainBits(text)
    return bits != 0 ? KeyPrefix(bits: bits, isExact: true) : DecimalText(text)?.prefix
  }

  /// The prefix of a text of up to sixteen bytes that is digits with at most a minus sign before and a point among
  /// them, which most numbers are; 0 where it has to be read with all care.
  private static func plainBits(_ text: Span<UInt8>) -> UInt64 {
    let count = text.count
    guard count > 0 && count <= 16 else { return 0 }
    let isNegative = text[0] == UInt8(ascii: "-")
    var index = isNegative ? 1 : 0
    var lead: UInt64 = 0
    var point = -1
    let first = index
    while index < count {
      let digit = text[index] &- 0x30
      if digit <= 9 {
        lead = lead &* 10 &+ UInt64(digit)
      } else {
        guard text[index] == UInt8(ascii: "."), point < 0, index > first else { return 0 }
        point = index
      }
      index &+= 1
    }
    guard index > first, point != count &- 1, lead != 0, lead < 1_000_000_000_000_000 else { return 0 }
    var place = leadCount &- (point < 0 ? 0 : count &- 1 &- point)
    // Eight, four, two digits and one at a time up to fifteen.
    if lead < 10_000_000 {
      lead = lead &* 100_000_000
      place &-= 8
    }
    if lead < 100_000_000_000 {
      lead = lead &* 10_000
      place &-= 4
    }
    if lead < 10_000_000_000_000 {
      lead = lead &* 100
      place &-= 2
    }
    if lead < 100_000_000_000_000 {
      lead = lead &* 10
      place &-= 1
    }
    let rank = UInt64(ValueKind.number.rawValue) << 61
    let magnitude = UInt64(truncatingIfNeeded: place &+ 256) << 51 | lead << 1
    return isNegative ? rank | (magnitude ^ (1 << 60 &- 1)) : rank | 1 << 60 | magnitude
  }

  /// Appends the encoding of a text that is a number.
  ///
  /// - Returns: false, and nothing appended, where the text is no number.
  @discardableResult
  package static func append(_ text: Span<UInt8>, to out: inout [UInt8]) -> Bool {
    guard let number = DecimalText(text) else { return false }
    number.append(from: text, to: &out)
    return true
  }

  /// Appends the encoding.
  ///
  /// - Parameter text: the text that the number was read from.
  package func append(from text: Span<UInt8>, to out: inout [UInt8]) {
    let prefix = prefix
    KeyBytes.append(prefix.bits, to: &out)
    if prefix.isExact { return }
    let start = out.count
    var pairs = DigitPairs()
    let exponent = place &+ writtenExponent
    if !longExponent.isEmpty || !Self.exponents.contains(exponent) {
      appendExponent(from: text, to: &out)
      if !isBeyondRange(exponent) { KeyBytes.complement(&out, from: start) }
      var digits: [UInt8] = []
      var remaining = lead
      if rest.isEmpty {
        while remaining % 10 == 0 { remaining /= 10 }
      }
      while remaining > 0 {
        digits.append(UInt8(truncatingIfNeeded: remaining % 10))
        remaining /= 10
      }
      for digit in digits.reversed() { pairs.append(digit, to: &out) }
    }
    for index in rest where text[index] != UInt8(ascii: ".") { pairs.append(text[index] &- 0x30, to: &out) }
    pairs.close(&out)
    if isNegative { KeyBytes.complement(&out, from: start) }
  }

  /// Whether an exponent that does not fit the field is too large rather than too small.
  private func isBeyondRange(_ exponent: Int) -> Bool {
    longExponent.isEmpty ? exponent > 0 : !exponentIsNegative
  }

  /// Appends the size of the exponent: the number of its digits in eight bytes, then the digits.
  private func appendExponent(from text: Span<UInt8>, to out: inout [UInt8]) {
    var digits: [UInt8]
    if longExponent.isEmpty {
      digits = Array(String((place &+ writtenExponent).magnitude).utf8)
    } else {
      // The place is at most the length of the text, so the sum keeps the sign of the long exponent; it is added as
      // one would on paper, from the last digit on.
      digits = []
      for index in longExponent { digits.append(text[index]) }
      var carry = exponentIsNegative ? 0 &- place : place
      var index = digits.count &- 1
      while carry != 0 && index >= 0 {
        let sum = Int(digits[index] &- 0x30) &+ carry
        let digit = ((sum % 10) &+ 10) % 10
        digits[index] = UInt8(truncatingIfNeeded: digit) &+ 0x30
        carry = (sum &- digit) / 10
        index &-= 1
      }
      if carry > 0 { digits.insert(contentsOf: Array(String(carry).utf8), at: 0) }
      digits = Array(digits.drop { $0 == 0x30 })
    }
    KeyBytes.append(UInt64(digits.count), to: &out)
    out.append(contentsOf: digits)
  }

  private static func powerOfTen(_ exponent: Int) -> UInt64 {
    var power: UInt64 = 1
    if exponent & 8 != 0 { power = 100_000_000 }
    if exponent & 4 != 0 { power = power &* 10_000 }
    if exponent & 2 != 0 { power = power &* 100 }
    if exponent & 1 != 0 { power = power &* 10 }
    return power
  }
}

extension DecimalText {
  /// The size of the number split at the point, for reading it as a time; the sign is left to the caller.
  ///
  /// - Returns: the whole part and the digits after the point without zeros at their end, or nil where the whole part
  ///   has more than fifteen digits or the fraction begins with hundreds of zeros.
  func split(_ text: Span<UInt8>) -> (whole: Int, fraction: [UInt8])? {
    if isZero { return (0, []) }
    let point = place &+ writtenExponent
    guard longExponent.isEmpty, point <= Self.leadCount, point >= Self.exponents.lowerBound else { return nil }
    var fraction: [UInt8] = []
    if point < 0 { fraction = [UInt8](repeating: 0, count: 0 &- point) }
    var whole = 0
    var index = 0
    var scale = Self.powerOfTen(Self.leadCount &- 1)
    while index < Self.leadCount {
      let digit = UInt8(truncatingIfNeeded: lead / scale % 10)
      if index < point {
        whole = whole &* 10 &+ Int(digit)
      } else if lead % (scale &* 10) != 0 || !rest.isEmpty {
        fraction.append(digit)
      }
      scale = max(1, scale / 10)
      index &+= 1
    }
    for index in rest where text[index] != UInt8(ascii: ".") { fraction.append(text[index] &- 0x30) }
    return (whole, fraction)
  }
}
