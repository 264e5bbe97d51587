// Case folding of text for comparing: one code point at a time by Unicode's lower case, with the few letters folded that
// are lower case already but variants of another. Bytes that are no UTF-8 stay as they are. The table is the standard
// library's (`lowercaseMapping`), which is Unicode 17.0 in Swift 6.3.

import Reading

/// Folds the case of text.
package enum CaseFolding {
  /// Appends the folded text.
  ///
  /// - Complexity: linear; ASCII is folded byte by byte.
  package static func append(_ text: Span<UInt8>, to out: inout [UInt8]) {
    var index = 0
    while index < text.count {
      let byte = text[index]
      if byte < 0x80 {
        out.append(byte &- 0x41 < 26 ? byte | 0x20 : byte)
        index &+= 1
        continue
      }
      let count = byte < 0xC2 || byte > 0xF4 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
      let end = min(index &+ count, text.count)
      guard count > 1, let scalar = scalar(text, index, end), scalar.utf8Count == count else {
        out.append(byte)
        index &+= 1
        continue
      }
      switch scalar.value {
      case 0x3C2: out.append(contentsOf: "σ".utf8)
      case 0x17F: out.append(UInt8(ascii: "s"))
      case 0xB5: out.append(contentsOf: "μ".utf8)
      default: out.append(contentsOf: scalar.properties.lowercaseMapping.utf8)
      }
      index = end
    }
  }

  private static func scalar(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> Unicode.Scalar? {
    var value = UInt32(text[start]) & (0x7F >> UInt32(end &- start))
    for index in (start &+ 1)..<end {
      guard text[index] & 0xC0 == 0x80 else { return nil }
      value = value << 6 | UInt32(text[index] & 0x3F)
    }
    return Unicode.Scalar(value)
  }
}

extension Unicode.Scalar {
  fileprivate var utf8Count: Int { value < 0x80 ? 1 : value < 0x800 ? 2 : value < 0x10000 ? 3 : 4 }
}
