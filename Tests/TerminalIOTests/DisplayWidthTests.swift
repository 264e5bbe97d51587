// Cells of the terminal, case by case, and against an obvious twin that goes by Swift's own graphemes.

import TerminalIO
import TestSupport
import Testing

@Suite struct DisplayWidthTests {
  @Test(arguments: [
    ("", 0), ("plain ASCII", 11), ("12345678901234567", 17),
    ("漢字", 4), ("テスト", 6), ("한국어", 6), ("ｆｕｌｌ", 8), ("ﾊﾝｶｸ", 4),
    ("\u{1112}\u{1161}\u{11AB}", 2), ("é", 1), ("e\u{301}", 1), ("xe\u{301}\u{323}y", 3),
    ("👩‍💻", 2), ("👨‍👩‍👧‍👦", 2), ("👍🏽", 2), ("☝🏽", 2), ("🏳️‍🌈", 2), ("❤️‍🔥", 2), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2),
    ("🇮🇸", 2), ("🇮🇸🇩🇪", 4), ("🇮", 1), ("1️⃣", 2), ("a1️⃣b", 4), ("1\u{20E3}", 1), ("#️⃣", 2),
    ("❤", 1), ("❤\u{FE0F}", 2), ("✅", 2), ("⌚\u{FE0E}", 2), ("❤\u{FE0E}", 1), ("a\u{FE0F}", 1),
    ("नि", 2), ("क्ष", 2), ("กำ", 2), ("שלום", 4), ("a\u{AD}b", 3), ("zero\u{200B}width", 9), ("a\u{200D}b", 2),
    ("…", 1), ("─", 1), ("Ω≈ç√", 4), ("Привет", 6), ("\u{FFFD}", 1), ("\u{E000}", 1),
  ])
  func cells(_ text: String, _ expected: Int) {
    #expect(DisplayWidth.cells(Array(text.utf8)) == expected)
  }

  @Test func brokenTextTakesOneCellAPiece() {
    #expect(DisplayWidth.cells([0x61, 0xFF, 0x62]) == 3)
    #expect(DisplayWidth.cells([0xE4, 0xBC]) == 1)
    #expect(DisplayWidth.cells([0xED, 0xA0, 0x80]) == 1)
  }

  @Test(arguments: [
    ("abcdef", 3, "abc", 3), ("abc", 3, "abc", 3), ("abc", 9, "abc", 3), ("abc", 0, "", 0),
    ("漢字", 3, "漢", 2), ("漢字", 1, "", 0), ("ae\u{301}b", 2, "ae\u{301}", 2), ("ae\u{301}b", 1, "a", 1),
    ("abc\u{301}", 3, "abc\u{301}", 3), ("abc\u{301}", 2, "ab", 2), ("x👨‍👩‍👧‍👦y", 2, "x", 1), ("x👨‍👩‍👧‍👦y", 3, "x👨‍👩‍👧‍👦", 3),
    ("🇮🇸🇩🇪", 3, "🇮🇸", 2), ("12️⃣", 2, "1", 1),
  ])
  func prefixEndsBetweenGraphemes(_ text: String, _ limit: Int, _ expected: String, _ cells: Int) {
    let bytes = Array(text.utf8)
    let prefix = DisplayWidth.prefix(bytes.span, in: 0..<bytes.count, cells: limit)
    #expect(Array(bytes[..<prefix.end]) == Array(expected.utf8))
    #expect(prefix.cells == cells)
  }

  @Test func aPrefixOfBrokenTextStaysInsideIt() {
    for bytes: [UInt8] in [[0xFF], [0xFF, 0xFE, 0x61], [0xE4, 0xBC], [0x61, 0xED, 0xA0, 0x80]] {
      for limit in -1...4 {
        let prefix = DisplayWidth.prefix(bytes.span, in: 0..<bytes.count, cells: limit)
        #expect(prefix.end <= bytes.count)
      }
    }
  }

  @Test func widthsAddUpOverGraphemes() {
    var random = SeededGenerator(seed: 5)
    let pieces = [
      "a", "1", "é", "e\u{301}", "漢", "한", "👩", "\u{200D}", "💻", "❤", "\u{FE0F}", "🇮", "🇸", "🏽", "☝", "\u{20E3}",
      "नि", " ", "ü", "…", "1️⃣",
    ]
    for _ in 0..<2000 {
      let text = (0..<random.below(12)).map { _ in random.pick(pieces) }.joined()
      let whole = DisplayWidth.cells(Array(text.utf8))
      let sum = text.reduce(0) { $0 + DisplayWidth.cells(Array(String($1).utf8)) }
      #expect(whole == sum, "\(text.unicodeScalars.map { String($0.value, radix: 16) })")
      let bytes = Array(text.utf8)
      let limit = random.below(10)
      let prefix = DisplayWidth.prefix(bytes.span, in: 0..<bytes.count, cells: limit)
      #expect(prefix.cells <= limit)
      #expect(DisplayWidth.cells(Array(bytes[..<prefix.end])) == prefix.cells)
      #expect(text.hasPrefix(String(decoding: bytes[..<prefix.end], as: UTF8.self)) || prefix.end == 0)
    }
  }

  @Test func aPartOfTheBytesIsMeasured() {
    let bytes = Array("漢字abc漢".utf8)
    #expect(DisplayWidth.cells(bytes.span, in: 3..<9) == 5)
    #expect(DisplayWidth.cells(bytes.span, in: 6..<9) == 3)
  }
}
