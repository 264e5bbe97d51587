// The order of keys against a comparator that was written without looking at the encoding: values as trees, decimals
// as aligned digit strings, instants as days, microseconds and digits.

import Reading
import TestSupport
import Testing

@testable import Fetching

/// A random value with its text in JSON and what it means.
private indirect enum Model {
  case null
  case boolean(Bool)
  case number(negative: Bool, digits: [UInt8], exponent: Int)
  /// Seconds from year 0, and the digits of the fraction.
  case date(Int, [UInt8])
  case text([UInt8])
  case array([Model])
  case object([(name: [UInt8], value: Model)])

  var rank: Int {
    switch self {
    case .boolean: 1
    case .number: 2
    case .date: 3
    case .text: 4
    case .array: 5
    case .object: 6
    case .null: 7
    }
  }
}

private func order<Element: Comparable>(_ a: [Element], _ b: [Element]) -> Int {
  a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
}

/// Digits as a fraction 0.d1d2d3…, zeros filled in.
private func fractionOrder(_ a: [UInt8], _ b: [UInt8]) -> Int {
  let count = max(a.count, b.count)
  return order(
    a + [UInt8](repeating: 0, count: count - a.count), b + [UInt8](repeating: 0, count: count - b.count))
}

private func order(_ a: Model, _ b: Model) -> Int {
  if a.rank != b.rank { return a.rank < b.rank ? -1 : 1 }
  switch (a, b) {
  case (.boolean(let x), .boolean(let y)): return x == y ? 0 : y ? -1 : 1
  case (.number(let xNegative, let x, let xExponent), .number(let yNegative, let y, let yExponent)):
    let xSign = x.isEmpty ? 0 : xNegative ? -1 : 1
    let ySign = y.isEmpty ? 0 : yNegative ? -1 : 1
    if xSign != ySign { return xSign < ySign ? -1 : 1 }
    if xSign == 0 { return 0 }
    let size = xExponent != yExponent ? (xExponent < yExponent ? -1 : 1) : fractionOrder(x, y)
    return size * xSign
  case (.date(let x, let xFraction), .date(let y, let yFraction)):
    return x != y ? (x < y ? -1 : 1) : fractionOrder(xFraction, yFraction)
  case (.text(let x), .text(let y)): return order(x, y)
  case (.array(let x), .array(let y)): return listOrder(x, y)
  case (.object(let x), .object(let y)):
    let left = last(x)
    let right = last(y)
    let names = listOrder(left.map { .text($0.name) }, right.map { .text($0.name) })
    return names != 0 ? names : listOrder(left.map(\.value), right.map(\.value))
  default: return 0
  }
}

private func listOrder(_ a: [Model], _ b: [Model]) -> Int {
  for (x, y) in zip(a, b) {
    let result = order(x, y)
    if result != 0 { return result }
  }
  return a.count == b.count ? 0 : a.count < b.count ? -1 : 1
}

/// Members sorted by name, the last of equal names.
private func last(_ members: [(name: [UInt8], value: Model)]) -> [(name: [UInt8], value: Model)] {
  var kept: [(name: [UInt8], value: Model)] = []
  for member in members {
    kept.removeAll { $0.name == member.name }
    kept.append(member)
  }
  return kept.sorted { $0.name.lexicographicallyPrecedes($1.name) }
}

/// Makes values and a spelling of each.
private struct Values {
  var random: SeededGenerator

  private mutating func digits(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in random.oneIn(2) ? random.pick([0, 9]) : UInt8(random.below(10)) }
  }

  private func string(_ digits: some Sequence<UInt8>) -> String {
    String(decoding: digits.map { $0 + 48 }, as: UTF8.self)
  }

  mutating func number(json: Bool) -> (String, Model) {
    let negative = random.oneIn(3)
    var whole = random.oneIn(4) ? [0] : digits(1 + random.below(random.oneIn(3) ? 30 : 4))
    let fraction = random.oneIn(2) ? [] : digits(1 + random.below(random.oneIn(3) ? 30 : 3))
    if json {
      whole = Array(whole.drop { $0 == 0 })
      if whole.isEmpty { whole = [0] }
    } else if !fraction.isEmpty && random.oneIn(5) {
      whole = []
    }
    let exponent =
      random.oneIn(2) ? 0 : random.oneIn(4) ? random.pick([-9, 9, 1]) * random.below(100) : random.below(9) - 4
    var text = (negative ? "-" : !json && random.oneIn(4) ? "+" : "") + string(whole)
    if !fraction.isEmpty { text += "." + string(fraction) }
    if exponent != 0 || random.oneIn(9) {
      text += random.pick(["e", "E"]) + (exponent < 0 ? "-" : random.pick(["", "+"])) + "\(exponent.magnitude)"
    }
    let all = whole + fraction
    let significant = Array(all.drop { $0 == 0 })
    let place = whole.count - (all.count - significant.count) + exponent
    return (
      text, .number(negative: negative, digits: significant.allSatisfy { $0 == 0 } ? [] : significant, exponent: place)
    )
  }

  mutating func date() -> (String, Model) {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let year = random.oneIn(6) ? random.pick([0, 1, 400, 1900, 9999]) : 2020 + random.below(5)
    let month = 1 + random.below(12)
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    let day = random.oneIn(4) ? lengths[month - 1] : 1 + random.below(28)
    // Day by day through the years and months, so that no formula is shared with what is tested.
    var days = year * 365 + (0..<year).filter { $0 % 4 == 0 && ($0 % 100 != 0 || $0 % 400 == 0) }.count
    days += lengths[0..<(month - 1)].reduce(0, +) + day - 1
    let yearText = String(repeating: "0", count: 4 - "\(year)".count) + "\(year)"
    var text = "\(yearText)-\(two(month))-\(two(day))"
    var seconds = days * 86_400
    var fraction: [UInt8] = []
    guard !random.oneIn(4) else { return (text, .date(seconds, [])) }
    let (hour, minute, second) = (random.below(24), random.below(60), random.below(61))
    text += random.pick(["T", " "]) + "\(two(hour)):\(two(minute))"
    seconds += hour * 3600 + minute * 60
    if !random.oneIn(4) {
      text += ":\(two(second))"
      seconds += second
      if random.oneIn(2) {
        fraction = digits(1 + random.below(12))
        text += "." + string(fraction)
      }
    }
    if random.oneIn(4) { return (text + "Z", .date(seconds, fraction)) }
    if random.oneIn(2) {
      let (hours, minutes, west) = (random.below(24), random.below(60), random.oneIn(2))
      let form = random.below(3)
      text += (west ? "-" : "+") + two(hours) + (form == 0 ? "" : form == 1 ? two(minutes) : ":" + two(minutes))
      seconds += (west ? 1 : -1) * (hours * 3600 + (form == 0 ? 0 : minutes * 60))
    }
    return (text, .date(seconds, fraction))
  }

  mutating func text() -> (String, Model) {
    let length = random.below(random.oneIn(3) ? 14 : 4)
    let scalars = (0..<length).map { _ in random.pick(["a", "b", "\u{0}", "é", "\u{10000}", "\u{FFFF}", " ", "\u{1}"]) }
    let text = scalars.joined()
    return (
      "\"" + text.replacing("\u{0}", with: #"\u0000"#).replacing("\u{1}", with: #"\u0001"#) + "\"",
      .text(Array(text.utf8))
    )
  }

  mutating func value(depth: Int = 3) -> (String, Model) {
    switch random.below(depth > 0 ? 9 : 6) {
    case 0: return ("null", .null)
    case 1: return random.oneIn(2) ? ("true", .boolean(true)) : ("false", .boolean(false))
    case 2, 3: return number(json: true)
    case 4:
      let (text, model) = date()
      return ("\"\(text)\"", model)
    case 5: return text()
    case 6, 7:
      let elements = (0..<random.below(4)).map { _ in value(depth: depth - 1) }
      return ("[" + elements.map(\.0).joined(separator: " , ") + "]", .array(elements.map(\.1)))
    default:
      let members = (0..<random.below(4)).map { _ in (random.pick(["a", "b", "ab", ""]), value(depth: depth - 1)) }
      return (
        "{" + members.map { "\"\($0.0)\": \($0.1.0)" }.joined(separator: ",") + " }",
        .object(members.map { (Array($0.0.utf8), $0.1.1) })
      )
    }
  }
}

/// One row: the keys' texts one after another.
private struct Row {
  var bytes: [UInt8] = []
  var fields: [Field] = []

  mutating func add(json: String) {
    let start = bytes.count
    bytes += Array((json + " ").utf8)
    fields.append(JSONCursor.field(at: start, bytes.span))
  }

  mutating func add(cell: String, _ kind: FieldKind = .bare) {
    let start = bytes.count
    bytes += Array(cell.utf8)
    fields.append(Field(start..<bytes.count, kind))
  }

  func key(_ descriptors: [SortDescriptor]) -> [UInt8] {
    var encoder = SortKeyEncoder(sortBy: descriptors)
    var out: [UInt8] = []
    encoder.append(bytes.span, fields.span, at: 0, to: &out)
    let prefix = encoder.prefix(bytes.span, fields.span, at: 0)
    #expect(prefix.bits == KeyBytes.prefix(of: out.span), "\(String(decoding: bytes, as: UTF8.self))")
    #expect(prefix.isExact == (out.count <= 8), "\(String(decoding: bytes, as: UTF8.self))")
    return out
  }
}

private func key(json: String) -> [UInt8] {
  var row = Row()
  row.add(json: json)
  return row.key([SortDescriptor(FieldName("a"))])
}

private func key(cell: String, _ kind: FieldKind = .bare) -> [UInt8] {
  var row = Row()
  row.add(cell: cell, kind)
  return row.key([SortDescriptor(FieldName("a"))])
}

@Suite struct ValuesOrderTests {
  @Test func ordersAsTheReferenceDoes() {
    var values = Values(random: SeededGenerator(seed: 7))
    let made = (0..<700).map { _ in values.value() }
    let keys = made.map { key(json: $0.0) }
    for (i, a) in made.enumerated() {
      for (j, b) in made.enumerated() where j >= i {
        let expected = order(a.1, b.1)
        let result = KeyBytes.compare(keys[i], keys[j])
        if expected != result {
          Issue.record("\(a.0) and \(b.0): \(result), expected \(expected)")
          return
        }
        #expect(KeyBytes.compare(keys[j], keys[i]) == -expected)
        if expected != 0 { #expect(!keys[j].starts(with: keys[i]) && !keys[i].starts(with: keys[j])) }
      }
    }
  }

  @Test func ordersNumbersAsTheReferenceDoes() {
    var values = Values(random: SeededGenerator(seed: 8))
    let made = (0..<900).map { _ in values.number(json: false) }
    let keys = made.map { key(cell: $0.0) }
    for (i, a) in made.enumerated() {
      for (j, b) in made.enumerated() where KeyBytes.compare(keys[i], keys[j]) != order(a.1, b.1) {
        Issue.record("\(a.0) and \(b.0)")
        return
      }
    }
  }

  @Test func ordersDatesAsTheReferenceDoes() {
    var values = Values(random: SeededGenerator(seed: 9))
    let made = (0..<700).map { _ in values.date() }
    let keys = made.map { key(cell: $0.0) }
    for (i, a) in made.enumerated() {
      #expect(ValueKind.of(Field(0..<a.0.utf8.count, .bare), Array(a.0.utf8).span) == .date, "\(a.0)")
      for (j, b) in made.enumerated() where KeyBytes.compare(keys[i], keys[j]) != order(a.1, b.1) {
        Issue.record("\(a.0) and \(b.0)")
        return
      }
    }
  }

  @Test func ordersByHugeExponents() {
    let ascending = [
      "-1e99999999999999999999", "-1e99999999999999999998", "-2e300", "-1e300", "-1", "-1e-300",
      "-1e-99999999999999999999", "-0", "1e-99999999999999999999", "2e-99999999999999999999",
      "1e-99999999999999999998", "1e-9999999999999999", "1e-300", "0.1", "1", "1e254", "1e300", "1.5e300", "2e300",
      "1e9999999999999999", "99e99999999999999996", "1e99999999999999999998", "10e99999999999999999998",
      "1e199999999999999999999",
    ]
    let keys = ascending.map { key(json: $0) }
    for index in 1..<keys.count {
      #expect(KeyBytes.compare(keys[index - 1], keys[index]) < 0, "\(ascending[index - 1]) < \(ascending[index])")
    }
    for (a, b) in [
      ("1e99999999999999999999", "0.1e100000000000000000000"), ("1e100000000000000000", "10e99999999999999999"),
      ("100e-100000000000000000000", "1e-99999999999999999998"), ("0e99999999999999999999", "-0.0"), ("1.0", "0.1e1"),
      ("1e400", "10e399"), ("1200e500", "1.2e503"), ("1e00000000000000000000000000001", "10"),
    ] {
      #expect(key(json: a) == key(json: b), "\(a) = \(b)")
    }
  }

  @Test func reversesWithinKinds() {
    var values = Values(random: SeededGenerator(seed: 10))
    let made = (0..<300).map { _ in values.value() }
    for nulls in [NullOrder.first, .last] {
      var descriptor = SortDescriptor(FieldName("a"), order: .reverse)
      descriptor.nulls = nulls
      let keys = made.map { value in
        var row = Row()
        row.add(json: value.0)
        return row.key([descriptor])
      }
      for (i, a) in made.enumerated() {
        for (j, b) in made.enumerated() {
          var expected = a.1.rank == b.1.rank ? -order(a.1, b.1) : order(a.1, b.1)
          if nulls == .first && a.1.rank != b.1.rank && (a.1.rank == 7 || b.1.rank == 7) { expected = -expected }
          #expect(KeyBytes.compare(keys[i], keys[j]) == expected, "\(a.0) and \(b.0)")
        }
      }
    }
  }

  @Test func ordersByKeysInTurn() {
    var values = Values(random: SeededGenerator(seed: 11))
    let made = (0..<300).map { _ in [values.value(depth: 0), values.value(depth: 1), values.value(depth: 0)] }
    let descriptors = [
      SortDescriptor(FieldName("a")), SortDescriptor(FieldName("b"), order: .reverse), SortDescriptor(FieldName("c")),
    ]
    let keys = made.map { values in
      var row = Row()
      for value in values { row.add(json: value.0) }
      return row.key(descriptors)
    }
    for (i, a) in made.enumerated() {
      for (j, b) in made.enumerated() {
        var expected = order(a[0].1, b[0].1)
        if expected == 0 {
          expected = order(a[1].1, b[1].1)
          if a[1].1.rank == b[1].1.rank { expected = -expected }
        }
        if expected == 0 { expected = order(a[2].1, b[2].1) }
        #expect(KeyBytes.compare(keys[i], keys[j]) == expected)
      }
    }
  }

  @Test func ordersDeepNesting() {
    let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
    let objects = String(repeating: #"{"a":"#, count: 10_000) + "1" + String(repeating: "}", count: 10_000)
    #expect(KeyBytes.compare(key(json: deep), key(json: "[" + deep + "]")) < 0)
    #expect(KeyBytes.compare(key(json: deep), key(json: objects)) < 0)
  }

  @Test(
    arguments: [
      ("", .bare, .null), ("", .quoted, .text), ("1", .quoted, .number), ("007", .bare, .number),
      ("+1", .bare, .number),
      (".5", .bare, .number), ("-.5", .bare, .number), ("5.", .bare, .text), (".", .bare, .text), ("-", .bare, .text),
      ("+-1", .bare, .text), ("1e", .bare, .text), ("1e+", .bare, .text), ("e5", .bare, .text), ("1e5.0", .bare, .text),
      ("nan", .bare, .text), ("inf", .bare, .text), ("0x1F", .bare, .text), ("1,000", .bare, .text),
      (" 1", .bare, .text),
      ("1 ", .bare, .text), ("true", .bare, .text), ("123e-10000", .bare, .number), ("1_000", .bare, .text),
      ("2024-02-29", .bare, .date), ("2023-02-29", .bare, .text), ("1900-02-29", .bare, .text),
      ("2000-02-29", .bare, .date),
      ("2024-04-31", .bare, .text), ("2024-13-01", .bare, .text), ("2024-00-01", .bare, .text),
      ("2024-01-00", .bare, .text),
      ("2024-1-1", .bare, .text), ("2024-01-01T", .bare, .text), ("2024-01-01T10", .bare, .text),
      ("2024-01-01T10:00", .bare, .date), ("2024-01-01 10:00", .bare, .date), ("2024-01-01t10:00", .bare, .text),
      ("2024-01-01T24:00:00", .bare, .text), ("2024-01-01T23:60:00", .bare, .text),
      ("2024-01-01T23:59:60", .bare, .date),
      ("2024-01-01T23:59:61", .bare, .text), ("2024-01-01T23:59:59.", .bare, .text),
      ("2024-01-01T23:59.5", .bare, .text),
      ("2024-01-01T10:00:00z", .bare, .text), ("2024-01-01T10:00:00Z", .bare, .date),
      ("2024-01-01T10:00+2", .bare, .text),
      ("2024-01-01T10:00+02", .bare, .date), ("2024-01-01T10:00-0230", .bare, .date),
      ("2024-01-01T10:00:00.5+02:30", .bare, .date),
      ("2024-01-01T10:00+02:3", .bare, .text), ("2024-01-01T10:00+02-30", .bare, .text),
      ("2024-01-01T10:00+24", .bare, .text),
      ("2024-01-01T10:00 +02", .bare, .text), ("2024-01-01Z", .bare, .text), ("2024:01-01", .bare, .text),
      ("1", .string, .text), ("2024-01-01", .string, .date), ("a", .number, .text), ("true", .true, .boolean),
    ] as [(String, FieldKind, ValueKind)]) func tellsKinds(text: String, field: FieldKind, expected: ValueKind)
  {
    let bytes = Array(text.utf8)
    let kind = ValueKind.of(Field(0..<bytes.count, field), bytes.span)
    // A JSON number is one by its type, whatever a damaged text says.
    #expect(kind == (field == .number ? .number : expected))
    let key = key(cell: text, field)
    #expect(ValueKind(rawValue: key[0] >> 5) == expected)
  }

  @Test func tellsKindsOfEscapedText() {
    #expect(key(cell: #"1"2"#, .quotedEscaped) == key(cell: "12"))
    #expect(key(cell: #"2024\u002d01-01"#, .stringEscaped) == key(cell: "2024-01-01"))
    #expect(key(cell: #"a""b"#, .quotedEscaped) == key(json: #""a\"b""#))
    #expect(KeyBytes.compare(key(json: #""\ud83d\ude00""#), key(json: #""\uffff""#)) > 0)
  }

  @Test func comparesInstantsAcrossZones() {
    #expect(key(cell: "2024-01-01T02:00:00+02:00") == key(cell: "2024-01-01"))
    #expect(key(cell: "2023-12-31 23:59:60Z") == key(cell: "2024-01-01T00:00"))
    #expect(key(cell: "2024-01-01T00:00:00.1234567800") == key(cell: "2023-12-31T22:00:00.12345678-0200"))
    #expect(Instant(Array("1970-01-01".utf8).span)?.seconds == 0)
    #expect(Instant(Array("2024-03-01T00:00:01.5Z".utf8).span)?.seconds == 1_709_251_201)
    #expect(Instant(Array("0000-01-01".utf8).span)?.seconds == -62_167_219_200)
  }

  @Test func survivesRandomBytes() {
    var random = SeededGenerator(seed: 12)
    let alphabet = Array(#"0123456789-+.eETZ: \"{}[],u"#.utf8) + [0, 0x80, 0xED, 0xFF]
    let kinds: [FieldKind] = [
      .missing, .bare, .quoted, .quotedEscaped, .null, .true, .false, .number, .string, .stringEscaped, .array, .object,
    ]
    for _ in 0..<20_000 {
      var row = Row()
      row.bytes = (0..<random.below(30)).map { _ in random.pick(alphabet) }
      row.fields = [Field(0..<row.bytes.count, random.pick(kinds))]
      _ = row.key([SortDescriptor(FieldName("a"), order: random.oneIn(2) ? .forward : .reverse)])
    }
  }

  @Test func countsKinds() {
    var encoder = SortKeyEncoder(sortBy: [SortDescriptor(FieldName("a"))])
    var row = Row()
    for json in ["1", "2", #""x""#, "null", #""2024-01-01""#, "[]", "true"] { row.add(json: json) }
    row.fields.append(.missing)
    for index in row.fields.indices { _ = encoder.prefix(row.bytes.span, row.fields.span, at: index) }
    let tally = encoder.tallies[0]
    #expect(tally[.number] == 2 && tally[.text] == 1 && tally[.null] == 1 && tally.missing == 1 && tally.present == 7)
    #expect(tally.kinds == [.boolean, .number, .date, .text, .array])
  }
}

@Suite struct PlainNumberTests {
  @Test func readsPlainNumbersAsAllOthers() {
    var random = SeededGenerator(seed: 13)
    for _ in 0..<20_000 {
      let text = (0..<(1 + random.below(17))).map { _ in random.pick(Array("000123456789-..".utf8)) }
      let careful = DecimalText(text.span)?.prefix
      #expect(DecimalText.prefix(text.span) == careful, "\(String(decoding: text, as: UTF8.self))")
    }
  }
}
