// Points in time, read from the ISO 8601 forms that the program knows as dates, and nothing else:
// `YYYY-MM-DD`, or that with `T` or a blank, `hh:mm`, `:ss`, a fraction of any length, and `Z`, `+hh:mm`, `+hhmm` or
// `+hh`. A day that does not exist makes the text no date. Second 60 is the next minute's second 0.
//
// The encoding, from the top bit: rank 3, seconds 39 (from a little before year 0), microseconds 20, continuation 1, one
// bit unused. Digits of a finer fraction follow in the continuation.
//
// The trick: date and time stand at fixed places, so eight bytes at a time are XORed with `0000-00-` or `00:00:00`, which
// leaves digits as values and separators as zero, and checked with one addition.

import Reading

/// A point in time.
package struct Instant: Sendable {
  /// Seconds from 1970-01-01T00:00:00Z, rounded down.
  package var seconds: Int
  /// Microseconds after them, 0 to 999,999.
  package var microseconds: Int
  /// Where digits finer than microseconds stand in the text it was read from, up to the last that is not zero.
  private var finer: Range<Int> = 0..<0

  /// Seconds of the earliest instant that can be encoded: year 0 of proleptic Gregorian, less a day for offsets.
  private static let earliest = -62_167_219_200 - 86_400
  /// Year 10000, and a day for offsets.
  private static let latest = 253_402_300_800 + 86_400

  package init(seconds: Int, microseconds: Int = 0) {
    self.seconds = seconds
    self.microseconds = microseconds
  }

  /// Reads a date.
  ///
  /// - Returns: nil where the text is no date.
  /// - Complexity: constant but for a long fraction; no allocation.
  package init?(_ text: Span<UInt8>) {
    guard let date = CivilDate(text) else { return nil }
    let midnight = date.daysSince1970 &* 86_400
    if text.count == 10 {
      self.init(seconds: midnight)
      return
    }
    let separator = text[10]
    guard separator == UInt8(ascii: "T") || separator == UInt8(ascii: " "),
      let time = ClockTime(text, 11)
    else { return nil }
    self.init(midnight: midnight, time)
  }

  /// - Parameter time: the time of that day, read from the text that the instant will be encoded from.
  init(midnight: Int, _ time: ClockTime) {
    seconds = midnight &+ time.seconds
    microseconds = time.microseconds
    finer = time.finer
  }

  /// Whether it lies within the years that can be compared, 0000 to 9999.
  var isInRange: Bool { seconds >= Self.earliest && seconds <= Self.latest }

  /// The first eight bytes of the encoding; exact where that is all of it.
  package var prefix: KeyPrefix {
    let biased = UInt64(truncatingIfNeeded: max(Self.earliest, min(Self.latest, seconds)) &- Self.earliest)
    let isExact = finer.isEmpty
    let bits =
      UInt64(ValueKind.date.rawValue) << 61 | biased << 22
      | UInt64(truncatingIfNeeded: microseconds) << 2 | (isExact ? 0 : 2)
    return KeyPrefix(bits: bits, isExact: isExact)
  }

  /// The first eight bytes of the encoding of a text, or nil where it is no date.
  package static func prefix(_ text: Span<UInt8>) -> KeyPrefix? { Instant(text)?.prefix }

  /// The first eight bytes of the encoding of a text that has the commonest form, `YYYY-MM-DDThh:mm:ssZ` or that without the `Z`, which
  /// are then all of it; 0 where it has another, date or not.
  ///
  /// It is what `init` does, for one form, in the caller's own code, for keys that are made one by one: those of several keys together.
  @inline(__always)
  static func plainBits(_ text: Span<UInt8>) -> UInt64 {
    guard text.count == 20 || text.count == 19 else { return 0 }
    let date = KeyBytes.word(text, 0) ^ CivilDate.separators
    let time = KeyBytes.word(text, 11) ^ ClockTime.separators
    let nonDigits =
      (date &+ CivilDate.digitLimits | date) | (time &+ ClockTime.digitLimits | time)
    let tens = text[8] &- 0x30
    let ones = text[9] &- 0x30
    guard nonDigits & 0x8080_8080_8080_8080 == 0, tens <= 9 && ones <= 9, text[10] == UInt8(ascii: "T"),
      text.count == 19 || text[19] == UInt8(ascii: "Z")
    else { return 0 }
    let datePairs = date &* 10 &+ date >> 8
    let timePairs = time &* 10 &+ time >> 8
    @inline(__always) func pair(_ pairs: UInt64, _ place: UInt64) -> Int {
      Int(truncatingIfNeeded: pairs >> (place &* 8) & 0xFF)
    }
    let hour = pair(timePairs, 0)
    let minute = pair(timePairs, 3)
    let second = pair(timePairs, 6)
    guard hour < 24 && minute < 60 && second <= 60,
      let day = CivilDate(
        year: pair(datePairs, 0) &* 100 &+ pair(datePairs, 2), month: pair(datePairs, 5),
        day: Int(tens) &* 10 &+ Int(ones))
    else { return 0 }
    let seconds = day.daysSince1970 &* 86_400 &+ hour &* 3600 &+ minute &* 60 &+ second
    return bits(seconds: seconds)
  }

  /// The first eight bytes of the encoding of a whole second that is in range, which are then all of it.
  @inline(__always)
  static func bits(seconds: Int) -> UInt64 {
    // One constant for the rank and the beginning.
    UInt64(truncatingIfNeeded: seconds) << 22 &+ UInt64(ValueKind.date.rawValue) << 61
      &- UInt64(truncatingIfNeeded: earliest) << 22
  }

  /// The first eight bytes of the encoding of a text, or nil where it is no date.
  ///
  /// - Parameter clockBits: `bits(seconds:)` of the text's first nineteen bytes, `YYYY-MM-DDThh:mm:ss`.
  @inline(__always)
  static func prefix(_ text: Span<UInt8>, afterClock clockBits: UInt64) -> KeyPrefix? {
    guard let rest = ClockTime(text, restAt: 19, after: 0) else { return nil }
    let midnight = Int(truncatingIfNeeded: (clockBits << 3) >> 25) &+ earliest
    return Instant(midnight: midnight, rest).prefix
  }

  /// Appends the encoding of a text that is a date.
  ///
  /// - Returns: false, and nothing appended, where the text is no date.
  @discardableResult
  package static func append(_ text: Span<UInt8>, to out: inout [UInt8]) -> Bool {
    guard let instant = Instant(text) else { return false }
    instant.append(from: text, to: &out)
    return true
  }

  /// Appends the encoding of an instant that was made from numbers, not read from a text.
  package func append(to out: inout [UInt8]) {
    KeyBytes.append(Instant(seconds: seconds, microseconds: microseconds).prefix.bits, to: &out)
  }

  /// Appends the encoding.
  ///
  /// - Parameter text: the text that the instant was read from.
  package func append(from text: Span<UInt8>, to out: inout [UInt8]) {
    KeyBytes.append(prefix.bits, to: &out)
    if finer.isEmpty { return }
    var pairs = DigitPairs()
    for index in finer { pairs.append(text[index] &- 0x30, to: &out) }
    pairs.close(&out)
  }

  /// Appends the encoding of an instant with digits finer than microseconds, zeros at their end left out.
  func append(finer digits: ArraySlice<UInt8>, to out: inout [UInt8]) {
    guard !digits.isEmpty else {
      append(to: &out)
      return
    }
    KeyBytes.append(prefix.bits | 2, to: &out)
    var pairs = DigitPairs()
    for digit in digits { pairs.append(digit, to: &out) }
    pairs.close(&out)
  }
}

/// A day of the proleptic Gregorian calendar that exists.
package struct CivilDate: Sendable, Equatable {
  /// `0000-00-`, the first byte in the lowest place. XORed with a date, digits are left as values and separators as zero.
  static let separators: UInt64 = 0x2D30_302D_3030_3030
  /// Added to that, what is no digit or separator reaches the top bit of its byte.
  static let digitLimits: UInt64 = 0x7F76_767F_7676_7676

  package let year: Int
  package let month: Int
  package let day: Int

  /// - Returns: nil where there is no such day.
  @inline(__always)
  package init?(year: Int, month: Int, day: Int) {
    guard month >= 1 && month <= 12 && day >= 1 && year >= 0 && year <= 9999 else { return nil }
    guard day <= 28 || day <= CivilDate.dayCount(year, month) else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Reads the first ten bytes of a text as `YYYY-MM-DD`; what follows is not looked at.
  @inline(__always)
  package init?(_ text: Span<UInt8>) {
    guard text.count >= 10 else { return nil }
    let digits = KeyBytes.word(text, 0) ^ CivilDate.separators
    guard (digits &+ CivilDate.digitLimits | digits) & 0x8080_8080_8080_8080 == 0 else { return nil }
    let tens = text[8] &- 0x30
    let ones = text[9] &- 0x30
    guard tens <= 9 && ones <= 9 else { return nil }
    // Each byte becomes the number of two digits that begins there, at most 99, so that no byte overflows.
    let pairs = digits &* 10 &+ digits >> 8
    func pair(_ place: UInt64) -> Int { Int(truncatingIfNeeded: pairs >> (place &* 8) & 0xFF) }
    self.init(
      year: pair(0) &* 100 &+ pair(2), month: pair(5),
      day: Int(tens) &* 10 &+ Int(ones))
  }

  private static func dayCount(_ year: Int, _ month: Int) -> Int {
    if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
  }

  /// Days from 1970-01-01.
  @inline(__always)
  package var daysSince1970: Int { CivilDate.daysSince1970(year: year, month: month, day: day) }

  /// Days from 1970-01-01, by Neri and Schneider, Euclidean affine functions and their application to calendar
  /// algorithms (2022), section 5; 400 years are added so that no division meets a negative number. Of a day that does
  /// not exist it is any number.
  @inline(__always)
  static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    // The year begins in March, and the two months before it are the thirteenth and fourteenth.
    let isEarly = UInt32(truncatingIfNeeded: month &- 3) >> 31
    let years = UInt32(truncatingIfNeeded: year) &+ 400 &- isEarly
    let monthNumber = UInt32(truncatingIfNeeded: month) &+ 12 &* isEarly
    let centuries = years / 100
    let beforeMonth = (979 &* monthNumber &- 2919) / 32
    let days = 1461 &* years / 4 &- centuries &+ centuries / 4 &+ beforeMonth &+ UInt32(truncatingIfNeeded: day)
    return Int(days) &- 1 &- 719_468 &- 146_097
  }
}

/// A time of day with its fraction and offset, `hh:mm[:ss[.fraction]]` and nothing, `Z`, `±hh:mm`, `±hhmm` or `±hh`.
struct ClockTime {
  /// `00:00:00`, and what is added, as for dates.
  static let separators: UInt64 = 0x3030_3A30_303A_3030
  static let digitLimits: UInt64 = 0x7676_7F76_767F_7676

  /// Seconds from midnight, less the offset.
  let seconds: Int
  let microseconds: Int
  let finer: Range<Int>

  /// Reads a time that begins at `start` and ends with the text.
  @inline(__always)
  init?(_ text: Span<UInt8>, _ start: Int) {
    let count = text.count
    if start &+ 8 <= count && text[start &+ 5] == UInt8(ascii: ":") {
      let digits = KeyBytes.word(text, start) ^ ClockTime.separators
      guard (digits &+ ClockTime.digitLimits | digits) & 0x8080_8080_8080_8080 == 0 else { return nil }
      let pairs = digits &* 10 &+ digits >> 8
      func pair(_ place: UInt64) -> Int { Int(truncatingIfNeeded: pairs >> (place &* 8) & 0xFF) }
      guard pair(0) < 24 && pair(3) < 60 && pair(6) <= 60 else { return nil }
      let seconds = pair(0) &* 3600 &+ pair(3) &* 60 &+ pair(6)
      self.init(text, restAt: start &+ 8, after: seconds)
    } else {
      guard start &+ 5 <= count, text[start &+ 2] == UInt8(ascii: ":"),
        let hour = ClockTime.twoDigits(text, start), let minute = ClockTime.twoDigits(text, start &+ 3),
        hour < 24 && minute < 60
      else { return nil }
      // A fraction is one of seconds.
      if start &+ 5 < count && text[start &+ 5] == UInt8(ascii: ".") { return nil }
      self.init(text, restAt: start &+ 5, after: hour &* 3600 &+ minute &* 60)
    }
  }

  /// Reads what may follow the seconds: a fraction, then `Z` or an offset.
  ///
  /// - Parameters:
  ///   - start: where that begins, at the end of the text where there is nothing.
  ///   - seconds: what was read before.
  @inline(__always)
  init?(_ text: Span<UInt8>, restAt start: Int, after seconds: Int) {
    let count = text.count
    var index = start
    var microseconds = 0
    var finer = 0..<0
    if index < count && text[index] == UInt8(ascii: ".") {
      let first = index &+ 1
      index = first
      var missingDigits = 6
      var finerEnd = first &+ 6
      while index < count {
        let digit = text[index] &- 0x30
        guard digit <= 9 else { break }
        if missingDigits > 0 {
          microseconds = microseconds &* 10 &+ Int(digit)
          missingDigits &-= 1
        } else if digit != 0 {
          finerEnd = index &+ 1
        }
        index &+= 1
      }
      guard index > first else { return nil }
      if missingDigits & 4 != 0 { microseconds = microseconds &* 10_000 }
      if missingDigits & 2 != 0 { microseconds = microseconds &* 100 }
      if missingDigits & 1 != 0 { microseconds = microseconds &* 10 }
      finer = (first &+ 6)..<finerEnd
    }
    var offset = 0
    if index < count && !(text[index] == UInt8(ascii: "Z") && index &+ 1 == count) {
      guard let written = ClockTime.offset(text, index) else { return nil }
      offset = written
    }
    self.seconds = seconds &- offset
    self.microseconds = microseconds
    self.finer = finer
  }

  /// The offset other than `Z` that the text ends with, in seconds.
  ///
  /// The three forms alternate in many files, so nothing but the outcome depends on which it is.
  @inline(__always)
  private static func offset(_ text: Span<UInt8>, _ start: Int) -> Int? {
    let count = text.count &- start
    // A time of five bytes is before it, so there are always eight.
    guard count < 8, 0b110_1000 &>> count & 1 != 0, text.count >= 8 else { return nil }
    // The sign is the lowest byte, the hours are the next two, then come a colon and minutes, minutes, or nothing.
    let length = UInt64(truncatingIfNeeded: count)
    let written = KeyBytes.word(text, text.count &- 8) &>> (64 &- length &* 8)
    let sign = written & 0xFF
    let isShort = mask(zeroFlag(length ^ 3))
    let minutes = (written &>> (length &* 8 &- 16)) & ~isShort | 0x3030 & isShort
    let digits = (written >> 8 & 0xFFFF | minutes << 16) ^ 0x3030_3030
    let noColon = (written >> 24 & 0xFF ^ UInt64(UInt8(ascii: ":"))) & mask(zeroFlag(length ^ 6))
    guard (digits &+ 0x7676_7676 | digits) & 0x8080_8080 | noColon == 0,
      sign == UInt64(UInt8(ascii: "+")) || sign == UInt64(UInt8(ascii: "-"))
    else { return nil }
    let pairs = digits &* 10 &+ digits >> 8
    let hour = Int(truncatingIfNeeded: pairs & 0xFF)
    let minute = Int(truncatingIfNeeded: pairs >> 16 & 0xFF)
    guard hour < 24 && minute < 60 else { return nil }
    let offset = hour &* 3600 &+ minute &* 60
    return sign == UInt64(UInt8(ascii: "-")) ? 0 &- offset : offset
  }

  private static func twoDigits(_ text: Span<UInt8>, _ start: Int) -> Int? {
    guard start &+ 2 <= text.count else { return nil }
    let tens = text[start] &- 0x30
    let ones = text[start &+ 1] &- 0x30
    return tens <= 9 && ones <= 9 ? Int(tens) &* 10 &+ Int(ones) : nil
  }
}
