// How many cells of a terminal a text takes. Not a layout: nothing is cut or padded here except by `prefix`.
//
// Widths of code points add up, as wcwidth does and most terminals draw, save where an emoji sequence is one picture of
// two cells. Such sequences are seen by looking back over one cluster, so no String is made, and ASCII is only counted.
// Tabs, line breaks and other controls have no width; `SafeText` has replaced them before anything is measured.

package enum DisplayWidth {
  /// The cells that the UTF-8 text in `range` takes. A piece that is no UTF-8 takes one, as U+FFFD.
  ///
  /// - Complexity: linear in the bytes; no allocation.
  package static func cells(_ text: Span<UInt8>, in range: Range<Int>) -> Int {
    let position = ScalarDecoder.firstNotPrintable(text, in: range)
    if position == range.upperBound { return range.count }
    // A mark may combine with the last ASCII character (a keycap does), so that one is looked at again.
    let start = max(range.lowerBound, position &- 1)
    return (start &- range.lowerBound) &+ measure(text, in: start..<range.upperBound)
  }

  /// The cells of a whole text.
  package static func cells(_ text: [UInt8]) -> Int { cells(text.span, in: 0..<text.count) }

  /// The longest beginning of the text in `range` that takes at most `limit` cells and ends between two graphemes.
  ///
  /// - Returns: where it ends, and its cells.
  package static func prefix(
    _ text: Span<UInt8>, in range: Range<Int>, cells limit: Int
  ) -> (end: Int, cells: Int) {
    let plain = ScalarDecoder.firstNotPrintable(text, in: range)
    if plain &- range.lowerBound > limit || plain == range.upperBound {
      let count = min(max(0, limit), plain &- range.lowerBound)
      return (range.lowerBound &+ count, count)
    }
    var end = range.lowerBound
    var width = 0
    for character in graphemes(of: text, in: range) {
      let next = end &+ character.utf8.count
      if next > range.upperBound { break }
      let more = cells(text, in: end..<next)
      if width &+ more > limit { break }
      width &+= more
      end = next
    }
    return (end, width)
  }

  /// The text as characters. What is no UTF-8 has been replaced by `SafeText` before, so the lengths agree.
  private static func graphemes(of text: Span<UInt8>, in range: Range<Int>) -> String {
    unsafe text.extracting(range).withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// What the table says of a code point: width in bits 0 and 1, Emoji 4, Extended_Pictographic 8.
  @inline(__always)
  private static func properties(of value: UInt32) -> UInt32 {
    switch value {
    case 0x20..<0x23, 0x3A..<0x7F, 0xC0..<0x300, 0x370..<0x483: 1
    case 0x3041..<0x3097, 0x4E00..<0xA000, 0xAC00..<0xD7A4: 2
    default: lookUp(value)
    }
  }

  private static func lookUp(_ value: UInt32) -> UInt32 {
    let wanted = value << 4 | 0xF
    var low = 0
    var high = widthRuns.count
    while high &- low > 1 {
      let middle = (low &+ high) / 2
      if widthRuns[middle] <= wanted { low = middle } else { high = middle }
    }
    return widthRuns[low] & 0xF
  }

  private static func measure(_ text: Span<UInt8>, in range: Range<Int>) -> Int {
    var total = 0
    // The cluster that is being read, as far as emoji sequences need it.
    var clusterWidth = 0
    var baseIsEmoji = false
    var baseIsPictographic = false
    var followsJoiner = false
    var position = range.lowerBound
    while position < range.upperBound {
      let scalar = ScalarDecoder.decode(text, at: position, end: range.upperBound)
      position &+= scalar.count
      let value = scalar.value
      let properties = properties(of: value)
      let width = Int(properties & 3)
      let isModifier = value >= 0x1F3FB && value <= 0x1F3FF
      let joins = baseIsPictographic && (followsJoiner ? properties & 8 != 0 : isModifier)
      if joins {
        // One picture with what came before: an emoji ZWJ sequence, or a skin tone.
        total &+= 2 &- clusterWidth
        clusterWidth = 2
        followsJoiner = false
        continue
      }
      if value == 0x200D {
        followsJoiner = baseIsPictographic
        continue
      }
      if value == 0xFE0F {
        // Emoji presentation, also of digits in keycaps.
        if baseIsEmoji && clusterWidth == 1 {
          total &+= 1
          clusterWidth = 2
        }
        continue
      }
      if width == 0 && value >= 0x20 {
        followsJoiner = false
        continue
      }
      total &+= width
      clusterWidth = width
      baseIsEmoji = properties & 4 != 0
      baseIsPictographic = properties & 8 != 0
      followsJoiner = false
    }
    return total
  }
}
