// What comes from the terminal's keyboard and mouse, after decoding. Only values: what a key does is decided elsewhere.

/// Keys held down together with another.
package struct KeyModifiers: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let shift = KeyModifiers(rawValue: 1)
  package static let alt = KeyModifiers(rawValue: 2)
  package static let control = KeyModifiers(rawValue: 4)
}

/// A key that was pressed.
package struct Key: Sendable, Hashable {
  package enum Code: Sendable, Hashable {
    /// A printable character. With Control held it is the small letter.
    case character(Unicode.Scalar)
    case enter, tab, backspace, escape
    case up, down, left, right
    case home, end, pageUp, pageDown, insert, delete
    /// F1 and so on, counted from 1.
    case function(Int)
  }

  package var code: Code
  package var modifiers: KeyModifiers

  package init(_ code: Code, _ modifiers: KeyModifiers = []) {
    self.code = code
    self.modifiers = modifiers
  }

  /// A character without modifiers.
  package static func character(_ scalar: Unicode.Scalar) -> Key { Key(.character(scalar)) }

  /// A letter with Control.
  package static func control(_ scalar: Unicode.Scalar) -> Key { Key(.character(scalar), .control) }
}

/// Something that the mouse did.
package struct MouseEvent: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    /// A button went down, up, or was held while the mouse moved: 0 left, 1 middle, 2 right.
    case press(Int)
    case release(Int)
    case drag(Int)
    case wheelUp, wheelDown, wheelLeft, wheelRight
  }

  package var kind: Kind
  /// The cell, from 0.
  package var columnIndex: Int
  /// The line of the screen, from 0.
  package var lineIndex: Int
  package var modifiers: KeyModifiers

  package init(_ kind: Kind, columnIndex: Int, lineIndex: Int, _ modifiers: KeyModifiers = []) {
    self.kind = kind
    self.columnIndex = columnIndex
    self.lineIndex = lineIndex
    self.modifiers = modifiers
  }
}

/// One thing a person did at the terminal.
package enum InputEvent: Sendable, Hashable {
  case key(Key)
  case mouse(MouseEvent)
  /// Text that was pasted, as it came: it may hold control characters and need not be UTF-8.
  case paste([UInt8])
}
