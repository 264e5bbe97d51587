// Writing into the grid: cutting at edges, wide glyphs kept whole, marks joined to what they belong to.

import TerminalIO
import Testing

@Suite struct ScreenBufferTests {
  @Test(arguments: [
    ("abc", 0, 10, "abc       ", 3), ("abcdef", 7, 10, "       abc", 3), ("漢字", 0, 3, "漢        ", 2),
    ("漢字", 7, 10, "       漢 ", 2), ("漢", 9, 10, "          ", 0), ("e\u{301}x", 0, 10, "e\u{301}x        ", 2),
    ("👨‍👩‍👧‍👦!", 0, 10, "👨‍👩‍👧‍👦!       ", 3), ("\u{301}a", 0, 10, "a         ", 1),
    ("a\u{1B}[2Jb\u{9B}", 0, 10, "a\u{FFFD}[2Jb\u{FFFD}   ", 7), ("x\u{200B}y", 0, 10, "x\u{200B}y        ", 2),
  ])
  func write(_ text: String, _ column: Int, _ limit: Int, _ expected: String, _ cells: Int) {
    var screen = ScreenBuffer(columnCount: 10, lineCount: 1)
    #expect(screen.write(text, columnIndex: column, lineIndex: 0, limit: limit) == cells)
    #expect(screen.text(ofLine: 0) == expected)
  }

  @Test func overwritingAPartOfAWideGlyphLeavesBlanks() {
    var screen = ScreenBuffer(columnCount: 6, lineCount: 1)
    screen.write("漢字", columnIndex: 0, lineIndex: 0)
    screen.write("x", columnIndex: 1, lineIndex: 0)
    #expect(screen.text(ofLine: 0) == " x字  ")
    screen.write("y", columnIndex: 2, lineIndex: 0)
    #expect(screen.text(ofLine: 0) == " xy   ")
  }

  @Test func writingOutsideDoesNothing() {
    var screen = ScreenBuffer(columnCount: 3, lineCount: 2)
    for (column, line) in [(-1, 0), (3, 0), (0, -1), (0, 2), (.max, 0), (0, .max), (.min, .min)] {
      screen.write("x漢", columnIndex: column, lineIndex: line)
      screen.fill(lineIndex: line, from: column, count: column == -1 ? 1 : .max, style: .bold)
    }
    // A fill that begins before the edge reaches into the line.
    #expect(screen.text(ofLine: 0) == "   " && screen.text(ofLine: 1) == "   ")
    screen.write("x", columnIndex: 0, lineIndex: 0, limit: -5)
    #expect(screen.text(ofLine: 0) == "   ")
  }

  @Test func aSizeOfNothingIsOneByOne() {
    for size in [0, -3, .min] {
      let screen = ScreenBuffer(columnCount: size, lineCount: size)
      #expect(screen.columnCount == 1 && screen.lineCount == 1)
    }
    #expect(ScreenBuffer(columnCount: 1, lineCount: .max).lineCount == ScreenBuffer.longestSide)
  }

  @Test func marksWithoutEndAreCut() {
    var screen = ScreenBuffer(columnCount: 4, lineCount: 1)
    screen.write("a" + String(repeating: "\u{301}", count: 100_000) + "b", columnIndex: 0, lineIndex: 0)
    #expect(screen.text(ofLine: 0).utf8.count <= ScreenBuffer.longestGlyph + 3)
  }

  @Test func stylesCombine() {
    var style = Style.bold.adding(.color(4)).adding(.underline)
    style.background = 255
    #expect(style.foreground == 4 && style.background == 255)
    #expect(style.has(.bold) && style.has(.underline) && !style.has(.reverse))
    #expect(style.flipped.has(.reverse) && style.flipped.flipped == style)
    style.foreground = nil
    #expect(style.foreground == nil && style.background == 255)
  }

  @Test func capability() {
    #expect(ColorCapability(term: "xterm-256color", colorTerm: nil, noColor: nil) == .indexed)
    #expect(ColorCapability(term: "xterm-256color", colorTerm: nil, noColor: "1") == .none)
    #expect(ColorCapability(term: "xterm-256color", colorTerm: nil, noColor: "") == .indexed)
    #expect(ColorCapability(term: "linux", colorTerm: nil, noColor: nil) == .sixteen)
    #expect(ColorCapability(term: "vt100", colorTerm: nil, noColor: nil) == .none)
    #expect(ColorCapability(term: nil, colorTerm: nil, noColor: nil) == .none)
  }
}
