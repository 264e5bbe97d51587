// JSON text as it was read, without the white space between its tokens. Nothing else is touched, ever.
//
// The trick: most text is compact already, which masks tell a block at a time.

package enum JSONText {
  /// Appends a sound value without insignificant white space, byte for byte otherwise.
  ///
  /// - Complexity: linear; where there is no white space it is a search and one copy.
  package static func appendCompact(_ record: Span<UInt8>, to output: inout [UInt8]) {
    unsafe record.withUnsafeBufferPointer { buffer in
      guard let bytes = buffer.baseAddress else { return }
      let count = buffer.count
      if unsafe isKnownCompact(bytes, count: count) {
        unsafe output.append(contentsOf: buffer)
        return
      }
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

  /// Whether there is no white space outside strings, as blocks of 64 bytes tell; of short text and of text with a backslash
  /// they do not.
  private static func isKnownCompact(_ bytes: UnsafePointer<UInt8>, count: Int) -> Bool {
    guard count >= BlockMask.width else { return false }
    // All ones where the next block begins inside a string.
    var inside: UInt64 = 0
    var at = 0
    while at < count {
      // The last block ends with the text; what the one before had of it is shifted out.
      let start = min(at, count &- BlockMask.width)
      let overlap = UInt64(truncatingIfNeeded: at &- start)
      let block = unsafe BlockMask(bytes + start)
      if block.positions(of: JSONBytes.backslash) &>> overlap != 0 { return false }
      let strings = BlockMask.prefixXor(block.positions(of: JSONBytes.quote) &>> overlap) ^ inside
      let white = block.positions(of: 0x20, or: 0x0A) | block.positions(of: 0x0D, or: 0x09)
      if white &>> overlap & ~strings != 0 { return false }
      inside = UInt64(bitPattern: Int64(bitPattern: strings) &>> 63)
      at &+= BlockMask.width
    }
    return true
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
