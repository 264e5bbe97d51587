// Numbers of up to fifteen digits without an exponent, which nearly all numbers in data are, as a whole number and a
// count of digits after the point. Comparing two of them takes one multiplication. Whatever is longer or looks
// different is left to `DecimalText`, which also says whether it is a number at all.

struct ShortDecimal: Sendable {
  /// The digits, with the sign.
  var digits: Int
  /// How many of them stand after the point.
  var fraction: Int

  /// More than any number takes part with.
  static let none = ShortDecimal(digits: 0, fraction: Int.max / 2)

  @inline(__always)
  init(digits: Int, fraction: Int) {
    self.digits = digits
    self.fraction = fraction
  }

  /// - Returns: nil where the text is another kind of number or none.
  @inline(__always)
  init?(_ text: Span<UInt8>) {
    let count = text.count
    // A sign, fifteen digits and a point.
    guard count > 0 && count <= 17 else { return nil }
    var index = 0
    let isNegative = text[0] == UInt8(ascii: "-")
    if isNegative { index = 1 }
    let start = index
    var value = 0
    while index < count {
      let digit = text[index] &- 0x30
      guard digit <= 9 else { break }
      value = value &* 10 &+ Int(digit)
      index &+= 1
    }
    // JSON wants a digit on each side of the point.
    guard index > start else { return nil }
    var fraction = 0
    if index < count {
      guard text[index] == UInt8(ascii: "."), index &+ 1 < count else { return nil }
      index &+= 1
      fraction = count &- index
      while index < count {
        let digit = text[index] &- 0x30
        guard digit <= 9 else { return nil }
        value = value &* 10 &+ Int(digit)
        index &+= 1
      }
    }
    guard count &- start &- (fraction > 0 ? 1 : 0) <= 15 else { return nil }
    self.init(digits: isNegative ? 0 &- value : value, fraction: fraction)
  }

  /// Below zero, zero or above zero, or nil where the points are too far apart to tell in a word.
  @inline(__always)
  func order(_ other: ShortDecimal) -> Int? {
    let apart = other.fraction &- fraction
    let left: Int
    let right: Int
    switch apart {
    case 0: (left, right) = (digits, other.digits)
    case 1: (left, right) = (digits &* 10, other.digits)
    case 2: (left, right) = (digits &* 100, other.digits)
    case 3: (left, right) = (digits &* 1000, other.digits)
    case -1: (left, right) = (digits, other.digits &* 10)
    case -2: (left, right) = (digits, other.digits &* 100)
    case -3: (left, right) = (digits, other.digits &* 1000)
    default: return nil
    }
    return left < right ? -1 : left == right ? 0 : 1
  }
}
