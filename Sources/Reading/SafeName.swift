// Names and values quoted in messages come from outside: they are cut and made harmless before a terminal sees them.

package enum SafeName {
  /// The bytes as text for a message: invalid UTF-8, control characters and bidirectional controls replaced, the middle
  /// left out beyond `limit` characters.
  package static func text(_ bytes: [UInt8], limit: Int = 200) -> String {
    var characters = String.UnicodeScalarView()
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control: characters.append(scalar.value < 0x20 ? Unicode.Scalar(0x2400 + scalar.value) ?? "?" : "?")
      case .format, .lineSeparator, .paragraphSeparator, .surrogate: characters.append("?")
      default: characters.append(scalar)
      }
    }
    guard characters.count > limit else { return String(characters) }
    let half = max(1, limit / 2)
    return String(String.UnicodeScalarView(characters.prefix(half))) + "…"
      + String(String.UnicodeScalarView(characters.suffix(half)))
  }
}
