// Times written otherwise than `Instant` reads them: day and month first with slashes, dashes or points, and seconds or
// milliseconds from 1970. Only sort keys that ask for it read these.

import Reading

extension Instant {
  /// Reads `D/M/YYYY`, or `M/D/YYYY`, with `/`, `-` or `.` between, one or two digits for day and month, and the time
  /// and offset after `T` or a blank as in dates.
  ///
  /// - Returns: nil where the text is anything else or there is no such day.
  init?(_ text: Span<UInt8>, dayFirst: Bool) {
    var index = 0
    guard let first = Self.number(text, &index, digits: 1...2), index < text.count else { return nil }
    let separator = text[index]
    guard separator == UInt8(ascii: "/") || separator == UInt8(ascii: "-") || separator == UInt8(ascii: ".") else {
      return nil
    }
    index &+= 1
    guard let second = Self.number(text, &index, digits: 1...2), index < text.count, text[index] == separator else {
      return nil
    }
    index &+= 1
    guard let year = Self.number(text, &index, digits: 4...4),
      let date = CivilDate(year: year, month: dayFirst ? second : first, day: dayFirst ? first : second)
    else { return nil }
    let midnight = date.daysSince1970 &* 86_400
    guard index < text.count else {
      self.init(seconds: midnight)
      return
    }
    guard text[index] == UInt8(ascii: "T") || text[index] == UInt8(ascii: " "),
      let time = ClockTime(text, index &+ 1)
    else { return nil }
    self.init(midnight: midnight, time)
  }

  /// Reads digits and steps over them; nil where there are too few or too many.
  private static func number(_ text: Span<UInt8>, _ index: inout Int, digits: ClosedRange<Int>) -> Int? {
    let start = index
    var number = 0
    while index < text.count && index &- start <= digits.upperBound {
      let digit = text[index] &- 0x30
      guard digit <= 9 else { break }
      number = number &* 10 &+ Int(digit)
      index &+= 1
    }
    return digits.contains(index &- start) ? number : nil
  }

  /// From this size on, a number is milliseconds: in seconds it would be the year 5138.
  private static let leastMilliseconds = 100_000_000_000

  /// Appends the encoding of a text that is a number of seconds or milliseconds from 1970.
  ///
  /// - Returns: false, and nothing appended, where it is no number or beyond the years 0 to 9999.
  static func appendEpoch(_ text: Span<UInt8>, to out: inout [UInt8]) -> Bool {
    guard let number = DecimalText(text), var (whole, fraction) = number.split(text) else { return false }
    if whole >= leastMilliseconds {
      let rest = whole % 1000
      whole /= 1000
      fraction.insert(contentsOf: [UInt8(rest / 100), UInt8(rest / 10 % 10), UInt8(rest % 10)], at: 0)
    }
    while fraction.last == 0 { fraction.removeLast() }
    if number.isNegative {
      whole = 0 &- whole
      if let last = fraction.indices.last {
        // Rounded down, what is left over is one less the fraction: nines' complement, and ten's for the last digit,
        // which is not zero.
        whole &-= 1
        for index in fraction.indices { fraction[index] = (index == last ? 10 : 9) &- fraction[index] }
      }
    }
    var microseconds = 0
    for index in 0..<6 { microseconds = microseconds &* 10 &+ (index < fraction.count ? Int(fraction[index]) : 0) }
    let instant = Instant(seconds: whole, microseconds: microseconds)
    guard instant.isInRange else { return false }
    instant.append(finer: fraction.dropFirst(6), to: &out)
    return true
  }
}
