// Copying through the terminal, over any number of remote shells: OSC 52 with the text in base 64 (RFC 4648, section 4).
// The text cannot drive the terminal, whatever it is, because none of its bytes is sent as it stands.

package enum Clipboard {
  /// xterm takes no more than 100,000 characters of base 64, others drop the whole sequence beyond that.
  package static let mostBytes = 74_994

  /// The sequence that puts a text on the clipboard, or nil where it is too long for terminals.
  package static func sequence(copying text: [UInt8]) -> [UInt8]? {
    if text.count > mostBytes { return nil }
    var output = Array("\u{1B}]52;c;".utf8)
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var index = 0
    while index < text.count {
      let rest = min(3, text.count - index)
      var word = 0
      for offset in 0..<3 { word = word << 8 | (offset < rest ? Int(text[index + offset]) : 0) }
      for digit in 0..<4 {
        output.append(digit <= rest ? digits[word >> (18 - 6 * digit) & 63] : UInt8(ascii: "="))
      }
      index += 3
    }
    output.append(0x07)
    return output
  }
}
