// Cuts a filter expression into tokens. It knows words, not grammar; only two things depend on what stands around
// them: `/` opens a regular expression after `=~` and `!~`, and `[` belongs to a name (`tags[0]`) unless that name is
// a keyword (`in[1, 2]`, `contains[c]`).

/// The words with a meaning of their own, in any case. A field of such a name stands in backquotes.
enum PredicateKeyword: String, CaseIterable {
  case and, or, not, `in`, between, contains, beginswith, endswith, like, matches, `is`, null, `true`, `false`, now,
    today
}

enum PredicateSymbol: String {
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case matches = "=~"
  case matchesNot = "!~"
  case and = "&&"
  case or = "||"
  case not = "!"
  case openParenthesis = "("
  case closeParenthesis = ")"
  case openBracket = "["
  case closeBracket = "]"
  case comma = ","
  case plus = "+"
  case minus = "-"
}

struct PredicateToken {
  enum Kind: Equatable {
    /// Digits without a sign; the text is in the source.
    case number
    /// A whole number and a unit, in seconds.
    case duration(Int)
    /// The decoded text of a quoted literal.
    case text([UInt8])
    case regularExpression
    case name
    /// A name in backquotes or braces, without them.
    case exactName([UInt8])
    case keyword(PredicateKeyword)
    case symbol(PredicateSymbol)
    case end
  }

  var kind: Kind
  var range: Range<Int>
}

struct PredicateLexer {
  let source: String
  private let bytes: [UInt8]
  private var index = 0
  private var tokens: [PredicateToken] = []

  /// All tokens of an expression, `.end` the last.
  ///
  /// - Complexity: linear in the expression.
  static func tokens(of source: String) throws(PredicateError) -> [PredicateToken] {
    var lexer = PredicateLexer(source)
    return try lexer.run()
  }

  private init(_ source: String) {
    self.source = source
    bytes = Array(source.utf8)
  }

  private func byte(_ position: Int) -> UInt8 { position < bytes.count ? bytes[position] : 0 }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private func failure(_ range: Range<Int>, _ problem: String, nearMiss: String? = nil) -> PredicateError {
    PredicateError(source: source, range: range, problem: problem, nearMiss: nearMiss)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 <= 9 }

  private static func isNameStart(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte == UInt8(ascii: "@")
      || byte >= 0x80
  }

  private mutating func add(_ kind: PredicateToken.Kind, to end: Int) {
    tokens.append(PredicateToken(kind: kind, range: index..<end))
    index = end
  }

  private mutating func run() throws(PredicateError) -> [PredicateToken] {
    while index < bytes.count {
      let first = bytes[index]
      switch first {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      case UInt8(ascii: "\""), UInt8(ascii: "'"): try lexText(quote: first)
      case UInt8(ascii: "`"): try lexExactName(close: UInt8(ascii: "`"), "backquote")
      case UInt8(ascii: "{"): try lexExactName(close: UInt8(ascii: "}"), "brace")
      case _ where PredicateLexer.isDigit(first): try lexNumber()
      case UInt8(ascii: ".") where PredicateLexer.isDigit(byte(index + 1)): try lexNumber()
      case UInt8(ascii: "/") where followsMatchOperator: try lexRegularExpression()
      case _ where PredicateLexer.isNameStart(first): try lexWord()
      default: try lexSymbol()
      }
    }
    add(.end, to: index)
    return tokens
  }

  /// Whether the last token is `=~`, `!~` or `matches`, or a `[c]` after one of them.
  private var followsMatchOperator: Bool {
    var before = tokens[...]
    if before.last?.kind == .symbol(.closeBracket) { before = before.dropLast(3) }
    switch before.last?.kind {
    case .symbol(.matches), .symbol(.matchesNot), .keyword(.matches): return true
    default: return false
    }
  }

  // MARK: Words

  private mutating func lexWord() throws(PredicateError) {
    let start = index
    // “ ” ‘ ’ come from word processors and web pages; as part of a name they would only be puzzling.
    if byte(index) == 0xE2, byte(index + 1) == 0x80, [0x98, 0x99, 0x9C, 0x9D].contains(byte(index + 2)) {
      throw failure(start..<(start + 3), "a curly quote opens no text", nearMiss: "\"")
    }
    var end = endOfWord(from: start)
    if byte(end) != UInt8(ascii: ".") || !PredicateLexer.isNameStart(byte(end + 1)),
      let keyword = PredicateKeyword(rawValue: text(start..<end).lowercased())
    {
      add(.keyword(keyword), to: end)
      return
    }
    while true {
      if byte(end) == UInt8(ascii: ".") {
        guard PredicateLexer.isNameStart(byte(end + 1)) else {
          throw failure((end + 1)..<(end + 1), "expected a name after `.`")
        }
        end = endOfWord(from: end + 1)
      } else if byte(end) == UInt8(ascii: "[") {
        var digits = end + 1
        if byte(digits) == UInt8(ascii: "-") { digits += 1 }
        var close = digits
        while PredicateLexer.isDigit(byte(close)) { close += 1 }
        guard close > digits else {
          throw failure(digits..<digits, "expected the number of an element after `[`, as in `tags[0]`")
        }
        guard byte(close) == UInt8(ascii: "]") else { throw failure(close..<close, "expected `]`") }
        guard close - digits <= 18 else { throw failure(digits..<close, "no array has that many elements") }
        end = close + 1
      } else {
        break
      }
    }
    add(.name, to: end)
  }

  private func endOfWord(from start: Int) -> Int {
    var end = start
    while PredicateLexer.isNameStart(byte(end)) || PredicateLexer.isDigit(byte(end)) { end += 1 }
    return end
  }

  private mutating func lexExactName(close: UInt8, _ what: String) throws(PredicateError) {
    var end = index + 1
    while end < bytes.count && bytes[end] != close { end += 1 }
    guard end < bytes.count else { throw failure(index..<(index + 1), "this \(what) is never closed") }
    add(.exactName(Array(bytes[(index + 1)..<end])), to: end + 1)
  }

  // MARK: Numbers

  private mutating func lexNumber() throws(PredicateError) {
    let start = index
    var end = index
    while PredicateLexer.isDigit(byte(end)) { end += 1 }
    let isWhole = byte(end) != UInt8(ascii: ".")
    if !isWhole {
      let fraction = end + 1
      end = fraction
      while PredicateLexer.isDigit(byte(end)) { end += 1 }
      guard end > fraction else { throw failure(end..<end, "expected a digit after the decimal point") }
    }
    let digitsEnd = end
    if byte(end) | 0x20 == UInt8(ascii: "e") {
      var digits = end + 1
      if byte(digits) == UInt8(ascii: "+") || byte(digits) == UInt8(ascii: "-") { digits += 1 }
      if PredicateLexer.isDigit(byte(digits)) {
        end = digits
        while PredicateLexer.isDigit(byte(end)) { end += 1 }
      }
    }
    let wordEnd = endOfWord(from: end)
    guard wordEnd > end else {
      if byte(end) == UInt8(ascii: ".") {
        throw failure(end..<(end + 1), "a number has one decimal point")
      }
      add(.number, to: end)
      return
    }
    let unit = text(end..<wordEnd)
    let seconds: Int? =
      switch unit {
      case "s": 1
      case "m": 60
      case "h": 3600
      case "d": 86_400
      case "w": 604_800
      default: nil
      }
    guard end == digitsEnd, let seconds else {
      throw failure(
        end..<wordEnd,
        "\(PredicateError.quoted(text(start..<wordEnd))) is neither a number nor a duration (s, m, h, d, w)")
    }
    guard isWhole else { throw failure(start..<wordEnd, "a duration is a whole number and a unit") }
    guard let count = Int(text(start..<digitsEnd)), count <= PredicateLexer.longestDuration / seconds else {
      throw failure(start..<wordEnd, "this duration is too long")
    }
    add(.duration(count * seconds), to: wordEnd)
  }

  /// 20,000 years: more than there is between any two dates that can be written.
  static let longestDuration = 20_000 * 366 * 86_400

  // MARK: Text

  private mutating func lexText(quote: UInt8) throws(PredicateError) {
    let start = index
    var decoded: [UInt8] = []
    var position = start + 1
    while true {
      guard position < bytes.count else { throw failure(start..<(start + 1), "this quote is never closed") }
      let next = bytes[position]
      if next == quote { break }
      if next == UInt8(ascii: "\\") {
        position = try decodeEscape(at: position, into: &decoded)
      } else {
        decoded.append(next)
        position += 1
      }
    }
    add(.text(decoded), to: position + 1)
  }

  /// Decodes the escape at a backslash (RFC 8259, section 7, and `\'`) and returns where it ends.
  private func decodeEscape(at start: Int, into decoded: inout [UInt8]) throws(PredicateError) -> Int {
    switch byte(start + 1) {
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(byte(start + 1))
    case UInt8(ascii: "b"): decoded.append(0x08)
    case UInt8(ascii: "f"): decoded.append(0x0C)
    case UInt8(ascii: "n"): decoded.append(0x0A)
    case UInt8(ascii: "r"): decoded.append(0x0D)
    case UInt8(ascii: "t"): decoded.append(0x09)
    case UInt8(ascii: "u"):
      guard let unit = hexadecimal(at: start + 2) else {
        throw failure(start..<(start + 2), "expected four hexadecimal digits after `\\u`")
      }
      var value = unit
      var end = start + 6
      if unit & 0xFC00 == 0xD800, byte(end) == UInt8(ascii: "\\"), byte(end + 1) == UInt8(ascii: "u"),
        let low = hexadecimal(at: end + 2), low & 0xFC00 == 0xDC00
      {
        value = 0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF
        end += 6
      }
      guard let scalar = Unicode.Scalar(value) else {
        throw failure(start..<end, "a lone surrogate is no character")
      }
      decoded.append(contentsOf: Array(String(Character(scalar)).utf8))
      return end
    default:
      throw failure(
        start..<min(start + 2, bytes.count), "unknown escape in text", nearMiss: start + 1 < bytes.count ? "\\\\" : nil)
    }
    return start + 2
  }

  private func hexadecimal(at start: Int) -> UInt32? {
    var value: UInt32 = 0
    for position in start..<(start + 4) {
      let digit = byte(position)
      switch digit {
      case 0x30...0x39: value = value << 4 | UInt32(digit - 0x30)
      case 0x41...0x46, 0x61...0x66: value = value << 4 | UInt32((digit | 0x20) - 0x57)
      default: return nil
      }
    }
    return value
  }

  private mutating func lexRegularExpression() throws(PredicateError) {
    var end = index + 1
    while end < bytes.count && bytes[end] != UInt8(ascii: "/") {
      end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard end < bytes.count else { throw failure(index..<(index + 1), "this `/` is never closed") }
    if PredicateLexer.isNameStart(byte(end + 1)) {
      throw failure(
        (end + 1)..<endOfWord(from: end + 1), "no flags stand after a regular expression",
        nearMiss: byte(end + 1) == UInt8(ascii: "i") ? "=~[c]" : nil)
    }
    add(.regularExpression, to: end + 1)
  }

  // MARK: Symbols

  // What other languages write, and what it is here. Longest first.
  private static let foreign: [(spelling: String, here: String)] = [
    ("===", "=="), ("!==", "!="), ("<=>", "=="), ("=>", ">="), ("=<", "<="), ("<>", "!="), (">>", ">"), ("<<", "<"),
    ("=!", "!="),
  ]

  private static let spellings: [(spelling: String, symbol: PredicateSymbol)] = [
    ("==", .equal), ("!=", .notEqual), ("<=", .lessOrEqual), (">=", .greaterOrEqual), ("=~", .matches),
    ("!~", .matchesNot), ("&&", .and), ("||", .or), ("=", .equal), ("<", .less), (">", .greater), ("!", .not),
    ("(", .openParenthesis), (")", .closeParenthesis), ("[", .openBracket), ("]", .closeBracket), (",", .comma),
    ("+", .plus), ("-", .minus),
  ]

  private mutating func lexSymbol() throws(PredicateError) {
    for (spelling, here) in PredicateLexer.foreign where bytes[index...].starts(with: spelling.utf8) {
      throw failure(index..<(index + spelling.utf8.count), "unknown operator `\(spelling)`", nearMiss: here)
    }
    for (spelling, symbol) in PredicateLexer.spellings where bytes[index...].starts(with: spelling.utf8) {
      add(.symbol(symbol), to: index + spelling.utf8.count)
      return
    }
    let character = PredicateError.quoted(text(index..<(index + 1)))
    let place = index..<(index + 1)
    switch bytes[index] {
    case UInt8(ascii: "&"): throw failure(place, "unknown operator `&`", nearMiss: "&&")
    case UInt8(ascii: "|"): throw failure(place, "unknown operator `|`", nearMiss: "||")
    case UInt8(ascii: "~"): throw failure(place, "unknown operator `~`", nearMiss: "=~")
    case UInt8(ascii: "}"): throw failure(place, "this brace closes nothing")
    default: throw failure(place, "unexpected character \(character)")
    }
  }
}
