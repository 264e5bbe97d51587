// The C library's collation behind a safe face: text becomes bytes that compare as the user's locale would (strxfrm). The
// locale is that of the environment (LC_ALL, LC_COLLATE, LANG), for this alone.

import Glibc
import Reading

/// Transforms text so that comparing bytes is comparing by the locale.
enum Collation {
  nonisolated(unsafe) private static let locale: locale_t? = unsafe newlocale(
    CInt(1 << LC_COLLATE | 1 << LC_CTYPE), "", nil)

  /// Appends the transformed text. Where the environment's locale is not installed it is the text itself.
  ///
  /// - Parameter transformed: receives bytes; a zero byte of the text, at which the C library would stop, is kept.
  static func append(_ text: Span<UInt8>, to transformed: inout [UInt8]) {
    guard let locale = unsafe locale else {
      transformed.append(copying: text)
      return
    }
    var piece: [CChar] = []
    var index = 0
    while index <= text.count {
      if index < text.count && text[index] != 0 {
        piece.append(CChar(bitPattern: text[index]))
      } else {
        piece.append(0)
        unsafe append(piece, locale, to: &transformed)
        if index < text.count { transformed.append(0) }
        piece.removeAll(keepingCapacity: true)
      }
      index += 1
    }
  }

  private static func append(_ piece: [CChar], _ locale: locale_t, to transformed: inout [UInt8]) {
    var room = piece.count * 4 + 16
    while true {
      var needed = 0
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
        unsafe buffer.withMemoryRebound(to: CChar.self) { buffer in
          needed = unsafe strxfrm_l(buffer.baseAddress, piece, room, locale)
        }
        count = needed < room ? needed : 0
      }
      if needed < room {
        transformed.append(contentsOf: bytes)
        return
      }
      room = needed + 1
    }
  }
}
