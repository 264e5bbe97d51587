// Makes text that came out of data safe to show: nothing in it can move the cursor, end a line, switch the direction of
// writing or be broken UTF-8. Every place where data meets a terminal or a table goes through here.
//
// Printable ASCII, nearly everything there is, is copied by the run; only what stops a run is looked at.

package enum SafeText {
  /// Appends the text in `range`, with visible stand-ins for what must not be shown as it is: control pictures for C0
  /// and DEL (`␉`, `␊`, `␡`), `<U+202E>` for C1, line separators and bidirectional controls, U+FFFD for each piece that
  /// is no UTF-8.
  ///
  /// - Returns: the number of pieces that were no UTF-8.
  /// - Complexity: linear in the bytes.
  @discardableResult
  package static func append(_ text: Span<UInt8>, in range: Range<Int>, to output: inout [UInt8]) -> Int {
    append(text, in: range, to: &output) { scalar, output in
      if scalar < 0x20 {
        ScalarDecoder.append(0x2400 &+ scalar, to: &output)
      } else if scalar == 0x7F {
        ScalarDecoder.append(0x2421, to: &output)
      } else {
        output.append(UInt8(ascii: "<"))
        output.append(UInt8(ascii: "U"))
        output.append(UInt8(ascii: "+"))
        appendHexadecimal(scalar, to: &output)
        output.append(UInt8(ascii: ">"))
      }
    }
  }

  /// The whole text made safe.
  package static func safe(_ text: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    append(text.span, in: 0..<text.count, to: &output)
    return output
  }

  /// Whether `append` would change nothing.
  package static func isSafe(_ text: Span<UInt8>, in range: Range<Int>) -> Bool { firstUnsafe(text, in: range) == nil }

  /// Appends JSON text in `range`, with DEL, C1, line separators and bidirectional controls as `\u` escapes, so that it
  /// stays the same JSON. C0 controls cannot stand in compact JSON and would be escaped too.
  ///
  /// - Returns: the number of pieces that were no UTF-8; each becomes U+FFFD.
  @discardableResult
  package static func appendJSON(_ text: Span<UInt8>, in range: Range<Int>, to output: inout [UInt8]) -> Int {
    append(text, in: range, to: &output) { scalar, output in
      output.append(UInt8(ascii: "\\"))
      output.append(UInt8(ascii: "u"))
      appendHexadecimal(scalar, to: &output)
    }
  }

  /// Appends text with U+FFFD for each piece that is no UTF-8 and with what the caller puts in the place of a code point that
  /// must not be shown as it is.
  @inline(__always)
  private static func append(
    _ text: Span<UInt8>, in range: Range<Int>, to output: inout [UInt8], standIn: (UInt32, inout [UInt8]) -> Void
  ) -> Int {
    var invalidCount = 0
    var position = range.lowerBound
    while let stop = firstUnsafe(text, in: position..<range.upperBound) {
      copy(text, position..<stop.position, to: &output)
      position = stop.position &+ stop.scalar.count
      if stop.scalar.isValid {
        standIn(stop.scalar.value, &output)
      } else {
        invalidCount &+= 1
        ScalarDecoder.append(0xFFFD, to: &output)
      }
    }
    copy(text, position..<range.upperBound, to: &output)
    return invalidCount
  }

  /// Whether a code point must not reach a terminal: C0, DEL, C1, the line and paragraph separators, and the marks,
  /// overrides and isolates of the bidirectional algorithm (UAX #9, table 4).
  package static func isUnsafe(_ value: UInt32) -> Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// The first code point in `range` that must be replaced, or nil.
  private static func firstUnsafe(
    _ text: Span<UInt8>, in range: Range<Int>
  ) -> (position: Int, scalar: DecodedScalar)? {
    var position = range.lowerBound
    while true {
      position = ScalarDecoder.firstNotPrintable(text, in: position..<range.upperBound)
      // What is not ASCII seldom stands alone.
      repeat {
        if position >= range.upperBound { return nil }
        let scalar = ScalarDecoder.decode(text, at: position, end: range.upperBound)
        if !scalar.isValid || isUnsafe(scalar.value) { return (position, scalar) }
        position &+= scalar.count
      } while position < range.upperBound && text[position] >= 0x80
    }
  }

  private static func copy(_ text: Span<UInt8>, _ range: Range<Int>, to output: inout [UInt8]) {
    if range.isEmpty { return }
    unsafe text.extracting(range).withUnsafeBufferPointer { unsafe output.append(contentsOf: $0) }
  }

  /// Four digits are enough: all unsafe code points lie in the first plane.
  private static func appendHexadecimal(_ value: UInt32, to output: inout [UInt8]) {
    for shift in [12, 8, 4, 0] as [UInt32] {
      let digit = UInt8(truncatingIfNeeded: value >> shift & 0xF)
      output.append(digit < 10 ? UInt8(ascii: "0") &+ digit : UInt8(ascii: "A") &+ digit &- 10)
    }
  }
}
