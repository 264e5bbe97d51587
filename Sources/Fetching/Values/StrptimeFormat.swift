// The C library's strptime behind a safe face. Month and day names are those of the C locale, as the program never sets
// another; a value without an offset is UTC.

import Glibc
import Reading

// The C headers show strptime only to sources that ask for X/Open extensions, which the Glibc module does not; so it is
// declared here. Three pointers and a pointer back pass in the same registers under Swift's convention and C's.
@_silgen_name("strptime")
private func cStrptime(
  _ text: UnsafePointer<CChar>, _ format: UnsafePointer<CChar>, _ time: UnsafeMutablePointer<tm>
) -> UnsafeMutablePointer<CChar>?

/// A date format in strptime's codes.
struct StrptimeFormat: Sendable {
  private let format: [CChar]

  init(_ format: String) {
    self.format = Array(format.utf8CString)
  }

  /// Reads a text that has this format from its first to its last byte.
  ///
  /// - Returns: nil where it has not or where there is no such day. Parts that the format lacks are those of
  ///   1970-01-01T00:00:00.
  func read(_ bytes: Span<UInt8>) -> Instant? {
    var text: [CChar] = []
    text.reserveCapacity(bytes.count &+ 1)
    for index in 0..<bytes.count {
      // The C library would take the text to end here.
      if bytes[index] == 0 { return nil }
      text.append(CChar(bitPattern: bytes[index]))
    }
    text.append(0)
    var time = unsafe tm()
    unsafe time.tm_year = 70
    unsafe time.tm_mday = 1
    let isWhole = unsafe text.withUnsafeBufferPointer { text in
      unsafe format.withUnsafeBufferPointer { format in
        guard let text = text.baseAddress, let format = format.baseAddress,
          let end = unsafe cStrptime(text, format, &time)
        else { return false }
        return unsafe end.pointee == 0
      }
    }
    guard isWhole,
      let date = unsafe CivilDate(
        year: Int(time.tm_year) + 1900, month: Int(time.tm_mon) + 1, day: Int(time.tm_mday))
    else { return nil }
    let seconds = unsafe Int(time.tm_hour) &* 3600 &+ Int(time.tm_min) &* 60 &+ Int(time.tm_sec)
    let offset = unsafe Int(time.tm_gmtoff)
    let instant = Instant(seconds: date.daysSince1970 &* 86_400 &+ seconds &- offset)
    return instant.isInRange ? instant : nil
  }
}
