// One place of the screen: what stands there and how it looks. Sixteen bytes, no references, so that a screen is one
// array that is compared and copied quickly.
//
// A glyph of up to eight UTF-8 bytes lies in the cell itself; a longer one (a family of emoji, a letter with many marks)
// in a table of its screen, and the cell holds its index, marked by a byte that UTF-8 never has.

/// How text looks. Colours are those of the terminal's palette.
package struct Style: Sendable, Hashable {
  /// Bits 0–8 foreground + 1, 9–17 background + 1, from 18 on attributes; 0 is plain.
  package private(set) var bits: UInt32

  package init() { bits = 0 }

  private init(bits: UInt32) { self.bits = bits }

  package static let plain = Style()
  package static let bold = Style(bits: 1 << 18)
  package static let dim = Style(bits: 1 << 19)
  package static let italic = Style(bits: 1 << 20)
  package static let underline = Style(bits: 1 << 21)
  package static let reverse = Style(bits: 1 << 22)

  /// Colour of the text, 0 to 255; nil is the terminal's own.
  package var foreground: UInt8? {
    get { bits & 0x1FF == 0 ? nil : UInt8(truncatingIfNeeded: (bits & 0x1FF) - 1) }
    set { bits = bits & ~0x1FF | (newValue.map { UInt32($0) + 1 } ?? 0) }
  }

  /// Colour behind the text, 0 to 255; nil is the terminal's own.
  package var background: UInt8? {
    get { bits >> 9 & 0x1FF == 0 ? nil : UInt8(truncatingIfNeeded: (bits >> 9 & 0x1FF) - 1) }
    set { bits = bits & ~(0x1FF << 9) | (newValue.map { UInt32($0) + 1 } ?? 0) << 9 }
  }

  /// The same with the attributes and colours of another added.
  package func adding(_ other: Style) -> Style {
    var result = Style(bits: bits | other.bits & ~0x3FFFF)
    if let color = other.foreground { result.foreground = color }
    if let color = other.background { result.background = color }
    return result
  }

  /// The same with reverse video turned off if it was on, on if it was off.
  package var flipped: Style { Style(bits: bits ^ Style.reverse.bits) }

  /// Whether it has all attributes of the other, whatever the colours.
  package func has(_ other: Style) -> Bool {
    let wanted = other.bits & ~0x3FFFF
    return bits & wanted == wanted
  }

  /// Text of this colour of the palette.
  package static func color(_ index: UInt8) -> Style {
    var style = Style()
    style.foreground = index
    return style
  }
}

/// One place of the screen.
package struct Cell: Sendable, Equatable {
  /// Up to eight bytes of UTF-8, the first in the lowest bits; or an index, marked in the highest byte.
  var glyph: UInt64
  package internal(set) var style: Style
  /// How many places its glyph takes, from here on; 0 for a place that the glyph before it covers.
  package internal(set) var width: UInt8

  package static let blank = Cell(glyph: 0x20, style: .plain, width: 1)

  static let indexMark: UInt64 = 0xFF << 56

  var isIndexed: Bool { glyph >= Cell.indexMark }
  /// Whether nothing is to be seen of it but its style.
  var isSpace: Bool { glyph == 0x20 }

  /// The index of a glyph in its screen's table, if it lies there.
  var index: Int { Int(truncatingIfNeeded: glyph & 0xFFFF_FFFF) }
}
