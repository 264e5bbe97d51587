// Nothing that drives a terminal gets through, and nothing else is changed.

import TerminalIO
import TestSupport
import Testing

@Suite struct SafeTextTests {
  @Test(arguments: [
    ("plain", "plain"), ("", ""), ("a\tb", "a␉b"), ("a\r\nb", "a␍␊b"), ("\u{1B}[31mred", "␛[31mred"), ("\u{0}", "␀"),
    ("\u{7F}", "␡"), ("\u{85}", "<U+0085>"), ("\u{9B}31m", "<U+009B>31m"), ("a\u{202E}b", "a<U+202E>b"),
    ("\u{2066}x\u{2069}", "<U+2066>x<U+2069>"), ("\u{200E}\u{200F}\u{61C}", "<U+200E><U+200F><U+061C>"),
    ("a\u{2028}b", "a<U+2028>b"), ("né 漢字 👨‍👩‍👧‍👦 \u{A0}", "né 漢字 👨‍👩‍👧‍👦 \u{A0}"),
    ("long enough for words \u{7} and more of it", "long enough for words ␇ and more of it"),
  ])
  func standIns(_ text: String, _ expected: String) {
    #expect(String(decoding: SafeText.safe(Array(text.utf8)), as: UTF8.self) == expected)
  }

  @Test func brokenUTF8IsReplacedAndCounted() {
    let cases: [([UInt8], String, Int)] = [
      ([0x61, 0xFF, 0x62], "a\u{FFFD}b", 1), ([0xC3], "\u{FFFD}", 1), ([0xC3, 0x28], "\u{FFFD}(", 1),
      ([0xE4, 0xBC, 0x41], "\u{FFFD}A", 1), ([0xC0, 0x80], "\u{FFFD}\u{FFFD}", 2), ([0xF5], "\u{FFFD}", 1),
      // A lone surrogate as it comes decoded from JSON.
      ([0xED, 0xA0, 0x80, 0x78], "\u{FFFD}x", 1), ([0xC2, 0x0A], "\u{FFFD}␊", 1),
    ]
    for (bytes, expected, count) in cases {
      var output: [UInt8] = []
      #expect(SafeText.append(bytes.span, in: 0..<bytes.count, to: &output) == count)
      #expect(String(decoding: output, as: UTF8.self) == expected)
    }
  }

  @Test func jsonKeepsItsMeaning() {
    let bytes = Array("{\"a\":\"x\u{202E}\u{7F}\u{9B}é\u{2029}\"}".utf8)
    var output: [UInt8] = []
    #expect(SafeText.appendJSON(bytes.span, in: 0..<bytes.count, to: &output) == 0)
    #expect(String(decoding: output, as: UTF8.self) == #"{"a":"x\u202E\u007F\u009Bé\u2029"}"#)
  }

  @Test func anyBytesBecomeSafeAndSoundText() {
    var random = SeededGenerator(seed: 6)
    let leads: [UInt8] = [0x41, 0x0A, 0x1B, 0x7F, 0xC2, 0xE2, 0xED, 0xF0, 0xF4, 0x80, 0x9F, 0xBF, 0xFF]
    for _ in 0..<3000 {
      let bytes = (0..<random.below(24)).map { _ in random.oneIn(3) ? random.pick(leads) : UInt8(random.below(256)) }
      let safe = SafeText.safe(bytes)
      #expect(String(validating: safe, as: UTF8.self) != nil)
      #expect(!String(decoding: safe, as: UTF8.self).unicodeScalars.contains { SafeText.isUnsafe($0.value) })
      #expect(SafeText.safe(safe) == safe)
    }
  }

  @Test func decodingAgreesWithSwiftSaveForSurrogates() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<3000 {
      let bytes = (0..<8).map { _ in random.oneIn(2) ? UInt8(0x80 + random.below(128)) : UInt8(random.below(256)) }
      if bytes.contains(0xED) { continue }
      var scalars: [UInt32] = []
      var position = 0
      while position < bytes.count {
        let scalar = ScalarDecoder.decode(bytes.span, at: position, end: bytes.count)
        scalars.append(scalar.value)
        position += scalar.count
      }
      #expect(scalars == String(decoding: bytes, as: UTF8.self).unicodeScalars.map(\.value))
    }
  }
}
