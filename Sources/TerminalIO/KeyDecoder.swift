// Bytes of a terminal in, keys out. It reads nothing and knows no clock: after ESC only time tells whether a sequence
// goes on, so the caller waits a little when `isWaiting` and then calls `timeOut`.
//
// One byte at a time through a small machine, so that it does not matter where reads cut a sequence. Sequences as in
// ECMA-48 section 5.4 and xterm's "Control Sequences" (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html): CSI and
// SS3 keys with modifiers, rxvt's and the Linux console's variants, `CSI u`, SGR mouse (1006), bracketed paste (2004).
// What is not known, and what is no UTF-8, is passed over.

/// Decodes what a terminal sends.
package struct KeyDecoder: Sendable {
  /// A longer sequence is no key: its bytes are passed over up to its end.
  private static let longestSequence = 64
  /// Bytes of a paste that are kept; nobody pastes more into a line.
  package static let longestPaste = 1 << 20
  private static let endOfPaste = Array("\u{1B}[201~".utf8)

  private enum State: Sendable, Equatable {
    case ground
    /// Inside a character of more than one byte.
    case character(modifiers: KeyModifiers)
    case escape
    case controlSequence
    case singleShift
    /// The Linux console's F1 to F5 are `ESC [ [` and a letter.
    case consoleFunction
    case paste
  }

  private var state = State.ground
  /// The bytes of the character, or the parameters of the sequence, that is under way.
  private var gathered: [UInt8] = []
  private var pasted: [UInt8] = []
  /// How many bytes of the end of a paste have been seen.
  private var endOfPasteCount = 0

  package init() {}

  /// Whether an escape sequence has begun that may be a lone Esc: to be asked again soon, or timed out.
  package var isWaiting: Bool {
    switch state {
    case .ground, .paste, .character: false
    case .escape, .controlSequence, .singleShift, .consoleFunction: true
    }
  }

  /// Decodes some bytes.
  ///
  /// - Parameter events: receives what is complete.
  package mutating func feed(_ bytes: Span<UInt8>, into events: inout [InputEvent]) {
    for index in 0..<bytes.count { feed(bytes[index], &events) }
  }

  /// No byte has come for a while: what has begun is all there is.
  package mutating func timeOut(into events: inout [InputEvent]) {
    switch state {
    case .escape: events.append(.key(Key(.escape)))
    case .controlSequence where gathered.isEmpty: events.append(.key(Key(.character("["), .alt)))
    case .singleShift: events.append(.key(Key(.character("O"), .alt)))
    case .ground, .paste, .character: return
    case .controlSequence, .consoleFunction: break
    }
    state = .ground
  }

  private mutating func feed(_ byte: UInt8, _ events: inout [InputEvent]) {
    switch state {
    case .ground: begin(byte, [], &events)
    case .character(let modifiers): continueCharacter(byte, modifiers, &events)
    case .escape: afterEscape(byte, &events)
    case .controlSequence: continueSequence(byte, &events)
    case .singleShift:
      state = .ground
      if byte < 0x20 || byte > 0x7E { return begin(byte, [], &events) }
      append(singleShift(byte), to: &events)
    case .consoleFunction:
      state = .ground
      if byte < 0x20 || byte > 0x7E { return begin(byte, [], &events) }
      if byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "E") {
        append(Key(.function(Int(byte &- UInt8(ascii: "A")) + 1)), to: &events)
      }
    case .paste: continuePaste(byte, &events)
    }
  }

  private func append(_ key: Key?, to events: inout [InputEvent]) {
    if let key { events.append(.key(key)) }
  }

  // MARK: Characters

  private mutating func begin(_ byte: UInt8, _ modifiers: KeyModifiers, _ events: inout [InputEvent]) {
    state = .ground
    switch byte {
    case 0x1B: state = .escape
    case 0x20...0x7E: events.append(.key(Key(.character(Unicode.Scalar(byte)), modifiers)))
    case 0x0D: events.append(.key(Key(.enter, modifiers)))
    case 0x09: events.append(.key(Key(.tab, modifiers)))
    case 0x08, 0x7F: events.append(.key(Key(.backspace, modifiers)))
    case 0x00: events.append(.key(Key(.character(" "), modifiers.union(.control))))
    case 0x01...0x1A:
      events.append(.key(Key(.character(Unicode.Scalar(byte &+ 0x60)), modifiers.union(.control))))
    case 0x1C...0x1F:
      events.append(.key(Key(.character(Unicode.Scalar(byte &+ 0x40)), modifiers.union(.control))))
    case 0xC2...0xF4:
      gathered = [byte]
      state = .character(modifiers: modifiers)
    default: break
    }
  }

  private mutating func continueCharacter(
    _ byte: UInt8, _ modifiers: KeyModifiers, _ events: inout [InputEvent]
  ) {
    guard byte & 0xC0 == 0x80 else { return begin(byte, [], &events) }
    gathered.append(byte)
    let length = gathered[0] < 0xE0 ? 2 : gathered[0] < 0xF0 ? 3 : 4
    if gathered.count < length { return }
    state = .ground
    let decoded = ScalarDecoder.decode(gathered.span, at: 0, end: gathered.count)
    // C1 controls are no characters that a person types.
    guard decoded.isValid, decoded.count == length, decoded.value >= 0xA0, let scalar = Unicode.Scalar(decoded.value)
    else { return }
    events.append(.key(Key(.character(scalar), modifiers)))
  }

  // MARK: Sequences

  private mutating func afterEscape(_ byte: UInt8, _ events: inout [InputEvent]) {
    switch byte {
    case UInt8(ascii: "["):
      gathered.removeAll(keepingCapacity: true)
      state = .controlSequence
    case UInt8(ascii: "O"): state = .singleShift
    case 0x1B: events.append(.key(Key(.escape)))
    default: begin(byte, .alt, &events)
    }
  }

  private mutating func continueSequence(_ byte: UInt8, _ events: inout [InputEvent]) {
    switch byte {
    case UInt8(ascii: "[") where gathered.isEmpty: state = .consoleFunction
    case 0x20...0x3F:
      if gathered.count <= KeyDecoder.longestSequence { gathered.append(byte) }
    case 0x40...0x7E:
      state = .ground
      if gathered.count <= KeyDecoder.longestSequence { finishSequence(byte, &events) }
    default: begin(byte, [], &events)
    }
  }

  private mutating func finishSequence(_ final: UInt8, _ events: inout [InputEvent]) {
    if gathered.first == UInt8(ascii: "<") {
      if let mouse = mouse(isRelease: final == UInt8(ascii: "m")), final | 0x20 == UInt8(ascii: "m") {
        events.append(.mouse(mouse))
      }
      return
    }
    guard gathered.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: ";") }) else { return }
    let parameters = KeyDecoder.numbers(gathered.span, from: 0)
    let first = parameters.first ?? 0
    let modifiers = KeyDecoder.modifiers(parameters.count > 1 ? parameters[1] : 1)
    switch final {
    case UInt8(ascii: "~"):
      if first == 200 {
        state = .paste
        pasted.removeAll()
        endOfPasteCount = 0
      } else if first == 27 && parameters.count > 2 {
        append(KeyDecoder.key(codePoint: parameters[2], modifiers), to: &events)
      } else {
        append(KeyDecoder.numbered(first).map { Key($0, modifiers) }, to: &events)
      }
    case UInt8(ascii: "^"):
      append(KeyDecoder.numbered(first).map { Key($0, .control) }, to: &events)
    case UInt8(ascii: "@"):
      append(KeyDecoder.numbered(first).map { Key($0, [.control, .shift]) }, to: &events)
    case UInt8(ascii: "u"): append(KeyDecoder.key(codePoint: first, modifiers), to: &events)
    case UInt8(ascii: "Z"): append(Key(.tab, modifiers.union(.shift)), to: &events)
    case UInt8(ascii: "a")...UInt8(ascii: "d"):
      append(KeyDecoder.lettered(final &- 0x20).map { Key($0, .shift) }, to: &events)
    default: append(KeyDecoder.lettered(final).map { Key($0, modifiers) }, to: &events)
    }
  }

  private func singleShift(_ byte: UInt8) -> Key? {
    switch byte {
    case UInt8(ascii: "M"): Key(.enter)
    case UInt8(ascii: "a")...UInt8(ascii: "d"): KeyDecoder.lettered(byte &- 0x20).map { Key($0, .control) }
    // The numeric keypad in application mode: `*` to `9` are `j` to `y`.
    case UInt8(ascii: "j")...UInt8(ascii: "y"): Key(.character(Unicode.Scalar(byte &- 0x40)))
    default: KeyDecoder.lettered(byte).map { Key($0) }
    }
  }

  /// Keys that end in a letter, after CSI and SS3 alike.
  private static func lettered(_ byte: UInt8) -> Key.Code? {
    switch byte {
    case UInt8(ascii: "A"): .up
    case UInt8(ascii: "B"): .down
    case UInt8(ascii: "C"): .right
    case UInt8(ascii: "D"): .left
    case UInt8(ascii: "H"): .home
    case UInt8(ascii: "F"): .end
    case UInt8(ascii: "P"): .function(1)
    case UInt8(ascii: "Q"): .function(2)
    case UInt8(ascii: "R"): .function(3)
    case UInt8(ascii: "S"): .function(4)
    default: nil
    }
  }

  /// Keys that are a number and a tilde.
  private static func numbered(_ number: Int) -> Key.Code? {
    switch number {
    case 1, 7: .home
    case 2: .insert
    case 3: .delete
    case 4, 8: .end
    case 5: .pageUp
    case 6: .pageDown
    case 11...15: .function(number - 10)
    case 17...21: .function(number - 11)
    case 23, 24: .function(number - 12)
    default: nil
    }
  }

  /// A key given by its code point, as `CSI u` and xterm's modifyOtherKeys do.
  private static func key(codePoint: Int, _ modifiers: KeyModifiers) -> Key? {
    switch codePoint {
    case 9: return Key(.tab, modifiers)
    case 13, 57414: return Key(.enter, modifiers)
    case 27: return Key(.escape, modifiers)
    case 8, 127: return Key(.backspace, modifiers)
    default:
      // The private-use area is where kitty puts keys without a character.
      guard codePoint >= 0x20, !(0x7F..<0xA0).contains(codePoint), !(0xE000...0xF8FF).contains(codePoint),
        let scalar = UInt32(exactly: codePoint).flatMap(Unicode.Scalar.init)
      else { return nil }
      if modifiers.contains(.shift), !modifiers.contains(.control), codePoint >= 0x61, codePoint <= 0x7A {
        return Key(.character(Unicode.Scalar(UInt8(codePoint - 0x20))), modifiers.subtracting(.shift))
      }
      return Key(.character(scalar), modifiers)
    }
  }

  /// xterm's number for modifiers is one more than their bits.
  private static func modifiers(_ parameter: Int) -> KeyModifiers {
    KeyModifiers(rawValue: UInt8(truncatingIfNeeded: max(0, parameter - 1) & 7))
  }

  /// Numbers between semicolons; what stands after a colon is passed over, an empty number is 0.
  private static func numbers(_ text: Span<UInt8>, from start: Int) -> [Int] {
    var numbers = [0]
    var isSub = false
    for index in min(start, text.count)..<text.count {
      let byte = text[index]
      if byte == UInt8(ascii: ";") {
        numbers.append(0)
        isSub = false
      } else if byte == UInt8(ascii: ":") {
        isSub = true
      } else if byte >= 0x30 && byte <= 0x39 && !isSub {
        let last = numbers.count - 1
        numbers[last] = min(numbers[last] * 10 + Int(byte &- 0x30), 1 << 24)
      }
    }
    return numbers
  }

  // MARK: Mouse and paste

  private func mouse(isRelease: Bool) -> MouseEvent? {
    let numbers = KeyDecoder.numbers(gathered.span, from: 1)
    guard numbers.count == 3, numbers[1] > 0, numbers[2] > 0 else { return nil }
    let bits = numbers[0]
    let kind: MouseEvent.Kind
    if bits & 64 != 0 {
      if isRelease || bits & 128 != 0 { return nil }
      kind = [.wheelUp, .wheelDown, .wheelLeft, .wheelRight][bits & 3]
    } else {
      let button = bits & 3
      if button == 3 || bits & 128 != 0 { return nil }
      kind = isRelease ? .release(button) : bits & 32 != 0 ? .drag(button) : .press(button)
    }
    var modifiers: KeyModifiers = []
    if bits & 4 != 0 { modifiers.insert(.shift) }
    if bits & 8 != 0 { modifiers.insert(.alt) }
    if bits & 16 != 0 { modifiers.insert(.control) }
    return MouseEvent(kind, columnIndex: numbers[1] - 1, lineIndex: numbers[2] - 1, modifiers)
  }

  private mutating func continuePaste(_ byte: UInt8, _ events: inout [InputEvent]) {
    // A paste whose end was lost is left by Ctrl-C, which terminals do not let through in one.
    if byte == 0x03 {
      pasted = []
      endOfPasteCount = 0
      state = .ground
      return begin(byte, [], &events)
    }
    if byte == KeyDecoder.endOfPaste[endOfPasteCount] {
      endOfPasteCount += 1
      if endOfPasteCount < KeyDecoder.endOfPaste.count { return }
      events.append(.paste(pasted))
      pasted = []
      state = .ground
      return
    }
    // ESC stands only at the beginning of the end mark, so what matched so far is text, and this byte may begin anew.
    if pasted.count < KeyDecoder.longestPaste {
      pasted += KeyDecoder.endOfPaste[..<endOfPasteCount]
      endOfPasteCount = 0
      if byte == 0x1B { endOfPasteCount = 1 } else { pasted.append(byte) }
    } else {
      endOfPasteCount = byte == 0x1B ? 1 : 0
    }
  }
}
