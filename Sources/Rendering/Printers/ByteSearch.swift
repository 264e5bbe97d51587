// Finds the few bytes that a format must quote or escape, eight at a time in a word, so that clean text is copied in
// one piece. It knows nothing of formats.

/// A byte, spread over a word for comparing eight bytes at once.
struct SpreadByte: Sendable {
  let word: UInt64

  init(_ byte: UInt8) { word = UInt64(byte) &* 0x0101_0101_0101_0101 }

  /// The high bit of each byte of `text` that is this byte. Bits above the lowest may be wrong, the lowest never is.
  @inline(__always)
  func matches(_ text: UInt64) -> UInt64 {
    let difference = text ^ word
    return (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
  }
}

/// The positions at which a scan stops: up to three bytes, and all below a limit.
struct ByteStops: Sendable {
  private let first: SpreadByte
  private let second: SpreadByte
  private let bytes: (UInt8, UInt8)
  private let controls: SpreadByte
  private let limit: UInt8

  /// - Parameters:
  ///   - first: a byte that stops a scan.
  ///   - second: another.
  ///   - limit: all bytes below it stop a scan too; at most 0x80.
  init(_ first: UInt8, _ second: UInt8, below limit: UInt8) {
    self.first = SpreadByte(first)
    self.second = SpreadByte(second)
    bytes = (first, second)
    controls = SpreadByte(limit)
    self.limit = limit
  }

  /// The first position in `range` that stops, or its upper bound.
  @inline(__always)
  func firstPosition(in text: Span<UInt8>, _ range: Range<Int>) -> Int {
    var position = range.lowerBound
    while range.upperBound &- position >= 8 {
      let stops = stops(in: text.word(at: position))
      if stops != 0 { return position &+ stops.trailingZeroBitCount / 8 }
      position &+= 8
    }
    while position < range.upperBound && !contains(text[position]) { position &+= 1 }
    return position
  }

  /// The high bit of each byte of `word` that stops. Bits above the lowest may be wrong, the lowest never is.
  @inline(__always)
  fileprivate func stops(in word: UInt64) -> UInt64 {
    let below = (word &- controls.word) & ~word & 0x8080_8080_8080_8080
    return first.matches(word) | second.matches(word) | below
  }

  @inline(__always)
  fileprivate func contains(_ byte: UInt8) -> Bool { byte < limit || byte == bytes.0 || byte == bytes.1 }
}

extension Span where Element == UInt8 {
  /// Eight bytes, the first in the lowest place. The caller has seen to it that they are there.
  @inline(__always)
  func word(at position: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
  }

  /// How many bytes of `range` are below a space, a quote or a backslash: those that JSON escapes.
  func escapeCount(in range: Range<Int>) -> Int {
    var count = 0
    for position in range {
      let byte = self[position]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { count &+= 1 }
    }
    return count
  }

  /// Whether `byte` stands in `range`.
  func contains(_ byte: SpreadByte, in range: Range<Int>) -> Bool {
    var position = range.lowerBound
    while range.upperBound &- position >= 8 {
      if byte.matches(word(at: position)) != 0 { return true }
      position &+= 8
    }
    let plain = UInt8(truncatingIfNeeded: byte.word)
    while position < range.upperBound {
      if self[position] == plain { return true }
      position &+= 1
    }
    return false
  }
}

extension OutputSpan where Element == UInt8 {
  /// Appends a copy of the bytes in `range`; the caller has made room.
  @inline(__always)
  mutating func append(copying text: Span<UInt8>, _ range: Range<Int>) {
    unsafe text.extracting(range).withUnsafeBytes { source in
      guard let address = source.baseAddress else { return }
      unsafe withUnsafeMutableBufferPointer { buffer, count in
        let target = unsafe UnsafeMutableRawBufferPointer(
          UnsafeMutableBufferPointer(rebasing: buffer[count..<(count + source.count)]))
        guard let end = target.baseAddress else { return }
        // Most cells are short, and a call is not worth it. The last word overlaps with the one before.
        if source.count > 16 || source.count < 4 {
          unsafe end.copyMemory(from: address, byteCount: source.count)
        } else if source.count >= 8 {
          let last = unsafe (address + source.count - 8).loadUnaligned(as: UInt64.self)
          unsafe end.storeBytes(of: address.loadUnaligned(as: UInt64.self), as: UInt64.self)
          unsafe (end + source.count - 8).storeBytes(of: last, as: UInt64.self)
        } else {
          let last = unsafe (address + source.count - 4).loadUnaligned(as: UInt32.self)
          unsafe end.storeBytes(of: address.loadUnaligned(as: UInt32.self), as: UInt32.self)
          unsafe (end + source.count - 4).storeBytes(of: last, as: UInt32.self)
        }
        count += source.count
      }
    }
  }

  /// Appends a copy of the bytes in `range` before the first stop; the caller has made room, for eight bytes more if it can.
  ///
  /// - Returns: the position of the stop, or the upper bound.
  @inline(__always)
  mutating func append(copying text: Span<UInt8>, _ range: Range<Int>, until stops: ByteStops) -> Int {
    var position = range.lowerBound
    unsafe withUnsafeMutableBufferPointer { buffer, count in
      guard let start = buffer.baseAddress else { return }
      // Whole words are written, of which only what counts is kept.
      while position < range.upperBound && text.count &- position >= 8 && buffer.count &- count >= 8 {
        let word = text.word(at: position)
        unsafe UnsafeMutableRawPointer(start + count).storeBytes(of: word.littleEndian, as: UInt64.self)
        let stop = min(stops.stops(in: word).trailingZeroBitCount / 8, range.upperBound &- position)
        count &+= stop
        position &+= stop
        if stop < 8 { return }
      }
    }
    while position < range.upperBound && !stops.contains(text[position]) {
      append(text[position])
      position &+= 1
    }
    return position
  }
}
