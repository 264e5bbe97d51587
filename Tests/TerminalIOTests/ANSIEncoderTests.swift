// The encoder against the emulated terminal: whatever the screens, what is sent turns the one into the other; and how
// little is sent where little has changed.

import TerminalIO
import TestSupport
import Testing

private func terminal(_ columnCount: Int, _ lineCount: Int) -> VirtualTerminal {
  var terminal = VirtualTerminal(columnCount: columnCount, lineCount: lineCount) {
    DisplayWidth.cells(Array($0.utf8))
  }
  terminal.receive(Array("\u{1B}[?7l".utf8))
  return terminal
}

private func virtual(_ style: Style) -> VirtualStyle {
  var result = VirtualStyle()
  result.isBold = style.has(.bold)
  result.isDim = style.has(.dim)
  result.isItalic = style.has(.italic)
  result.isUnderlined = style.has(.underline)
  result.isReversed = style.has(.reverse)
  result.foreground = style.foreground.map(Int.init)
  result.background = style.background.map(Int.init)
  return result
}

/// Whether the emulated terminal shows a screen, text, style and cursor.
private func shows(_ terminal: VirtualTerminal, _ screen: ScreenBuffer) -> Bool {
  for line in 0..<screen.lineCount {
    for column in 0..<screen.columnCount {
      let cell = screen[column, line]
      var bytes: [UInt8] = []
      screen.appendGlyph(of: cell, to: &bytes)
      if terminal.lines[line][column].text != String(decoding: bytes, as: UTF8.self) { return false }
      if terminal.lines[line][column].style != virtual(cell.style) { return false }
    }
  }
  guard terminal.unknown.isEmpty, terminal.strayControls.isEmpty else { return false }
  guard let cursor = screen.cursor else { return !terminal.isCursorVisible }
  return terminal.isCursorVisible && terminal.cursor == (cursor.columnIndex, cursor.lineIndex)
}

private let pieces = [
  "a", "b", "  ", "hello", "12345", "漢字", "한", "é", "e\u{301}", "👩‍💻", "👨‍👩‍👧‍👦", "🇮🇸", "❤\u{FE0F}", "✅", "1️⃣", "…", "│", "नि",
  "שלום",
]

private func scribble(_ screen: inout ScreenBuffer, _ random: inout SeededGenerator, strokes: Int) {
  for _ in 0..<strokes {
    var style = random.pick([Style.plain, .plain, .bold, .reverse, Style.dim.adding(.underline), .color(3)])
    if random.oneIn(6) { style.background = UInt8(random.below(256)) }
    let line = random.below(screen.lineCount)
    let column = random.below(screen.columnCount)
    if random.oneIn(4) {
      screen.fill(lineIndex: line, from: column, count: 1 + random.below(20), style: style)
    } else {
      let text = (0..<(1 + random.below(4))).map { _ in random.pick(pieces) }.joined(separator: " ")
      screen.write(text, columnIndex: column, lineIndex: line, style: style)
    }
  }
  screen.cursor =
    random.oneIn(2) ? nil : (random.below(screen.columnCount), random.below(screen.lineCount))
}

@Suite struct ANSIEncoderTests {
  /// Whatever is said to have moved, the screen comes out right.
  @Test(arguments: 0..<20) func insertionsAreAGuess(_ seed: Int) {
    var random = SeededGenerator(seed: UInt64(1000 + seed))
    let columns = 2 + random.below(40)
    let lines = 1 + random.below(14)
    var terminal = terminal(columns, lines)
    var encoder = ANSIEncoder(colors: .indexed)
    var old = ScreenBuffer(columnCount: columns, lineCount: lines)
    var first: [UInt8] = []
    encoder.encode(from: nil, to: old, into: &first)
    terminal.receive(first)
    for step in 0..<30 {
      var screen = old
      scribble(&screen, &random, strokes: random.below(8))
      let first = random.below(lines)
      let insertion = ScreenInsertion(
        lines: first..<(first + 1 + random.below(lines)), columnIndex: random.below(columns), count: 1 + random.below(3)
      )
      var bytes: [UInt8] = []
      encoder.encode(from: old, to: screen, inserting: insertion, into: &bytes)
      terminal.receive(bytes)
      let isShown = shows(terminal, screen)
      #expect(isShown, "step \(step)")
      old = screen
    }
  }

  @Test func whatHasMovedToTheRightIsNotSentAgain() {
    var old = ScreenBuffer(columnCount: 80, lineCount: 20)
    var new = old
    for line in 0..<20 {
      let text = "row \(line) " + String(repeating: "text ", count: 13)
      old.write(text, columnIndex: 0, lineIndex: line)
      new.write(" " + text, columnIndex: 0, lineIndex: line)
    }
    var encoder = ANSIEncoder(colors: .none)
    var bytes: [UInt8] = []
    encoder.encode(
      from: old, to: new, inserting: ScreenInsertion(lines: 0..<20, columnIndex: 0, count: 1), into: &bytes)
    #expect(bytes.count < 20 * 14)
  }

  /// tmux 3.3 and xterm draw emoji by a variation selector one cell wide: what stood in the second is not to stay.
  @Test func aGlyphThatIsDrawnNarrowLeavesNothingBeside() {
    var terminal = VirtualTerminal(columnCount: 12, lineCount: 1) { text in
      text.unicodeScalars.contains("\u{FE0F}") ? 1 : DisplayWidth.cells(Array(text.utf8))
    }
    terminal.receive(Array("\u{1B}[?7l".utf8))
    var encoder = ANSIEncoder(colors: .none)
    var old = ScreenBuffer(columnCount: 12, lineCount: 1)
    old.write("abcdefghijkl", columnIndex: 0, lineIndex: 0)
    var new = ScreenBuffer(columnCount: 12, lineCount: 1)
    new.write("ab❄️efghij❄️", columnIndex: 0, lineIndex: 0)
    var bytes: [UInt8] = []
    encoder.encode(from: nil, to: old, into: &bytes)
    encoder.encode(from: old, to: new, into: &bytes)
    terminal.receive(bytes)
    #expect(terminal.text(ofLine: 0) == "ab❄️ efghij❄️")
  }

  @Test(arguments: 0..<40) func theTerminalShowsTheNewScreen(_ seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let columns = 1 + random.below(40)
    let lines = 1 + random.below(14)
    var terminal = terminal(columns, lines)
    var encoder = ANSIEncoder(colors: .indexed)
    var old: ScreenBuffer?
    var screen = ScreenBuffer(columnCount: columns, lineCount: lines)
    for step in 0..<30 {
      if random.oneIn(8) { screen.clear() }
      scribble(&screen, &random, strokes: random.below(step == 0 ? 40 : 8))
      var bytes: [UInt8] = []
      encoder.encode(from: old, to: screen, into: &bytes)
      terminal.receive(bytes)
      #expect(shows(terminal, screen), "step \(step)\n\(terminal.text)")
      old = screen
      bytes = []
      encoder.encode(from: old, to: screen, into: &bytes)
      #expect(bytes.isEmpty)
    }
  }

  @Test(arguments: 0..<40) func scrolledScreensAreShown(_ seed: Int) {
    var random = SeededGenerator(seed: UInt64(1000 + seed))
    let columns = 10 + random.below(40)
    let lines = 3 + random.below(20)
    let texts = (0..<200).map { number in "\(number) " + (0..<3).map { _ in random.pick(pieces) }.joined() }
    var terminal = terminal(columns, lines)
    var encoder = ANSIEncoder(colors: .sixteen)
    var old: ScreenBuffer?
    var top = 50
    for _ in 0..<30 {
      top = min(max(0, top + random.below(9) - 4), 150)
      let cursor = random.below(lines)
      var screen = ScreenBuffer(columnCount: columns, lineCount: lines)
      screen.write("header", columnIndex: 0, lineIndex: 0, style: .bold)
      for line in 1..<(lines - 1) {
        screen.write(texts[top + line], columnIndex: 0, lineIndex: line, style: line == cursor ? .reverse : .plain)
      }
      screen.write("status \(top)", columnIndex: 0, lineIndex: lines - 1)
      var bytes: [UInt8] = []
      encoder.encode(from: old, to: screen, into: &bytes)
      terminal.receive(bytes)
      #expect(shows(terminal, screen))
      old = screen
    }
  }

  /// Lines of numbers with a header, a cursor line and a status line, as the viewer has them.
  private func table(top: Int, cursor: Int) -> ScreenBuffer {
    var screen = ScreenBuffer(columnCount: 200, lineCount: 60)
    screen.fill(lineIndex: 0, style: .bold)
    screen.write("header", columnIndex: 0, lineIndex: 0, style: .bold)
    for line in 1..<59 {
      let style = line == cursor ? Style.reverse : .plain
      screen.fill(lineIndex: line, style: style)
      for column in 0..<20 {
        let text = "\((top + line) &* (column + 7919) % 99991)"
        screen.write(text, columnIndex: column * 10, lineIndex: line, style: column == 0 ? .dim : style)
      }
    }
    screen.write("row \(top + cursor)", columnIndex: 0, lineIndex: 59, style: .reverse)
    return screen
  }

  @Test(arguments: [(100, 58, 101, 58), (100, 1, 99, 1), (100, 30, 101, 29), (100, 30, 100, 31)])
  func aLineOfScrollingSendsLittle(_ top: Int, _ cursor: Int, _ newTop: Int, _ newCursor: Int) {
    let old = table(top: top, cursor: cursor)
    let new = table(top: newTop, cursor: newCursor)
    var terminal = terminal(200, 60)
    var encoder = ANSIEncoder(colors: .indexed)
    var bytes: [UInt8] = []
    encoder.encode(from: nil, to: old, into: &bytes)
    terminal.receive(bytes)
    bytes = []
    encoder.encode(from: old, to: new, into: &bytes)
    #expect(bytes.count <= 1024, "\(bytes.count)")
    terminal.receive(bytes)
    #expect(shows(terminal, new))
  }

  @Test func aFrameIsSentAsOne() {
    var encoder = ANSIEncoder(colors: .none)
    var screen = ScreenBuffer(columnCount: 3, lineCount: 1)
    screen.write("x", columnIndex: 1, lineIndex: 0, style: Style.bold.adding(.color(1)))
    var bytes: [UInt8] = []
    encoder.encode(from: nil, to: screen, into: &bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text == "\u{1B}[?2026h\u{1B}[m\u{1B}[r\u{1B}[H\u{1B}[2J\u{1B}[1;2H\u{1B}[0;1mx\u{1B}[?25l\u{1B}[?2026l")
  }

  @Test func coloursThatAreNotThereAreLeftOut() {
    var encoder = ANSIEncoder(colors: .sixteen)
    var screen = ScreenBuffer(columnCount: 8, lineCount: 1)
    screen.write("a", columnIndex: 0, lineIndex: 0, style: .color(9))
    screen.write("b", columnIndex: 1, lineIndex: 0, style: .color(200))
    var terminal = terminal(8, 1)
    var bytes: [UInt8] = []
    encoder.encode(from: nil, to: screen, into: &bytes)
    terminal.receive(bytes)
    #expect(terminal.styledRuns(ofLine: 0) == ["f9:a"])
    #expect(terminal.text == "ab")
  }
}
