// Sort keys that ask for a kind: what they make of values, and what counts as null.

import Reading
import TestSupport
import Testing

@testable import Fetching

private func key(_ text: String, _ kind: SortKind, _ field: FieldKind = .bare, nocase: Bool = false) -> [UInt8] {
  let bytes = Array(text.utf8)
  var descriptor = SortDescriptor(FieldName("a"))
  descriptor.kind = kind
  descriptor.ignoresCase = nocase
  var encoder = SortKeyEncoder(sortBy: [descriptor])
  let fields = [Field(0..<bytes.count, field)]
  var out: [UInt8] = []
  encoder.append(bytes.span, fields.span, at: 0, to: &out)
  let prefix = encoder.prefix(bytes.span, fields.span, at: 0)
  #expect(prefix == KeyPrefix(bits: KeyBytes.prefix(of: out.span), isExact: out.count <= 8))
  #expect(encoder.conversionFailures == [out == [KeyBytes.null] && !fields[0].isNull ? 1 : 0])
  return out
}

/// Checks that texts are in order, each before the next.
private func expectAscending(_ texts: [String], _ kind: SortKind, nocase: Bool = false) {
  for (a, b) in zip(texts, texts.dropFirst()) {
    let order = KeyBytes.compare(key(a, kind, nocase: nocase), key(b, kind, nocase: nocase))
    #expect(order < 0, "\(a) < \(b)")
  }
}

private func date(_ text: String) -> [UInt8] { key(text, .date) }

private let null = [KeyBytes.null]

@Suite struct SortConversionTests {
  @Test func comparesAsText() {
    expectAscending(["1", "10", "1e1", "2", "2024-01-01", "9", "a"], .text)
    #expect(key("1.10", .text, .number) != key("1.1", .text, .number))
    #expect(key("1.10", .text, .number) == key("1.10", .text, .string))
    #expect(key("true", .text, .true) == key("true", .text))
    #expect(key(#"[1, "a b\" ", {"x" : 2}]"#, .text, .array) == key(#"[1,"a b\" ",{"x":2}]"#, .text, .quoted))
    #expect(key("", .text) == null)
    #expect(key("", .text, .quoted) != null)
  }

  @Test func comparesAsNumbersOrDates() {
    #expect(key("12", .number, .string) == key("12.0", .number))
    #expect(key("2024-01-01", .number) == null)
    #expect(key("true", .number, .true) == null)
    #expect(key("[1]", .number, .array) == null)
    #expect(key("", .number, .quoted) == null)
    #expect(key(#"1\u0032"#, .number, .stringEscaped) == key("12", .number))
    #expect(key("12", .date) == null)
    #expect(key("2024-01-01", .date, .string) == key("2024-01-01T00:00Z", .date))
  }

  @Test func readsDayAndMonthFirst() {
    #expect(key("31/12/2024", .dmy) == date("2024-12-31"))
    #expect(key("12/31/2024", .mdy) == date("2024-12-31"))
    #expect(key("1.2.2024", .dmy) == date("2024-02-01"))
    #expect(key("01-02-2024 10:30", .mdy) == date("2024-01-02T10:30"))
    #expect(key("01-02-2024T10:30:00.1234567+01:00", .dmy) == date("2024-02-01T09:30:00.1234567"))
    for text in [
      "31/12/24", "31/12-2024", "12/31/2024", "29/02/2023", "2024-01-01", "1/1/20245", "1/1", "", "/", "1/1/2024 ",
      "001/1/2024",
      "1/1/2024 25:00", "1/1/2024x10:00",
    ] { #expect(key(text, .dmy, .quoted) == null, "\(text)") }
  }

  @Test func readsEpochs() {
    #expect(key("0", .epoch) == date("1970-01-01"))
    #expect(key("1709251201", .epoch, .number) == date("2024-03-01T00:00:01"))
    #expect(key("1.709251201e9", .epoch, .number) == date("2024-03-01T00:00:01"))
    #expect(key("1709251201123", .epoch) == date("2024-03-01T00:00:01.123"))
    #expect(key("1709251201123.4567", .epoch) == date("2024-03-01T00:00:01.1234567"))
    #expect(key("1709251201.12345678900", .epoch, .string) == date("2024-03-01T00:00:01.123456789"))
    #expect(key("-1.5", .epoch) == date("1969-12-31T23:59:58.5"))
    #expect(key("-0.00000001", .epoch) == date("1969-12-31T23:59:59.99999999"))
    #expect(key("5e-3", .epoch) == date("1970-01-01T00:00:00.005"))
    #expect(key("99999999999", .epoch) == key("99999999999000", .epoch))
    #expect(key("-62135596800", .epoch) == date("0001-01-01"))
    for text in ["1e99", "9e99999999999999999999", "1e-9999", "999999999999999", "abc", "2024-01-01"] {
      #expect(key(text, .epoch) == null, "\(text)")
    }
  }

  @Test func readsFormats() {
    let format = SortKind.dateFormat("%b %d, %Y, %I:%M:%S %p")
    #expect(key("Mar 5, 2024, 01:02:03 PM", format) == date("2024-03-05T13:02:03"))
    #expect(key("Mar 5, 2024, 01:02:03 PM x", format) == null)
    #expect(key("Feb 30, 2024, 01:02:03 PM", format) == null)
    #expect(key("", format, .quoted) == null)
    #expect(key("a\0b", format) == null)
    #expect(key("05/03/2024 +0200", .dateFormat("%d/%m/%Y %z")) == date("2024-03-04T22:00"))
    #expect(key("2024", .dateFormat("%Y"), .number) == date("2024-01-01"))
    #expect(key("12:30", .dateFormat("%H:%M")) == date("1970-01-01T12:30"))
  }

  @Test func comparesRunsOfDigitsByValue() {
    let long = String(repeating: "7", count: 300)
    expectAscending(
      [
        "", "!", "1", "1a", "2", "10", "\(long)", "\(long)0", "a", "track", "track1x", "track2", "track10", "track10b",
        "é",
      ]
      .filter { !$0.isEmpty }, .natural)
    #expect(key("track02", .natural) == key("track2", .natural))
    #expect(key("0", .natural) == key("000", .natural))
    #expect(key("0", .natural) != key("", .natural, .quoted))
  }

  @Test func ignoresCase() {
    for (a, b) in [
      ("Straße", "sTRAße"), ("ÉTÉ", "été"), ("ΣΑΣ", "σας"), ("ЖУК", "жук"), ("abc", "ABC"), ("\u{10400}", "\u{10428}"),
    ] {
      #expect(key(a, .auto, nocase: true) == key(b, .auto, nocase: true), "\(a) = \(b)")
      #expect(key(a, .natural, nocase: true) == key(b, .natural, nocase: true))
      #expect(key(a, .auto) != key(b, .auto))
    }
    #expect(key("Apple", .auto, nocase: true).count == 8)
    #expect(key(#"["A"]"#, .auto, .array, nocase: true) == key(#"["a"]"#, .auto, .array, nocase: true))
    #expect(key("1E2", .auto, nocase: true) == key("100", .auto))
    var folded: [UInt8] = []
    let damaged: [UInt8] = [0xC3, 0x41, 0xFF, 0xE2, 0x82, 0xC0, 0x80, 0xED, 0xA0, 0x80]
    CaseFolding.append(damaged.span, to: &folded)
    #expect(folded == [0xC3, 0x61, 0xFF, 0xE2, 0x82, 0xC0, 0x80, 0xED, 0xA0, 0x80])
  }

  @Test func makesThePrefixOfFoldedTextAlike() {
    var random = SeededGenerator(seed: 31)
    for _ in 0..<3_000 {
      let text = (0..<random.below(10)).map { _ in
        random.pick(["a", "A", "Z", "z", "@", "[", "`", "{", "\u{0}", "É", "1"])
      }.joined()
      for kind in [SortKind.auto, .text, .natural] {
        let folded = key(text.lowercased(), kind, .quoted)
        #expect(key(text, kind, .quoted, nocase: true) == folded, "\(text)")
      }
    }
  }

  @Test func comparesByLocale() {
    // Which locales are installed is not known; equal stays equal, and what follows differs stays different.
    #expect(key("a", .locale) == key("a", .locale))
    expectAscending(["a", "b", "c"], .locale)
    #expect(key("a\0b", .locale) != key("a", .locale))
    #expect(key(String(repeating: "é", count: 1000), .locale).count > 1000)
  }
}
