// Where a text stands within another. Places where both the first and the last byte fit are found many at a time, and only there
// is compared. A text made to fit nearly everywhere would make that slow: when comparing has cost more than it should, a
// linear search takes over.
//
// Sources: W. Muła, "SIMD-friendly algorithms for substring searching" (2016), the generic one; Knuth, Morris and Pratt (1977).

import Reading

/// How one text is searched for in many. Plain bits, without that text itself, so that having one counts no references.
package struct SubstringSearch: Sendable {
  private let first: EdgeByte
  private let last: EdgeByte
  private let ignoresASCIICase: Bool

  /// The first or the last byte.
  private struct EdgeByte: Sendable {
    let byte: UInt8
    /// The byte in its other case, or the same.
    let other: UInt8

    init(_ byte: UInt8, ignoresCase: Bool) {
      self.byte = byte
      other = ignoresCase && byte &- 0x61 < 26 ? byte & 0xDF : byte
    }

    /// The high bits of those of eight bytes that are this one. Above the lowest there may be others too.
    @inline(__always)
    func hits(in bytes: UInt64) -> UInt64 {
      let ones: UInt64 = 0x0101_0101_0101_0101
      let difference = (bytes | UInt64(byte ^ other) &* ones) ^ UInt64(byte) &* ones
      return (difference &- ones) & ~difference & 0x8080_8080_8080_8080
    }
  }

  /// Prepares a search.
  ///
  /// - Parameters:
  ///   - part: what will be searched for; where case is ignored, in lower case.
  ///   - ignoresASCIICase: whether the letters from A to Z are found in either case. Other letters are not.
  package init(for part: Span<UInt8>, ignoresASCIICase: Bool = false) {
    self.init(
      first: part.isEmpty ? 0 : part[0], last: part.isEmpty ? 0 : part[part.count - 1],
      ignoresASCIICase: ignoresASCIICase)
  }

  private init(first: UInt8, last: UInt8, ignoresASCIICase: Bool) {
    self.ignoresASCIICase = ignoresASCIICase
    self.first = EdgeByte(first, ignoresCase: ignoresASCIICase)
    self.last = EdgeByte(last, ignoresCase: ignoresASCIICase)
  }

  /// What stands where there is nothing to search for.
  static let none = SubstringSearch(first: 0, last: 0, ignoresASCIICase: false)

  @inline(__always)
  private static func lowered(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  /// Where the text stands first at or after a place of another.
  ///
  /// - Parameters:
  ///   - part: the text that the search was made for. An empty one is at every place.
  /// - Complexity: linear in both texts.
  package func firstIndex(of part: Span<UInt8>, in text: Span<UInt8>, from start: Int = 0) -> Int? {
    guard start >= 0, part.count <= text.count, start <= text.count &- part.count else { return nil }
    if part.isEmpty { return start }
    return search(text, part, from: start)
  }

  private func search(_ text: Span<UInt8>, _ part: Span<UInt8>, from start: Int) -> Int? {
    let toLast = part.count &- 1
    /// The last place where the part could stand.
    let end = text.count &- part.count
    var position = start
    var work = 0
    while position &+ (BlockMask.width &- 1) <= end {
      var places = candidates(in: text, at: position, toLast)
      while places != 0 {
        let place = position &+ BlockMask.lowest(places)
        let fitting = fitting(text, part, at: place)
        if fitting == part.count { return place }
        work &+= fitting
        places &= places &- 1
      }
      position &+= BlockMask.width
      if isTooMuch(work, position &- start) { return searchLinearly(text, part, from: position) }
    }
    while position &+ 7 <= end {
      var hits =
        first.hits(in: KeyBytes.word(text, position)) & last.hits(in: KeyBytes.word(text, position &+ toLast))
      while hits != 0 {
        let place = position &+ hits.trailingZeroBitCount / 8
        let fitting = fitting(text, part, at: place)
        if fitting == part.count { return place }
        work &+= fitting
        hits &= hits &- 1
      }
      position &+= 8
      if isTooMuch(work, position &- start) { return searchLinearly(text, part, from: position) }
    }
    while position <= end {
      if fitting(text, part, at: position) == part.count { return position }
      position &+= 1
    }
    return nil
  }

  /// Of 64 places those where the first and the last byte fit.
  @inline(__always)
  private func candidates(in text: Span<UInt8>, at position: Int, _ toLast: Int) -> UInt64 {
    unsafe text.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return 0 }
      let firsts = unsafe BlockMask(base + position)
      let lasts = unsafe BlockMask(base + (position &+ toLast))
      return ignoresASCIICase
        ? firsts.positions(of: first.byte, or: first.other) & lasts.positions(of: last.byte, or: last.other)
        : firsts.positions(of: first.byte) & lasts.positions(of: last.byte)
    }
  }

  /// How many bytes of the part are at a place.
  @inline(__always)
  private func fitting(_ text: Span<UInt8>, _ part: Span<UInt8>, at place: Int) -> Int {
    var index = 0
    if ignoresASCIICase {
      while index < part.count && SubstringSearch.lowered(text[place &+ index]) == part[index] { index &+= 1 }
      return index
    }
    while index &+ 8 <= part.count {
      let difference = KeyBytes.word(text, place &+ index) ^ KeyBytes.word(part, index)
      if difference != 0 { return index &+ difference.trailingZeroBitCount / 8 }
      index &+= 8
    }
    while index < part.count && text[place &+ index] == part[index] { index &+= 1 }
    return index
  }

  /// Whether comparing has cost more than looking at every byte twice.
  @inline(__always)
  private func isTooMuch(_ work: Int, _ done: Int) -> Bool { work > 2 &* done &+ 256 }

  private func searchLinearly(_ text: Span<UInt8>, _ part: Span<UInt8>, from start: Int) -> Int? {
    // Of each length that fits, the length of the longest shorter beginning of the part that still fits.
    var shorter = [Int](repeating: 0, count: part.count &+ 1)
    var length = 0
    for index in 1..<max(1, part.count) {
      while length > 0 && part[index] != part[length] { length = shorter[length] }
      if part[index] == part[length] { length &+= 1 }
      shorter[index &+ 1] = length
    }
    length = 0
    for position in start..<max(start, text.count) {
      let byte = ignoresASCIICase ? SubstringSearch.lowered(text[position]) : text[position]
      while length > 0 && byte != part[length] { length = shorter[length] }
      if byte == part[length] { length &+= 1 }
      if length == part.count { return position &- length &+ 1 }
    }
    return nil
  }
}
