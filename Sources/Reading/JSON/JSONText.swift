// JSON text as it was read, without the white space between its tokens. Nothing else is touched, ever.

package enum JSONText {
  /// Appends a sound value without insignificant white space, byte for byte otherwise.
  ///
  /// - Complexity: linear; where there is no white space it is a search and one copy.
  package static func appendCompact(_ record: Span<UInt8>, to output: inout [UInt8]) {
    unsafe record.withUnsafeBufferPointer { buffer in
      guard let bytes = buffer.baseAddress else { return }
      let count = buffer.count
      var copied = 0
      var at = 0
      while true {
        at = unsafe quoteOrWhite(bytes, from: at, count: count)
        guard at < count else { break }
        if unsafe bytes[at] == JSONBytes.quote {
          at = unsafe min(count, JSONBytes.stringEnd(bytes, from: at &+ 1, count: count).end &+ 1)
        } else {
          unsafe output.append(contentsOf: UnsafeBufferPointer(start: bytes + copied, count: at &- copied))
          at = unsafe JSONBytes.skipWhite(bytes, from: at &+ 1, count: count)
          copied = at
        }
      }
      unsafe output.append(contentsOf: UnsafeBufferPointer(start: bytes + copied, count: count &- copied))
    }
  }

  /// The first quote or white byte at or after `from`, or `count`.
  private static func quoteOrWhite(_ bytes: UnsafePointer<UInt8>, from: Int, count: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var at = from
    while at &+ 8 <= count {
      let word = unsafe UInt64(littleEndian: (UnsafeRawPointer(bytes) + at).loadUnaligned(as: UInt64.self))
      let quotes = word ^ (ones &* UInt64(JSONBytes.quote))
      let hits =
        (((quotes &- ones) & ~quotes) | ((word &- (ones &* 0x21)) & ~word)) & 0x8080_8080_8080_8080
      if hits != 0 { return at &+ (hits.trailingZeroBitCount &>> 3) }
      at &+= 8
    }
    while at < count, unsafe bytes[at] != JSONBytes.quote && bytes[at] > 0x20 { at &+= 1 }
    return at
  }
}
