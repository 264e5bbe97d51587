// Which texts are numbers: for lining up to the right, and for standing bare in JSON. Only the form is looked at; no
// value is computed, so any length will do.

package enum NumericText {
  /// Whether the text is what counts as a number: a JSON number, also with leading zeros, a leading `+`, or nothing
  /// before its point.
  package static func isNumber(_ text: Span<UInt8>, in range: Range<Int>) -> Bool {
    var position = range.lowerBound
    guard position < range.upperBound else { return false }
    if text[position] == UInt8(ascii: "-") || text[position] == UInt8(ascii: "+") { position &+= 1 }
    let whole = skipDigits(text, &position, range.upperBound)
    return endsAsNumber(text, position, range.upperBound, hasWhole: whole > 0)
  }

  /// Whether the text is a number of JSON (RFC 8259, section 6).
  package static func isJSONNumber(_ text: Span<UInt8>, in range: Range<Int>) -> Bool {
    var position = range.lowerBound
    guard position < range.upperBound else { return false }
    if text[position] == UInt8(ascii: "-") { position &+= 1 }
    guard position < range.upperBound else { return false }
    let hasLeadingZero = text[position] == UInt8(ascii: "0")
    let whole = skipDigits(text, &position, range.upperBound)
    guard whole > 0, !(hasLeadingZero && whole > 1) else { return false }
    return endsAsNumber(text, position, range.upperBound, hasWhole: true)
  }

  /// Fraction, exponent and nothing more.
  private static func endsAsNumber(_ text: Span<UInt8>, _ start: Int, _ end: Int, hasWhole: Bool) -> Bool {
    var position = start
    if position < end && text[position] == UInt8(ascii: ".") {
      position &+= 1
      if skipDigits(text, &position, end) == 0 { return false }
    } else if !hasWhole {
      return false
    }
    if position < end && text[position] | 0x20 == UInt8(ascii: "e") {
      position &+= 1
      if position < end && (text[position] == UInt8(ascii: "-") || text[position] == UInt8(ascii: "+")) {
        position &+= 1
      }
      if skipDigits(text, &position, end) == 0 { return false }
    }
    return position == end
  }

  @inline(__always)
  private static func skipDigits(_ text: Span<UInt8>, _ position: inout Int, _ end: Int) -> Int {
    let start = position
    while position < end && text[position] &- 0x30 < 10 { position &+= 1 }
    return position &- start
  }
}
