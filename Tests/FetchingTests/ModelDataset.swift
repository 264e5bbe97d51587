// Datasets made at random together with what their values are, for tests that compare the program with an array: every
// kind of value in several spellings, ties, nulls, missing fields, text that looks like structure.

import Fetching
import TestSupport

/// A value as the specification means it.
enum ModelValue: Equatable {
  case boolean(Bool)
  case number(Decimal10)
  /// In milliseconds since 1970.
  case date(Int)
  case text(String)
  case array([ModelValue])
  case object([String: ModelValue])
  case null

  var isNull: Bool { self == .null }

  var rank: Int {
    switch self {
    case .boolean: 0
    case .number: 1
    case .date: 2
    case .text: 3
    case .array: 4
    case .object: 5
    case .null: 6
    }
  }

  /// Ascending, nulls last.
  func compare(_ other: ModelValue) -> Int {
    switch (self, other) {
    case (.boolean(let left), .boolean(let right)): return (left ? 1 : 0) - (right ? 1 : 0)
    case (.number(let left), .number(let right)): return left == right ? 0 : left < right ? -1 : 1
    case (.date(let left), .date(let right)): return left - right
    case (.text(let left), .text(let right)):
      return Self.compare(Array(left.utf8), Array(right.utf8)) { Int($0) - Int($1) }
    case (.array(let left), .array(let right)): return Self.compare(left, right) { $0.compare($1) }
    case (.object(let left), .object(let right)):
      let leftKeys = left.keys.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
      let rightKeys = right.keys.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
      let order = Self.compare(leftKeys, rightKeys) { Self.compare($0, $1) { Int($0) - Int($1) } }
      if order != 0 { return order }
      let names = leftKeys.map { String(decoding: $0, as: UTF8.self) }
      return Self.compare(names.map { left[$0] ?? .null }, names.map { right[$0] ?? .null }) { $0.compare($1) }
    default: return rank - other.rank
    }
  }

  private static func compare<Element>(_ left: [Element], _ right: [Element], _ order: (Element, Element) -> Int) -> Int
  {
    for (left, right) in zip(left, right) {
      let found = order(left, right)
      if found != 0 { return found }
    }
    return left.count - right.count
  }
}

/// A value and how it stands in the file.
struct ModelField {
  var value: ModelValue
  /// As written in the file.
  var written: String
  /// As csv prints it.
  var text: String

  func converted(_ sort: SortDescriptor) -> ModelValue {
    switch sort.kind {
    case .text where !value.isNull: .text(sort.ignoresCase ? text.lowercased() : text)
    case .number:
      switch value {
      case .number: value
      case .text(let text): Decimal10.isNumber(text) ? .number(Decimal10(text)) : .null
      default: .null
      }
    case .date: if case .date = value { value } else { .null }
    default: value
    }
  }

  var isNull: Bool { value.isNull }
}

extension ModelField {
  static let missing = ModelField(value: .null, written: "", text: "")

  static let texts = [
    "", "a", "A", "ab", "b", "B", "true", "nan", "0x10", "1,000", " 4", "2024-02-30", "2024-3-1", "é", "É", "日本", "👩‍👧",
    "say \"hi\"", "two\nlines", "CR\rLF\r\n", "\n\n", "a,b", "},{\"id\":1", "\"},\n{\"id\":", "\\", "\\\"", "\u{0}",
    "a\u{0}", "a\u{0}b",
    "abcdefgh", "abcdefghi", "abcdefghijklmnop", "abcdefghijklmnoq", "tab\there", "\u{7F}", "\u{FFFF}", "\u{10000}",
  ]
  static let numbers = [
    "0", "-0", "0.0", "0e10", "1", "1.0", "10e-1", "1.1", "1.10", "2", "10", "1e1", "-10", "-1.5", "-15e-1", "9", "7",
    "1e400", "10e399",
    "-1e400", "1e-400", "-1e-400", "9007199254740992", "9007199254740993", "9007199254740992.5", "-9007199254740993",
    "18446744073709551616", "12345678901234567890.5", "123456789012345678901234567890", "1e999999999999",
    "1e-999999999999",
    "0.1", "0.10000000000000000000000000000000000001", "3.141592653589793", "3.1415926535897932384626433832795",
  ]
  static let looseNumbers = ["007", "+3", ".5", "+.5", "00", "-01", "01.10", "+1e1"]

  static func json(depth: Int, _ generator: inout SeededGenerator) -> ModelField {
    switch generator.below(depth > 0 ? 14 : 10) {
    case 0: return ModelField(value: .null, written: "null", text: "")
    case 1:
      let value = generator.oneIn(2)
      return ModelField(value: .boolean(value), written: "\(value)", text: "\(value)")
    case 2, 3, 4:
      let text = generator.oneIn(3) ? "\(generator.below(2000) - 1000)" : generator.pick(numbers)
      return ModelField(value: .number(Decimal10(text)), written: text, text: text)
    case 5, 6:
      let (text, instant) = date(&generator)
      return ModelField(value: .date(instant), written: quoted(text, &generator), text: text)
    case 7:
      // A string is no number, however it looks.
      let text = generator.pick(numbers)
      return ModelField(value: .text(text), written: quoted(text, &generator), text: text)
    case 8, 9:
      let text = generator.pick(texts)
      return ModelField(value: .text(text), written: quoted(text, &generator), text: text)
    case 10, 11:
      let elements = (0..<generator.below(4)).map { _ in json(depth: depth - 1, &generator) }
      let compact = "[" + elements.map(\.written).joined(separator: ",") + "]"
      let spaced = "[ " + elements.map(\.written).joined(separator: " ,\n") + "\t]"
      return ModelField(
        value: .array(elements.map(\.value)), written: depth > 1 && generator.oneIn(3) ? spaced : compact, text: compact
      )
    default:
      var members: [String: ModelValue] = [:]
      var parts: [String] = []
      for name in ["id", "x", "é"] where generator.oneIn(2) {
        for _ in 0..<(generator.oneIn(8) ? 2 : 1) {
          let member = json(depth: depth - 1, &generator)
          members[name] = member.value
          parts.append("\"\(name)\":\(member.written)")
        }
      }
      let compact = "{" + parts.joined(separator: ",") + "}"
      let spaced = "{" + parts.joined(separator: ", ") + " }"
      return ModelField(
        value: .object(members), written: depth > 1 && generator.oneIn(3) ? spaced : compact, text: compact)
    }
  }

  static func cell(_ generator: inout SeededGenerator) -> ModelField {
    let value: ModelValue
    let text: String
    switch generator.below(7) {
    case 0:
      return generator.oneIn(3)
        ? ModelField(value: .text(""), written: "\"\"", text: "") : ModelField(value: .null, written: "", text: "")
    case 1, 2:
      text = generator.oneIn(3) ? "\(generator.below(2000) - 1000)" : generator.pick(numbers + looseNumbers)
      value = .number(Decimal10(text))
    case 3, 4:
      let found = date(&generator)
      text = found.text
      value = .date(found.instant)
    default:
      text = generator.pick(texts)
      value = .text(text)
    }
    let needsQuotes = text.isEmpty || text.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
    let escaped = text.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined()
    return ModelField(value: value, written: needsQuotes || generator.oneIn(4) ? "\"\(escaped)\"" : text, text: text)
  }

  /// A date near others of the same instant, in some zone and form.
  private static func date(_ generator: inout SeededGenerator) -> (text: String, instant: Int) {
    let day = generator.pick([-1, 0, 59, 19_782, 19_783])
    let minute = generator.pick([0, 0, 1, 600, 1439])
    let second = generator.pick([0, 0, 59])
    let (fraction, milliseconds) = generator.pick([
      ("", 0), ("", 0), (".0", 0), (".001", 1), (".5", 500), (".50000", 500),
    ])
    let instant = ((day * 1440 + minute) * 60 + second) * 1000 + milliseconds
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    func civil(_ offset: Int) -> String {
      // http://howardhinnant.github.io/date_algorithms.html#civil_from_days
      let minutes = day * 1440 + minute + offset
      let days = Int((Double(minutes) / 1440).rounded(.down))
      let z = days + 719_468
      let era = z / 146_097
      let dayOfEra = z - era * 146_097
      let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
      let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
      let m = (5 * dayOfYear + 2) / 153
      let month = m < 10 ? m + 3 : m - 9
      let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
      let rest = minutes - days * 1440
      return "\(year)-\(two(month))-\(two(dayOfYear - (153 * m + 2) / 5 + 1)) \(two(rest / 60)):\(two(rest % 60))"
    }
    if minute == 0 && second == 0 && milliseconds == 0 && generator.oneIn(3) {
      return (String(civil(0).prefix(10)), instant)
    }
    let (zone, offset) = generator.pick([
      ("", 0), ("Z", 0), ("+00:00", 0), ("+02:00", 120), ("-0530", -330), ("+09", 540), ("-12:45", -765),
    ])
    var text = civil(offset)
    if generator.oneIn(2) { text = text.replacing(" ", with: "T") }
    if second == 0 && milliseconds == 0 && fraction.isEmpty && generator.oneIn(2) { return (text + zone, instant) }
    return (text + ":" + two(second) + fraction + zone, instant)
  }

  private static func quoted(_ text: String, _ generator: inout SeededGenerator) -> String {
    let escapesMore = generator.oneIn(3)
    var written = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": written += "\\\""
      case "\\": written += "\\\\"
      case "\n": written += "\\n"
      case "\r": written += "\\r"
      case "\t": written += "\\u0009"
      case "\0": written += "\\u0000"
      case "/" where escapesMore: written += "\\/"
      case "a"..."z" where escapesMore && generator.oneIn(3): written += "\\u00" + String(scalar.value, radix: 16)
      case "é" where escapesMore: written += "\\u00E9"
      default: written.unicodeScalars.append(scalar)
      }
    }
    return written + "\""
  }
}

struct ModelRecord {
  var id: Int
  var fields: [String: ModelField]
  /// The record's bytes in the file.
  var text: String

  func value(_ name: String) -> ModelField { fields[name] ?? .missing }
}

struct ModelDataset {
  enum Format: CaseIterable, Sendable {
    case csv, jsonl, array, wrapped

    var ending: String {
      switch self {
      case .csv: ".csv"
      case .jsonl: ".jsonl"
      case .array, .wrapped: ".json"
      }
    }
  }

  let format: Format
  var records: [ModelRecord] = []
  /// What stands between records, one for each.
  private var separators: [String] = []

  init(_ format: Format, records count: Int, _ generator: inout SeededGenerator) {
    self.format = format
    // Several ties, and columns of one kind, as data mostly is.
    let pool = (0..<8).map { _ in format == .csv ? ModelField.cell(&generator) : ModelField.json(depth: 2, &generator) }
    let isPretty = generator.oneIn(3)
    for id in 0..<count {
      var fields: [String: ModelField] = [
        "id": ModelField(value: .number(Decimal10("\(id)")), written: "\(id)", text: "\(id)")
      ]
      for name in ["a", "b", "c"] {
        if format != .csv && generator.oneIn(6) { continue }
        fields[name] =
          generator.oneIn(2)
          ? generator.pick(pool) : format == .csv ? ModelField.cell(&generator) : ModelField.json(depth: 2, &generator)
      }
      records.append(
        format == .csv
          ? Self.csv(id, fields, &generator)
          : Self.json(id, fields, isPretty: isPretty, isLine: format == .jsonl, &generator))
      separators.append(
        format == .csv
          ? generator.pick(["\n", "\n", "\n", "\r\n", "\r", "\n\n", "\r\n\r\n"])
          : format == .jsonl
            ? generator.pick(["\n", "\n", "\r\n", "\n\n"]) : isPretty ? ",\n  " : generator.pick([",", ",", " , "]))
    }
  }

  private static func csv(
    _ id: Int, _ all: [String: ModelField], _ generator: inout SeededGenerator
  ) -> ModelRecord {
    var fields = all
    let width = generator.oneIn(8) ? 1 + generator.below(3) : 4
    let names = Array(["id", "a", "b", "c"].prefix(width))
    for name in fields.keys where !names.contains(name) { fields[name] = nil }
    var cells = names.map { fields[$0]?.written ?? "" }
    if width == 4 && generator.oneIn(8) { cells += ["extra", "\"more\n,\""].prefix(1 + generator.below(2)) }
    return ModelRecord(id: id, fields: fields, text: cells.joined(separator: ","))
  }

  private static func json(
    _ id: Int, _ fields: [String: ModelField], isPretty: Bool, isLine: Bool, _ generator: inout SeededGenerator
  ) -> ModelRecord {
    var parts = ["id", "a", "b", "c"].compactMap { name in fields[name].map { (name, $0.written) } }
    if generator.oneIn(10) { parts.shuffle(using: &generator) }
    // Of equal names the last counts.
    if generator.oneIn(10), let last = parts.last { parts.insert((last.0, "[{\"id\":1},{\"id\":2}]"), at: 0) }
    let (colon, comma) = isPretty ? (": ", isLine ? ", " : ",\n    ") : (":", ",")
    return ModelRecord(
      id: id, fields: fields, text: "{" + parts.map { "\"\($0.0)\"\(colon)\($0.1)" }.joined(separator: comma) + "}")
  }

  /// Whether a sort by this name can be said to be by a field of the dataset.
  func hasField(_ name: String) -> Bool { format == .csv || records.contains { $0.fields[name] != nil } }

  var bytes: [UInt8] {
    var body = ""
    for (index, record) in records.enumerated() {
      let isLast = index == records.count - 1
      body += record.text + (isLast && (format == .array || format == .wrapped) ? "" : separators[index])
    }
    let text =
      switch format {
      case .csv: "id,a,b,c\r\n" + body
      case .jsonl: body
      case .array: "[\(body)]\n"
      case .wrapped:
        #"{"ok":true,"errors":[],"page":{"n":[1,2],"items":["# + body + #"],"next":null},"more":[{"id":0},{"id":0}]}"#
      }
    return Array(text.utf8)
  }
}

/// A decimal number of any length and exponent.
struct Decimal10: Comparable {
  /// -1, 0 or 1.
  private var sign = 0
  /// Without zeros at either end.
  private var digits: [UInt8] = []
  /// The number is 0.digits times ten to this power.
  private var power = 0

  static func isNumber(_ text: String) -> Bool {
    ModelField.numbers.contains(text) || ModelField.looseNumbers.contains(text)
  }

  init(_ text: String) {
    let parts = text.lowercased().split(separator: "e")
    var mantissa = parts[0]
    let isNegative = mantissa.hasPrefix("-")
    if isNegative || mantissa.hasPrefix("+") { mantissa.removeFirst() }
    let halves = mantissa.split(separator: ".", omittingEmptySubsequences: false)
    digits = Array(halves.joined().utf8)
    power = halves[0].utf8.count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    while digits.first == 0x30 {
      digits.removeFirst()
      power -= 1
    }
    while digits.last == 0x30 { digits.removeLast() }
    sign = digits.isEmpty ? 0 : isNegative ? -1 : 1
    if sign == 0 { power = 0 }
  }

  static func < (left: Decimal10, right: Decimal10) -> Bool {
    if left.sign != right.sign { return left.sign < right.sign }
    let (small, large) = left.sign < 0 ? (right, left) : (left, right)
    if small.power != large.power { return small.power < large.power }
    return small.digits.lexicographicallyPrecedes(large.digits)
  }
}
