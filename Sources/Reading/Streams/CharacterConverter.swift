// iconv of the C library: from any encoding that it knows to UTF-8, piece by piece.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Converts text of one encoding to UTF-8. For one caller at a time.
@safe
struct CharacterConverter: ~Copyable {
  /// Why a conversion paused.
  enum Outcome: Equatable {
    /// All input was used.
    case done
    /// The output is full.
    case outputFull
    /// The input ends inside a character.
    case incomplete
    /// What comes next in the input is no text in this encoding.
    case invalid
  }

  private let descriptor: iconv_t

  /// - Returns: nil where the library does not know the encoding.
  init?(from encoding: String) {
    // An empty name would be the locale's encoding, and a slash begins what is no part of a name.
    guard !encoding.isEmpty, !encoding.utf8.contains(UInt8(ascii: "/")), !encoding.utf8.contains(0),
      let opened = unsafe iconv_open("UTF-8", encoding), Int(bitPattern: opened) != -1
    else { return nil }
    unsafe descriptor = opened
  }

  deinit { unsafe iconv_close(descriptor) }

  /// Converts bytes, as far as they go.
  ///
  /// - Parameters:
  ///   - used: bytes of the input done with, so far; counted on.
  ///   - made: bytes of the output written, so far; counted on.
  func convert(_ input: inout [UInt8], end: Int, used: inout Int, into output: inout [UInt8], made: inout Int)
    -> Outcome
  {
    precondition(used >= 0 && used <= end && end <= input.count && made >= 0 && made <= output.count)
    return unsafe input.withUnsafeMutableBytes { input in
      unsafe output.withUnsafeMutableBytes { output in
        var from = unsafe input.baseAddress?.advanced(by: used).assumingMemoryBound(to: CChar.self)
        var to = unsafe output.baseAddress?.advanced(by: made).assumingMemoryBound(to: CChar.self)
        var inputLeft = end - used
        var outputLeft = output.count - made
        let result = unsafe iconv(descriptor, &from, &inputLeft, &to, &outputLeft)
        let code = errno
        used = end - inputLeft
        made = output.count - outputLeft
        if result != -1 { return .done }
        switch code {
        case E2BIG: return .outputFull
        case EINVAL: return .incomplete
        default: return .invalid
        }
      }
    }
  }

  /// Writes what a stateful encoding still owes at the end of the text.
  func finish(into output: inout [UInt8], made: inout Int) {
    unsafe output.withUnsafeMutableBytes { output in
      var to = unsafe output.baseAddress?.advanced(by: made).assumingMemoryBound(to: CChar.self)
      var outputLeft = output.count - made
      _ = unsafe iconv(descriptor, nil, nil, &to, &outputLeft)
      made = output.count - outputLeft
    }
  }
}
