// Escapes and sets in brackets. An escape that means nothing here is an error, never the letter itself: it means something
// in another dialect.

extension PatternParser {
  /// What an escape stands for.
  private enum Escape {
    case scalar(Unicode.Scalar)
    case scalars(PatternScalars)
    case assertion(PatternAssertion)
  }

  /// Parses what follows a backslash outside brackets.
  mutating func parseEscapedAtom(from start: Int) throws(PatternError) -> Int {
    switch try parseEscape(from: start) {
    case .scalar(let scalar): literal(scalar)
    case .scalars(let scalars): tree.add(.scalars(scalars))
    case .assertion(let assertion): tree.add(.assertion(assertion))
    }
  }

  private mutating func parseEscape(from start: Int) throws(PatternError) -> Escape {
    guard let character = current else {
      throw failure(start, "nothing follows this `\\`; the character itself is `\\\\`")
    }
    index += 1
    switch character {
    case "d": return .scalars(.digits)
    case "D": return .scalars(PatternScalars.digits.inverted)
    case "w": return .scalars(.word)
    case "W": return .scalars(PatternScalars.word.inverted)
    case "s": return .scalars(.blanks)
    case "S": return .scalars(PatternScalars.blanks.inverted)
    case "A": return .assertion(.textStart)
    case "z": return .assertion(.textEnd)
    case "b": return .assertion(.wordBoundary)
    case "B": return .assertion(.notWordBoundary)
    case "a": return .scalar("\u{07}")
    case "t": return .scalar("\t")
    case "n": return .scalar("\n")
    case "v": return .scalar("\u{0B}")
    case "f": return .scalar("\u{0C}")
    case "r": return .scalar("\r")
    case "0":
      if let next = current, ("0"..."9").contains(next) {
        throw failure(start, "octal escapes are not supported, write `\\x` and two hexadecimal digits")
      }
      return .scalar("\0")
    case "x", "u": return .scalar(try parseHexadecimal(from: start, digits: character == "x" ? 2 : 4))
    case "1"..."9", "k", "g": throw failure(start, PatternParser.backReference)
    case "p", "P": throw failure(start, "Unicode classes such as `\\p{L}` are not supported")
    case "Z": throw failure(start, "unknown escape `\\Z`; the end of the text is `\\z`")
    case _
    where character.isASCII && !character.properties.isAlphabetic && !("0"..."9").contains(character)
      && character.value > 0x20 && character.value < 0x7F:
      return .scalar(character)
    case " ": return .scalar(" ")
    default: throw failure(start, "unknown escape \(quoted(start..<index))")
    }
  }

  /// Parses `HH` (or `HHHH`) or `{H…}`.
  private mutating func parseHexadecimal(from start: Int, digits: Int) throws(PatternError) -> Unicode.Scalar {
    let isBraced = take("{")
    var value: UInt32 = 0
    var count = 0
    while isBraced || count < digits, let digit = hexadecimalDigit(current) {
      // More than six digits can only be zeros or too much.
      value = min(0xFF_FFFF, value << 4 | digit)
      count += 1
      index += 1
    }
    guard isBraced ? count > 0 && take("}") : count == digits else {
      let name = quoted(start..<(start + 2))
      throw failure(start, "expected \(digits) hexadecimal digits after \(name), or any number in braces")
    }
    guard let scalar = Unicode.Scalar(value) else {
      throw failure(start, "\(quoted(start..<index)) is no character")
    }
    return scalar
  }

  private func hexadecimalDigit(_ character: Unicode.Scalar?) -> UInt32? {
    switch character?.value {
    case .some(let value) where (0x30...0x39).contains(value): value - 0x30
    case .some(let value) where (0x61...0x66).contains(value | 0x20): (value | 0x20) - 0x57
    default: nil
    }
  }

  // MARK: Brackets

  /// Parses a set to its closing bracket.
  mutating func parseBrackets(from start: Int) throws(PatternError) -> PatternScalars {
    let isInverted = take("^")
    // Sets by name keep to themselves when case is ignored: `\W` must not take `k` for the sake of the Kelvin sign.
    var ranges: [ClosedRange<UInt32>] = []
    var fixed: [ClosedRange<UInt32>] = []
    var isFirst = true
    while true {
      guard let character = current else { throw failure(start, "this bracket is never closed") }
      if character == "]", !isFirst {
        index += 1
        break
      }
      isFirst = false
      let place = index
      if character == "[", scalar(index + 1) == ":" {
        let (set, isInverted) = try parseNamedClass(from: place)
        let folded = flags.ignoresCase ? set.withAllCases : set
        fixed += (isInverted ? folded.inverted : folded).ranges
        continue
      }
      switch try parseMember(character) {
      case .scalars(let set):
        fixed += set.ranges
        if current == "-", let next = scalar(index + 1), next != "]" {
          throw failure(place, "a range begins with one character, not with \(quoted(place..<index))")
        }
      case .scalar(let low):
        guard current == "-", let next = scalar(index + 1), next != "]" else {
          ranges.append(low.value...low.value)
          continue
        }
        index += 1
        let end = index
        guard next != "[" || scalar(index + 1) != ":", case .scalar(let high) = try parseMember(next) else {
          throw failure(end, "a range ends with one character")
        }
        guard low <= high else { throw failure(place, "the range \(quoted(place..<index)) is in the wrong order") }
        ranges.append(low.value...high.value)
      case .assertion:
        throw failure(place, "\(quoted(place..<index)) has no meaning within brackets")
      }
    }
    var set = PatternScalars(ranges)
    if flags.ignoresCase { set = set.withAllCases }
    set = PatternScalars(set.ranges + fixed)
    return isInverted ? set.inverted : set
  }

  private mutating func parseMember(_ character: Unicode.Scalar) throws(PatternError) -> Escape {
    let place = index
    index += 1
    return character == "\\" ? try parseEscape(from: place) : .scalar(character)
  }

  /// Parses `[:name:]` or `[:^name:]`.
  private mutating func parseNamedClass(from start: Int) throws(PatternError) -> (PatternScalars, isInverted: Bool) {
    index += 2
    let isInverted = take("^")
    var name = ""
    while let character = current, character.properties.isAlphabetic {
      name.unicodeScalars.append(character)
      index += 1
    }
    let end = index
    guard take(":"), take("]") else {
      throw failure(start, "expected a class such as `[:alpha:]`; the character itself is `\\[`")
    }
    guard let set = PatternScalars.named(name) else {
      let near = nearMiss(of: name, among: PatternScalars.classNames).map { ", did you mean `[:\($0):]`?" } ?? ""
      throw failure(start, "unknown class \(quoted(start..<(end + 2)))\(near)")
    }
    return (set, isInverted)
  }
}
