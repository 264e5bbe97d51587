// The keys of a block against those made one by one, and what both count.

import Reading
import TestSupport
import Testing

@testable import Fetching

struct SortKeyBlockTests {
  /// What the values of a block mostly are.
  enum Mixture: CaseIterable, Sendable { case dates, numbers, texts, all }

  private static let descriptors: [[SortDescriptor]] = {
    var all: [[SortDescriptor]] = []
    for kind in [SortKind.auto, .date, .number, .text, .natural, .dmy] {
      for order in [SortOrder.forward, .reverse] {
        for nulls in [NullOrder.first, .last] {
          var descriptor = SortDescriptor(FieldName("a"), order: order)
          descriptor.kind = kind
          descriptor.nulls = nulls
          all.append([descriptor])
          descriptor.ignoresCase = true
          if kind == .auto || kind == .text { all.append([descriptor]) }
        }
      }
    }
    all.append([SortDescriptor(FieldName("a")), SortDescriptor(FieldName("b"), order: .reverse)])
    return all
  }()

  @Test(arguments: Mixture.allCases)
  func blockIsWhatSingleKeysAre(_ mixture: Mixture) {
    for (number, descriptors) in Self.descriptors.enumerated() {
      var random = SeededGenerator(seed: UInt64(number) &* 31 &+ 7)
      for _ in 0..<6 { compare(descriptors, mixture, &random) }
    }
  }

  /// Each value ends with the window, where no more bytes may be read than there are.
  @Test func valuesAtTheEndOfTheWindow() {
    let texts = [
      "2024-02-28T10:20:30Z", "2024-02-28T10:20:30", "2024-02-28T10:20:30+02", "2024-02-28", "12.5", "-7", "abc",
      "abcdefghijklmnopqrstuvwxyz", "",
    ]
    for descriptors in Self.descriptors {
      for text in texts {
        for before in [0, 1, 5, 19, 20, 30] {
          let bytes = Array(repeating: UInt8(ascii: "1"), count: before) + Array(text.utf8)
          // As many as a block needs to leave the sample behind.
          let field = Field(before..<bytes.count, .quoted)
          let fields = Array(repeating: field, count: 40 * descriptors.count)
          check(descriptors, bytes, fields, wanted: Array(0..<40))
        }
      }
    }
  }

  @Test(arguments: [
    ("2024-02-28T10:20:30Z", true), ("2024-02-28T10:20:30", true), ("2024-12-31 23:59:60Z", true),
    ("0000-01-01T00:00:00Z", true), ("9999-10-31T23:59:59Z", true), ("2024-01-31T00:00:00Z", true),
    ("2024-02-29T10:20:30Z", false), ("2024-04-31T10:20:30Z", false), ("2024-01-32T00:00:00Z", false),
    ("2024-00-10T00:00:00Z", false), ("2024-13-10T00:00:00Z", false), ("2024-10-00T00:00:00Z", false),
    ("2024-10-10T24:00:00Z", false), ("2024-10-10T00:60:00Z", false), ("2024-10-10T00:00:61Z", false),
    ("2024-10-10T00:00:00z", false), ("2024-10-10t00:00:00Z", false), ("2024-10-10_00:00:00Z", false),
    ("2024-10-10T00:00:00+01", false),
    ("2024-10-10T00:00:00.5Z", false), ("2024-10-10", false), ("2024-10-1:T00:00:00Z", false),
    ("2024/10-10T00:00:00Z", false), ("2024-10-10T00-00:00Z", false), ("2024-10-10T00:00:0/Z", false),
  ])
  func plainDatesAreFound(_ text: String, isPlain: Bool) {
    let form = PlainDates(hasBlank: text.contains(" "))
    let expected = Instant.prefix(Array(text.utf8).span)
    check(form, text, isPlain: isPlain, expected: expected)
    // By the kernel, in each place of a vector and behind it.
    for count in [1, 2, 3, 7, 8, 9, 17, 256] {
      let bytes =
        Array(String(repeating: text + "-", count: count).utf8) + Array(repeating: 0, count: SortKeyBlock.reach)
      var strip = PlainDates.Strip()
      strip.prepare()
      for index in 0..<count { strip.starts[index] = UInt32(index * (text.utf8.count + 1)) }
      form.fill(&strip, count: count, bytes.span)
      for index in 0..<count {
        let key = strip.key(index, count: text.utf8.count)
        #expect((key.wrong | key.unfinished == 0) == isPlain, "\(text) at \(index)")
        if isPlain { #expect(KeyPrefix(bits: key.bits, isExact: key.isExact) == expected, "\(text) at \(index)") }
      }
    }
  }

  @Test(arguments: [
    ("0", true), ("-0", true), ("0.0", true), ("00", true), ("7", true), ("12345678", true), ("1234567.8", true),
    ("-1234567.8", true), ("0.0000001", true), ("10.50", true), ("-0.05", true), ("007.5", true),
    ("123456789", false), ("12345678.9", false), ("", false), ("-", false), (".", false), (".5", false), ("5.", false),
    ("1234567.", false), ("12345678.", false), ("-.5", false), ("+5", false), ("1e5", false), ("1.2.3", false),
    ("1 ", false), ("1-2", false), ("--1", false), ("12:", false), ("12/", false),
  ])
  func plainNumbersAreFound(_ text: String, isPlain: Bool) {
    check(
      PlainNumbers(readsStrings: true), text, isPlain: isPlain, expected: DecimalText.prefix(Array(text.utf8).span))
  }

  /// What follows a value must not matter, so several things do.
  private func check(_ form: some PlainForm, _ text: String, isPlain: Bool, expected: KeyPrefix?) {
    for following in ["0", ".", "Z", "-", "\0", "\u{7F}"] {
      let bytes = Array((text + String(repeating: following, count: 40)).utf8)
      let key = form.key(bytes.span, at: 0, count: text.utf8.count)
      #expect((key.wrong | key.unfinished == 0) == isPlain, "\(text) before \(following)")
      if isPlain { #expect(KeyPrefix(bits: key.bits, isExact: key.isExact) == expected, "\(text) before \(following)") }
    }
  }

  private func compare(_ descriptors: [SortDescriptor], _ mixture: Mixture, _ random: inout SeededGenerator) {
    var bytes: [UInt8] = []
    var fields: [Field] = []
    let count = 1 + random.below(300)
    // One field before the keys, that is of no key.
    for _ in 0..<count {
      fields.append(Field(0..<0, .bare))
      for _ in descriptors { fields.append(Self.field(mixture, &bytes, &random)) }
    }
    // Without anything behind, so that the last values end with the window.
    let wanted = (0..<count).filter { _ in !random.oneIn(4) }
    check(descriptors, bytes, fields, wanted: wanted, firstKey: 1)
  }

  private func check(
    _ descriptors: [SortDescriptor], _ bytes: [UInt8], _ fields: [Field], wanted: [Int], firstKey: Int = 0
  ) {
    for usesKernel in [true, false] {
      check(descriptors, bytes, fields, wanted: wanted, firstKey: firstKey, usesKernel: usesKernel)
    }
  }

  private func check(
    _ descriptors: [SortDescriptor], _ bytes: [UInt8], _ fields: [Field], wanted: [Int], firstKey: Int, usesKernel: Bool
  ) {
    let layout = SortKeyLayout(fieldsPerRecord: descriptors.count + firstKey, firstKey: firstKey)
    var single = SortKeyEncoder(sortBy: descriptors)
    var batched = SortKeyEncoder(sortBy: descriptors)
    batched.usesKernel = usesKernel
    var block = SortKeyBlock()
    block.removeAll()
    for index in 0...(wanted.last ?? 0) { block.append(index, isWanted: wanted.contains(index)) }
    #expect(block.count == wanted.count)
    batched.fill(&block, bytes.span, fields.span, layout)
    for (row, record) in wanted.enumerated() {
      #expect(block.record(row) == record)
      let expected = single.prefix(bytes.span, fields.span, at: layout.position(record))
      let field = fields[layout.position(record)]
      #expect(
        block.prefixes[row] == expected,
        "\(descriptors) \(field) \(String(decoding: bytes[field.range], as: UTF8.self))")
    }
    #expect(batched.tallies == single.tallies, "\(descriptors)")
    #expect(batched.conversionFailures == single.conversionFailures, "\(descriptors)")
  }

  // MARK: Random fields

  private static func field(_ mixture: Mixture, _ bytes: inout [UInt8], _ random: inout SeededGenerator) -> Field {
    let start = bytes.count
    let isUsual = mixture != .all && !random.oneIn(5)
    let kind =
      isUsual
      ? random.pick([FieldKind.bare, .bare, .quoted, .string])
      : random.pick([
        .missing, .bare, .quoted, .quotedEscaped, .null, .false, .true, .number, .string, .stringEscaped, .array,
        .object,
      ])
    let number = number(&random)
    let text: String
    switch kind {
    case .missing: text = ""
    case .null: text = "null"
    case .false: text = "false"
    case .true: text = "true"
    case .number: text = number.hasPrefix(".") || number.hasPrefix("+") ? "5" : number
    case .array: text = "[1]"
    case .object: text = "{\"a\":1}"
    default:
      switch isUsual ? mixture : random.pick([Mixture.dates, .numbers, .texts]) {
      case .dates: text = date(&random)
      case .numbers: text = number
      default: text = word(&random)
      }
    }
    var encoded = Array(text.utf8)
    if kind != .missing && kind != .array && kind != .object && random.oneIn(8) && !encoded.isEmpty {
      if random.oneIn(2) { encoded.removeLast(random.below(encoded.count + 1)) }
      if !encoded.isEmpty { encoded[random.below(encoded.count)] = random.pick(Array("0:/-.+TZ \0aZ".utf8)) }
    }
    bytes += encoded
    let field = Field(start..<bytes.count, kind)
    if kind == .missing { return .missing }
    if random.oneIn(2) { bytes += Array(random.pick([",", "\",", "\n", "Z", "00000000"]).utf8) }
    return field
  }

  private static func two(_ bound: Int, _ random: inout SeededGenerator) -> String {
    let number = random.below(bound)
    return number < 10 ? "0\(number)" : "\(number)"
  }

  private static func date(_ random: inout SeededGenerator) -> String {
    let year = random.pick(["0000", "9999", "1900", "2000", "2024", "1969", two(100, &random) + two(100, &random)])
    var text = "\(year)-\(two(14, &random))-\(two(33, &random))"
    if random.oneIn(12) { return text }
    text += random.oneIn(6) ? " " : "T"
    text += "\(two(25, &random)):\(two(61, &random))"
    if !random.oneIn(12) { text += ":\(two(62, &random))" }
    if random.oneIn(4) {
      text += "."
      for _ in 0..<random.below(10) { text += random.pick(["0", "0", "5", "9"]) }
    }
    switch random.below(9) {
    case 0: text += "+\(two(25, &random)):\(two(61, &random))"
    case 1: text += "-\(two(25, &random))\(two(61, &random))"
    case 2: text += "+\(two(25, &random))"
    case 3: break
    default: text += "Z"
    }
    return text
  }

  private static func number(_ random: inout SeededGenerator) -> String {
    var text = random.pick(["", "", "", "-", "+", "0", "000"])
    for _ in 0..<random.below(10) { text += "\(random.below(10))" }
    if random.oneIn(2) {
      text += "."
      for _ in 0..<random.below(6) { text += random.pick(["0", "5", "9"]) }
    }
    if random.oneIn(10) { text += random.pick(["e5", "E-3", "e", "e400", "."]) }
    return text
  }

  private static func word(_ random: inout SeededGenerator) -> String {
    var text = ""
    for _ in 0..<random.below(12) { text += random.pick(["a", "Z", "@", "[", "z", "\0", "é", " ", "0", "-", "🏃"]) }
    return text
  }
}
