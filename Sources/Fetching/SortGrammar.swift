// Reads the arguments of --sort and --columns: names with or without quoting, modifiers, commas.
//
// In CSV the longest reading of the argument that is a column wins, as `time:desc` and `Last, First` may be columns; in
// JSON, where no list of names exists beforehand, `:` begins a modifier and `,` the next name.

package import Reading

/// What is wrong with the argument of --sort or --columns.
package enum SortError: Error, Sendable, Equatable {
  /// A name is missing at the beginning, at the end or between two commas.
  case emptyName
  /// A backquote or brace that opens a name is never closed.
  case unclosed(String)
  /// Something follows a quoted name that is neither a comma nor a modifier.
  case unexpected(String)
  case unknownModifier(String, nearest: String?)
  /// Two modifiers exclude each other.
  case conflict(String, String)
  /// `:date()` without a format.
  case emptyFormat

  /// The error in words, without a full stop.
  package var message: String {
    switch self {
    case .emptyName: "expected a name"
    case .unclosed(let sign): "'\(sign)' is never closed"
    case .unexpected(let text): "expected ',' or a modifier after the name, found '\(text)'"
    case .unknownModifier(let name, .some(let nearest)): "unknown modifier ':\(name)'; did you mean ':\(nearest)'?"
    case .unknownModifier(let name, nil): "unknown modifier ':\(name)'"
    case .conflict(let first, let second): "':\(first)' and ':\(second)' exclude each other"
    case .emptyFormat: "':date()' needs a format, as in ':date(%d %b %Y)'"
    }
  }
}

/// The grammar of --sort.
package enum SortGrammar {
  /// Reads `KEY[:MODIFIER]…[,KEY…]`.
  ///
  /// - Parameters:
  ///   - argument: one argument of --sort.
  ///   - columns: the names of the columns where they are known (CSV), else nil.
  package static func parse(_ argument: String, columns: [String]?) throws(SortError) -> [SortDescriptor] {
    var names = NameReader(argument, columns, endsAtColon: true)
    var descriptors: [SortDescriptor] = []
    repeat {
      let name = try names.readName()
      var modifiers = Modifiers()
      while names.take(UInt8(ascii: ":")) { try modifiers.add(names.readModifier()) }
      descriptors.append(modifiers.descriptor(name.fieldName))
      try names.expectEndOrComma()
    } while names.take(UInt8(ascii: ","))
    return descriptors
  }
}

/// A part of --columns.
package enum ColumnSelection: Sendable, Equatable {
  case name(FieldName)
  /// `gear.*`: the columns whose names begin with this and a point; empty for `*`, all of them.
  case group([UInt8])
}

/// The grammar of --columns and --hide.
package enum ColumnGrammar {
  /// Reads `NAME[,NAME…]`, by the same rules for names as `SortGrammar`.
  package static func parse(_ argument: String, columns: [String]?) throws(SortError) -> [ColumnSelection] {
    var names = NameReader(argument, columns, endsAtColon: false)
    var selections: [ColumnSelection] = []
    repeat {
      let name = try names.readName()
      if !name.isQuoted && !name.isColumn && name.text == [UInt8(ascii: "*")] {
        selections.append(.group([]))
      } else if !name.isQuoted && !name.isColumn && name.text.count > 2 && name.text.suffix(2).elementsEqual(".*".utf8)
      {
        selections.append(.group(Array(name.text.dropLast(2))))
      } else {
        selections.append(.name(name.fieldName))
      }
      try names.expectEndOrComma()
    } while names.take(UInt8(ascii: ","))
    return selections
  }
}

/// Reads names and modifiers off an argument.
private struct NameReader {
  struct Name {
    var text: [UInt8]
    var isQuoted: Bool
    var isColumn: Bool

    var fieldName: FieldName { FieldName(text, isQuoted: isQuoted) }
  }

  private let text: [UInt8]
  private let columns: Set<[UInt8]>
  private let endsAtColon: Bool
  private var index = 0

  init(_ argument: String, _ columns: [String]?, endsAtColon: Bool) {
    text = Array(argument.utf8)
    self.columns = Set((columns ?? []).map { Array($0.utf8) })
    self.endsAtColon = endsAtColon
  }

  mutating func take(_ byte: UInt8) -> Bool {
    guard index < text.count && text[index] == byte else { return false }
    index += 1
    return true
  }

  mutating func expectEndOrComma() throws(SortError) {
    if index < text.count && text[index] != UInt8(ascii: ",") {
      throw .unexpected(String(decoding: text[index...], as: UTF8.self))
    }
  }

  mutating func readName() throws(SortError) -> Name {
    let start = index
    // The longest first; as it stands before trimmed, as names may begin or end with a blank.
    for end in stride(from: text.count, to: start, by: -1) where end == text.count || isSeparator(text[end]) {
      for candidate in [Array(text[start..<end]), trimmed(start, end)] where columns.contains(candidate) {
        index = end
        return Name(text: candidate, isQuoted: false, isColumn: true)
      }
    }
    skipBlanks()
    if take(UInt8(ascii: "`")) { return try readQuoted("`", until: UInt8(ascii: "`")) }
    if take(UInt8(ascii: "{")) { return try readQuoted("{", until: UInt8(ascii: "}")) }
    while index < text.count && !isSeparator(text[index]) { index += 1 }
    let name = trimmed(start, index)
    guard !name.isEmpty else { throw .emptyName }
    return Name(text: name, isQuoted: false, isColumn: false)
  }

  /// Reads a modifier up to the next `:` or `,` outside parentheses.
  mutating func readModifier() -> String {
    let start = index
    var depth = 0
    while index < text.count {
      let byte = text[index]
      if depth == 0 && (byte == UInt8(ascii: ":") || byte == UInt8(ascii: ",")) { break }
      if byte == UInt8(ascii: "(") { depth += 1 }
      if byte == UInt8(ascii: ")") { depth = max(0, depth - 1) }
      index += 1
    }
    return String(decoding: trimmed(start, index), as: UTF8.self)
  }

  private mutating func readQuoted(_ sign: String, until close: UInt8) throws(SortError) -> Name {
    guard let end = text[index...].firstIndex(of: close) else { throw .unclosed(sign) }
    let name = Array(text[index..<end])
    guard !name.isEmpty || columns.contains([]) else { throw .emptyName }
    index = end + 1
    skipBlanks()
    return Name(text: name, isQuoted: true, isColumn: columns.contains(name))
  }

  private mutating func skipBlanks() {
    while take(UInt8(ascii: " ")) {}
  }

  private func isSeparator(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || (endsAtColon && byte == UInt8(ascii: ":"))
  }

  private func trimmed(_ start: Int, _ end: Int) -> [UInt8] {
    var lower = start
    var upper = end
    while lower < upper && text[lower] == UInt8(ascii: " ") { lower += 1 }
    while lower < upper && text[upper - 1] == UInt8(ascii: " ") { upper -= 1 }
    return Array(text[lower..<upper])
  }
}

/// The modifiers of one key, at most one of each group.
private struct Modifiers {
  private var order: (name: String, value: SortOrder)?
  private var kind: (name: String, value: SortKind)?
  private var nulls: (name: String, value: NullOrder)?
  private var ignoresCase = false

  private static let kinds: [(name: String, value: SortKind)] = [
    ("auto", .auto), ("text", .text), ("number", .number), ("date", .date), ("dmy", .dmy), ("mdy", .mdy),
    ("epoch", .epoch), ("natural", .natural), ("locale", .locale),
  ]
  private static let others = ["asc", "desc", "nocase", "nulls-first", "nulls-last"]
  /// What people who know other programs write.
  private static let synonyms = [
    "ascending": "asc", "descending": "desc", "reverse": "desc", "reversed": "desc", "down": "desc", "up": "asc",
    "forward": "asc", "numeric": "number", "num": "number", "int": "number", "integer": "number", "float": "number",
    "decimal": "number", "string": "text", "str": "text", "lexical": "text", "time": "date", "datetime": "date",
    "timestamp": "epoch", "unix": "epoch", "version": "natural", "ignorecase": "nocase", "ignore-case": "nocase",
    "ci": "nocase", "c": "nocase", "collate": "locale", "nulls": "nulls-first", "ymd": "date", "r": "desc",
    "n": "number",
  ]

  mutating func add(_ modifier: String) throws(SortError) {
    if let known = Self.kinds.first(where: { $0.name == modifier }) { return try setKind(known) }
    if modifier.hasPrefix("date("), modifier.hasSuffix(")") {
      let format = String(modifier.dropFirst(5).dropLast())
      guard !format.isEmpty else { throw .emptyFormat }
      return try setKind((modifier, .dateFormat(format)))
    }
    switch modifier {
    case "asc", "desc":
      if let order { throw .conflict(order.name, modifier) }
      order = (modifier, modifier == "asc" ? .forward : .reverse)
    case "nulls-first", "nulls-last":
      if let nulls { throw .conflict(nulls.name, modifier) }
      nulls = (modifier, modifier == "nulls-first" ? .first : .last)
    case "nocase":
      if ignoresCase { throw .conflict(modifier, modifier) }
      ignoresCase = true
    default:
      throw .unknownModifier(modifier, nearest: Self.nearest(to: modifier))
    }
  }

  func descriptor(_ key: FieldName) -> SortDescriptor {
    var descriptor = SortDescriptor(key, order: order?.value ?? .forward)
    descriptor.kind = kind?.value ?? .auto
    descriptor.ignoresCase = ignoresCase
    descriptor.nulls = nulls?.value ?? .last
    return descriptor
  }

  private mutating func setKind(_ new: (name: String, value: SortKind)) throws(SortError) {
    if let kind { throw .conflict(kind.name, new.name) }
    kind = new
  }

  private static func nearest(to modifier: String) -> String? {
    let word = String(modifier.lowercased().prefix { $0 != "(" })
    if let synonym = synonyms[word] { return synonym }
    let names = kinds.map(\.name) + others
    return NearestNames.find(Array(word.utf8), among: names.map { Array($0.utf8) }, limit: 1).first
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
