// From one screen to the next: the bytes that change what the terminal shows, and no more. It writes nothing itself and
// assumes nothing about the terminal but that it shows the old screen: position and style are set anew each time.
//
// Lines that have only moved are moved by the terminal: a scroll region (DECSTBM) and deleted or inserted lines (DL, IL),
// which every terminal has, the Linux console too, where scrolling by SU and SD is missing. The move is applied to a copy
// of the old screen, and what still differs is sent; so a wrong guess costs bytes, never a wrong screen.

/// Encodes the difference between screens.
package struct ANSIEncoder: Sendable {
  private let colors: ColorCapability
  /// Unchanged cells in between that are cheaper sent again than jumped over.
  private static let shortGap = 5
  /// Scrolling by fewer lines than this many saved is not worth its sequences.
  private static let leastLinesSaved = 2

  private var oldHashes: [UInt64] = []
  private var newHashes: [UInt64] = []
  // What the terminal has been told in this frame; nil: not known.
  private var position: (columnIndex: Int, lineIndex: Int)?
  private var style: Style?

  package init(colors: ColorCapability) { self.colors = colors }

  /// Appends what turns `old` into `new`.
  ///
  /// - Parameters:
  ///   - old: what the terminal shows; nil, or a screen of another size, where that is not known: all is sent.
  ///   - insertion: what has moved to the right, where somebody knows of it; a wrong word costs bytes only.
  ///   - output: receives the bytes; nothing where both look the same.
  package mutating func encode(
    from old: ScreenBuffer?, to new: ScreenBuffer, inserting insertion: ScreenInsertion? = nil,
    into output: inout [UInt8]
  ) {
    position = nil
    style = nil
    let start = output.count
    output += "\u{1B}[?2026h".utf8
    let opened = output.count
    if var old, old.columnCount == new.columnCount, old.lineCount == new.lineCount {
      if let insertion, insertion.columnIndex + insertion.count < new.columnCount {
        old.insert(insertion)
        appendInsertion(insertion, lineCount: new.lineCount, to: &output)
      }
      if let move = scroll(from: old, to: new) {
        var moved = old
        moved.scroll(move.lines, by: move.distance)
        appendScroll(move.lines, by: move.distance, lineCount: new.lineCount, to: &output)
        appendChanges(from: moved, to: new, into: &output)
      } else {
        appendChanges(from: old, to: new, into: &output)
      }
      appendCursor(from: old, to: new, isMoved: output.count > opened, into: &output)
    } else {
      appendStyle(.plain, to: &output)
      output += "\u{1B}[r\u{1B}[H\u{1B}[2J".utf8
      let blank = ScreenBuffer(columnCount: new.columnCount, lineCount: new.lineCount)
      appendChanges(from: blank, to: new, into: &output)
      appendCursor(from: nil, to: new, isMoved: true, into: &output)
    }
    if output.count == opened {
      output.removeSubrange(start...)
      return
    }
    output += "\u{1B}[?2026l".utf8
  }

  // MARK: Scrolling

  /// The lines that are best moved by the terminal, if any.
  private mutating func scroll(
    from old: ScreenBuffer, to new: ScreenBuffer
  ) -> (lines: Range<Int>, distance: Int)? {
    let count = new.lineCount
    oldHashes.removeAll(keepingCapacity: true)
    newHashes.removeAll(keepingCapacity: true)
    var changedCount = 0
    for line in 0..<count {
      oldHashes.append(old.hash(ofLine: line))
      newHashes.append(new.hash(ofLine: line))
      if oldHashes[line] != newHashes[line] { changedCount += 1 }
    }
    if changedCount < ANSIEncoder.leastLinesSaved { return nil }
    var best: (lines: Range<Int>, distance: Int)?
    var bestSaved = ANSIEncoder.leastLinesSaved - 1
    for size in 1..<max(2, count) {
      for distance in [size, -size] {
        if let found = band(distance), found.saved > bestSaved {
          best = (found.lines, distance)
          bestSaved = found.saved
        }
      }
    }
    return best
  }

  /// The lines that would have to scroll so that all that have moved by `distance` come to their places, and how many
  /// lines need not be sent then.
  private func band(_ distance: Int) -> (lines: Range<Int>, saved: Int)? {
    let count = newHashes.count
    var first: Int?
    var last = 0
    for line in max(0, -distance)..<max(0, -distance, min(count, count - distance)) {
      if newHashes[line] == oldHashes[line + distance] && newHashes[line] != oldHashes[line] {
        if first == nil { first = line }
        last = line
      }
    }
    guard let first else { return nil }
    let lines = min(first, first + distance)..<(max(last, last + distance) + 1)
    var saved = 0
    for line in lines {
      if newHashes[line] == oldHashes[line] { saved -= 1 }
      if lines.contains(line + distance), newHashes[line] == oldHashes[line + distance] { saved += 1 }
    }
    return (lines, saved)
  }

  private mutating func appendScroll(
    _ lines: Range<Int>, by distance: Int, lineCount: Int, to output: inout [UInt8]
  ) {
    // Lines that come free take the background that is set.
    appendStyle(.plain, to: &output)
    let isWhole = lines == 0..<lineCount
    if !isWhole {
      output += "\u{1B}[".utf8
      ANSIEncoder.append(lines.lowerBound + 1, to: &output)
      output.append(UInt8(ascii: ";"))
      ANSIEncoder.append(lines.upperBound, to: &output)
      output.append(UInt8(ascii: "r"))
    }
    position = nil
    appendMove(columnIndex: 0, lineIndex: lines.lowerBound, to: &output)
    output += "\u{1B}[".utf8
    ANSIEncoder.append(abs(distance), to: &output)
    output.append(distance > 0 ? UInt8(ascii: "M") : UInt8(ascii: "L"))
    if !isWhole { output += "\u{1B}[r".utf8 }
    position = nil
  }

  private mutating func appendInsertion(_ insertion: ScreenInsertion, lineCount: Int, to output: inout [UInt8]) {
    appendStyle(.plain, to: &output)
    for line in insertion.lines.clamped(to: 0..<lineCount) {
      position = nil
      appendMove(columnIndex: insertion.columnIndex, lineIndex: line, to: &output)
      output += "\u{1B}[".utf8
      ANSIEncoder.append(insertion.count, to: &output)
      output.append(UInt8(ascii: "@"))
    }
  }

  // MARK: Changes

  private mutating func appendChanges(
    from old: ScreenBuffer, to new: ScreenBuffer, into output: inout [UInt8]
  ) {
    for line in 0..<new.lineCount { appendChanges(line, from: old, to: new, into: &output) }
  }

  private mutating func appendChanges(
    _ line: Int, from old: ScreenBuffer, to new: ScreenBuffer, into output: inout [UInt8]
  ) {
    let columns = new.columnCount
    let base = line * columns
    var column = 0
    // From here on the new line is blank; the old one is erased at once where that is shorter.
    var tail = columns
    while tail > 0 && new.cells[base + tail - 1] == .blank { tail -= 1 }
    while column < columns {
      if new.isSame(base + column, as: old, base + column) {
        column += 1
        continue
      }
      // A wide glyph is sent from its beginning.
      while column > 0 && new.cells[base + column].width == 0 { column -= 1 }
      if column >= tail {
        var changed = columns
        while changed > column && old.cells[base + changed - 1] == .blank { changed -= 1 }
        if changed - column > 4 {
          appendMove(columnIndex: column, lineIndex: line, to: &output)
          appendStyle(.plain, to: &output)
          output += "\u{1B}[K".utf8
          return
        }
      }
      var end = column
      var unchangedCount = 0
      var lastChanged = column
      while end < columns && unchangedCount <= ANSIEncoder.shortGap && (end < tail || column >= tail) {
        if new.isSame(base + end, as: old, base + end) {
          unchangedCount += 1
        } else {
          unchangedCount = 0
          lastChanged = end
        }
        end += 1
      }
      var next = column
      while next <= lastChanged {
        appendCell(next, line, of: new, to: &output)
        next += max(1, Int(new.cells[base + next].width))
      }
      column = next
    }
  }

  private mutating func appendCell(_ column: Int, _ line: Int, of new: ScreenBuffer, to output: inout [UInt8]) {
    let cell = new.cells[line * new.columnCount + column]
    appendMove(columnIndex: column, lineIndex: line, to: &output)
    appendStyle(cell.style, to: &output)
    if cell.width > 1 && !isPlain(cell) {
      // A terminal that draws it narrower, as tmux and xterm do with emoji by a variation selector, leaves the rest as it
      // was: that is blanked first.
      for _ in 0..<cell.width { output.append(0x20) }
      output += "\u{1B}[".utf8
      ANSIEncoder.append(column + 1, to: &output)
      output.append(UInt8(ascii: "G"))
    }
    if cell.glyph < 0x80 {
      // A place that lost its wide glyph has nothing in it.
      output.append(cell.glyph == 0 ? 0x20 : UInt8(truncatingIfNeeded: cell.glyph))
    } else {
      new.appendGlyph(of: cell, to: &output)
    }
    let next = column + max(1, Int(cell.width))
    // Terminals differ in how wide they draw clusters and emoji, and join neighbours into one; after such a glyph, and
    // at the edge, the place is told anew.
    position = next < new.columnCount && isPlain(cell) ? (next, line) : nil
  }

  /// Whether every terminal takes a glyph for one character of the width it has here: ASCII, or one code point of the
  /// first plane outside the blocks that join (Hangul letters, Indic and other scripts with signs that stand apart).
  private func isPlain(_ cell: Cell) -> Bool {
    let glyph = cell.glyph
    if glyph < 0x80 { return true }
    if glyph < 0x1_0000 { return glyph & 0xFF < 0xD8 }
    // What is wide and begins with E2 is emoji, which older terminals draw narrow.
    return glyph < 0x100_0000 && glyph & 0xFF >= 0xE2 && !(glyph & 0xFF == 0xE2 && cell.width != 1)
  }

  private mutating func appendCursor(
    from old: ScreenBuffer?, to new: ScreenBuffer, isMoved: Bool, into output: inout [UInt8]
  ) {
    if let cursor = new.cursor {
      let column = min(max(0, cursor.columnIndex), new.columnCount - 1)
      let line = min(max(0, cursor.lineIndex), new.lineCount - 1)
      let isElsewhere = old?.cursor.map { $0.columnIndex != column || $0.lineIndex != line } ?? true
      if isMoved || isElsewhere { appendMove(columnIndex: column, lineIndex: line, to: &output) }
      if old?.cursor == nil { output += "\u{1B}[?25h".utf8 }
    } else if old == nil || old?.cursor != nil {
      output += "\u{1B}[?25l".utf8
    }
  }

  // MARK: Sequences

  private mutating func appendMove(columnIndex: Int, lineIndex: Int, to output: inout [UInt8]) {
    if let position, position.lineIndex == lineIndex {
      if position.columnIndex == columnIndex { return }
      output += "\u{1B}[".utf8
      if columnIndex > position.columnIndex {
        ANSIEncoder.append(columnIndex - position.columnIndex, to: &output)
        output.append(UInt8(ascii: "C"))
      } else {
        ANSIEncoder.append(columnIndex + 1, to: &output)
        output.append(UInt8(ascii: "G"))
      }
    } else {
      output += "\u{1B}[".utf8
      ANSIEncoder.append(lineIndex + 1, to: &output)
      output.append(UInt8(ascii: ";"))
      ANSIEncoder.append(columnIndex + 1, to: &output)
      output.append(UInt8(ascii: "H"))
    }
    position = (columnIndex, lineIndex)
  }

  private mutating func appendStyle(_ wanted: Style, to output: inout [UInt8]) {
    var wanted = wanted
    limit(&wanted)
    if style == wanted { return }
    style = wanted
    output += "\u{1B}[".utf8
    if wanted != .plain { output.append(UInt8(ascii: "0")) }
    for (attribute, code) in ANSIEncoder.attributes where wanted.has(attribute) {
      output.append(UInt8(ascii: ";"))
      output.append(code)
    }
    if let color = wanted.foreground { appendColor(color, base: 30, to: &output) }
    if let color = wanted.background { appendColor(color, base: 40, to: &output) }
    output.append(UInt8(ascii: "m"))
  }

  private static let attributes: [(Style, UInt8)] = [
    (.bold, UInt8(ascii: "1")), (.dim, UInt8(ascii: "2")), (.italic, UInt8(ascii: "3")),
    (.underline, UInt8(ascii: "4")), (.reverse, UInt8(ascii: "7")),
  ]

  /// Takes away the colours that the terminal does not have.
  private func limit(_ style: inout Style) {
    let most: Int =
      switch colors {
      case .none: -1
      case .sixteen: 15
      case .indexed: 255
      }
    if let color = style.foreground, Int(color) > most { style.foreground = nil }
    if let color = style.background, Int(color) > most { style.background = nil }
  }

  /// - Parameter base: 30 for the text, 40 for what is behind it.
  private func appendColor(_ color: UInt8, base: Int, to output: inout [UInt8]) {
    output.append(UInt8(ascii: ";"))
    if color < 8 {
      ANSIEncoder.append(base + Int(color), to: &output)
    } else if color < 16 {
      ANSIEncoder.append(base + 52 + Int(color), to: &output)
    } else {
      ANSIEncoder.append(base + 8, to: &output)
      output += ";5;".utf8
      ANSIEncoder.append(Int(color), to: &output)
    }
  }

  /// Appends a number from 0 on.
  private static func append(_ number: Int, to output: inout [UInt8]) {
    if number >= 10 { append(number / 10, to: &output) }
    output.append(UInt8(ascii: "0") &+ UInt8(number % 10))
  }
}
