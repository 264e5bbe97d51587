// Grammar of regular expressions, from code points to the tree, by recursive descent to a bounded depth.
// PatternParserClasses.swift reads escapes and brackets.
//
//     choice     = sequence { "|" sequence }
//     sequence   = { atom [ ("*" | "+" | "?" | "{" m [ "," [ n ] ] "}") [ "?" ] ] }
//     atom       = "(" [ "?:" | "?P<name>" | "?<name>" | "?flags:" ] choice ")" | "(?flags)" | "[" … "]" | "\" … | character

struct PatternParser {
  /// `(?i)` and its like. They hold to the end of the group that they stand in.
  struct Flags {
    var ignoresCase = false
    /// `.` takes a line feed too.
    var dotTakesAll = false
    /// `^` and `$` fit at every line.
    var isByLine = false
    /// Repetitions prefer fewer, and more with `?`.
    var swapsGreed = false
  }

  let scalars: [UInt32]
  /// Of each code point where it begins, and where the last ends.
  let offsets: [Int]
  /// The first byte that is no UTF-8.
  private let damage: Int?
  var index = 0
  var flags: Flags
  var tree = PatternTree()
  private var depth = 0

  init(_ source: [UInt8], ignoresCase: Bool) {
    flags = Flags(ignoresCase: ignoresCase)
    var scalars: [UInt32] = []
    var offsets: [Int] = []
    var offset = 0
    var damage: Int?
    var decoder = UTF8()
    var bytes = source.makeIterator()
    decoding: while true {
      switch decoder.decode(&bytes) {
      case .scalarValue(let scalar):
        scalars.append(scalar.value)
        offsets.append(offset)
        offset += UTF8.width(scalar)
      case .emptyInput: break decoding
      case .error:
        damage = offset
        break decoding
      }
    }
    self.scalars = scalars
    self.offsets = offsets + [offset]
    self.damage = damage
  }

  mutating func run() throws(PatternError) -> PatternTree {
    if let damage { throw PatternError(offset: damage, reason: "a regular expression must be UTF-8") }
    tree.root = try parseChoice()
    if index < scalars.count { throw failure(index, "this parenthesis closes nothing; the character itself is `\\)`") }
    return tree
  }

  // MARK: Characters

  /// The code point at a place, or nil at the end.
  func scalar(_ place: Int) -> Unicode.Scalar? { place < scalars.count ? Unicode.Scalar(scalars[place]) : nil }

  var current: Unicode.Scalar? { scalar(index) }

  mutating func take(_ wanted: Unicode.Scalar) -> Bool {
    guard current == wanted else { return false }
    index += 1
    return true
  }

  func failure(_ place: Int, _ reason: String) -> PatternError {
    PatternError(offset: offsets[min(place, scalars.count)], reason: reason)
  }

  /// The code points of some places, for a message.
  func quoted(_ places: Range<Int>) -> String {
    var text = ""
    for place in places {
      if let scalar = scalar(place) { text.unicodeScalars.append(scalar) }
    }
    return PredicateError.quoted(text)
  }

  // MARK: Choice, sequence

  private mutating func parseChoice() throws(PatternError) -> Int {
    var alternatives = [try parseSequence()]
    while take("|") { alternatives.append(try parseSequence()) }
    return alternatives.count == 1 ? alternatives[0] : tree.add(.choice(alternatives))
  }

  private mutating func parseSequence() throws(PatternError) -> Int {
    var parts: [Int] = []
    while let character = current, character != "|", character != ")" {
      let start = index
      guard let atom = try parseAtom(character) else { continue }
      let part = try parseRepetition(of: atom, from: start)
      // A group that is a mere sequence becomes a part of this one, so that a literal is found whole.
      if case .sequence(let inner) = tree.terms[part] { parts += inner } else { parts.append(part) }
    }
    return parts.count == 1 ? parts[0] : tree.add(parts.isEmpty ? .empty : .sequence(parts))
  }

  // MARK: Repetition

  private mutating func parseRepetition(of atom: Int, from start: Int) throws(PatternError) -> Int {
    let place = index
    guard let (least, most) = try parseTimes() else { return atom }
    let isLazy = take("?")
    let end = index
    if try parseTimes() != nil {
      throw failure(
        end, "\(quoted(end..<index)) repeats a repetition; put what is before it in `(?:…)` if that is meant")
    }
    // Repeated many times, even nothing needs nodes; once or never, it is what it is.
    let isGreedy = isLazy == flags.swapsGreed
    if most == 0 { return tree.add(.empty) }
    if least == 1, most == 1 { return atom }
    let term = tree.add(.repetition(atom, least: least, most: most, isGreedy: isGreedy))
    guard tree.cost(of: term) <= Pattern.memoryLimit / PatternCompiler.bytesPerNode else {
      throw failure(place, "with \(quoted(place..<index)) this regular expression needs more than 10 MiB")
    }
    return term
  }

  /// How often, or nil where there is no repetition.
  private mutating func parseTimes() throws(PatternError) -> (least: Int, most: Int?)? {
    if take("*") { return (0, nil) }
    if take("+") { return (1, nil) }
    if take("?") { return (0, 1) }
    let start = index
    guard take("{") else { return nil }
    let problem = "expected a count such as `{3}`, `{3,}` or `{3,5}`; the character itself is `\\{`"
    guard let least = parseNumber() else { throw failure(start, problem) }
    var most: Int? = least
    if take(",") {
      most = nil
      if current != "}" {
        guard let number = parseNumber() else { throw failure(start, problem) }
        most = number
      }
    }
    guard take("}") else { throw failure(start, problem) }
    if let most, most < least { throw failure(start, "\(quoted(start..<index)) has its counts in the wrong order") }
    return (least, most)
  }

  /// A decimal number; beyond a billion, a billion.
  private mutating func parseNumber() -> Int? {
    var number: Int?
    while let digit = current, ("0"..."9").contains(digit) {
      number = min(1_000_000_000, (number ?? 0) * 10 + Int(digit.value - 0x30))
      index += 1
    }
    return number
  }

  // MARK: Atoms

  /// Parses an atom; nil for flags, which are none.
  private mutating func parseAtom(_ character: Unicode.Scalar) throws(PatternError) -> Int? {
    let start = index
    index += 1
    switch character {
    case "(": return try parseGroup(from: start)
    case "[": return tree.add(.scalars(try parseBrackets(from: start)))
    case "\\": return try parseEscapedAtom(from: start)
    case ".":
      return tree.add(.scalars(flags.dotTakesAll ? PatternScalars().inverted : PatternScalars([0x0A...0x0A]).inverted))
    case "^": return tree.add(.assertion(flags.isByLine ? .lineStart : .textStart))
    case "$": return tree.add(.assertion(flags.isByLine ? .lineEnd : .textEnd))
    case "*", "+", "?", "{":
      throw failure(start, "nothing to repeat before `\(character)`; the character itself is `\\\(character)`")
    default: return literal(character)
    }
  }

  mutating func literal(_ scalar: Unicode.Scalar) -> Int {
    let set = PatternScalars([scalar.value...scalar.value])
    return tree.add(.scalars(flags.ignoresCase ? set.withAllCases : set))
  }

  private mutating func parseGroup(from start: Int) throws(PatternError) -> Int? {
    let outer = flags
    if take("?") {
      switch current {
      case "=", "!": throw failure(start, "look-ahead is not supported, as it cannot be searched in linear time")
      case "<" where scalar(index + 1) == "=" || scalar(index + 1) == "!":
        throw failure(start, "look-behind is not supported, as it cannot be searched in linear time")
      case ">": throw failure(start, "atomic groups are not supported")
      case "#": throw failure(start, "comments in regular expressions are not supported")
      case "(": throw failure(start, "conditions in regular expressions are not supported")
      case "P" where scalar(index + 1) == "=": throw failure(start, PatternParser.backReference)
      case "P" where scalar(index + 1) == "<":
        index += 2
        try parseGroupName()
      case "<":
        index += 1
        try parseGroupName()
      default:
        if try parseFlags(from: start) { return nil }
      }
    }
    depth += 1
    guard depth <= Pattern.depthLimit else {
      throw failure(start, "nested too deeply: more than \(Pattern.depthLimit) groups within one another")
    }
    let content = try parseChoice()
    depth -= 1
    guard take(")") else { throw failure(start, "this group is never closed") }
    flags = outer
    return content
  }

  static let backReference = "back-references are not supported, as they cannot be searched in linear time"

  private mutating func parseGroupName() throws(PatternError) {
    let start = index
    while let character = current, character != ">" {
      guard character.properties.isAlphabetic || ("0"..."9").contains(character) || character == "_" else { break }
      index += 1
    }
    guard index > start, take(">") else { throw failure(start, "expected the name of a group and `>`") }
  }

  /// Parses what follows `(?`, to the `:` (false) or the `)` (true).
  private mutating func parseFlags(from start: Int) throws(PatternError) -> Bool {
    var isOn = true
    while let character = current {
      index += 1
      switch character {
      case ":": return false
      case ")": return true
      case "-" where isOn: isOn = false
      case "i": flags.ignoresCase = isOn
      case "s": flags.dotTakesAll = isOn
      case "m": flags.isByLine = isOn
      case "U": flags.swapsGreed = isOn
      default:
        throw failure(index - 1, "unknown flag \(quoted((index - 1)..<index)), expected `i`, `m`, `s`, `U`, `:` or `)`")
      }
    }
    throw failure(start, "this group is never closed")
  }
}
