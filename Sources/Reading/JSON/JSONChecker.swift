// The slow, obvious reader of JSON: a pushdown automaton over bytes, one token at a time, on an explicit stack of bits.
//
// It decides what is damage and where. The block scanner only ever says "this may be damage"; what it says yes to, and
// whatever else it does not handle (scalars as records, very deep nesting), is read by this one. The tests run both.

/// Checks JSON text token by token; what stands between tokens can be cut anywhere.
struct JSONChecker: Sendable {
  /// What the grammar allows next.
  enum Expected: UInt8, Sendable {
    case value
    /// After `[`.
    case elementOrEnd
    /// After `{`.
    case keyOrEnd
    /// After `,` in an object.
    case key
    case colon
    /// After a value inside an array or object.
    case commaOrEnd
    /// At depth 0, after a value.
    case nothing
  }

  /// Why a run ended.
  enum Outcome: Equatable, Sendable {
    /// The depth asked for was reached by the end of a value.
    case done
    /// The place asked for was reached, or the bytes end before the next token does.
    case pause
    case damage(Int, String)
  }

  private(set) var expected = Expected.value
  private(set) var depth = 0
  /// Brackets that are open around what is checked.
  private var enclosingDepth = 0
  /// One bit an open bracket: 1 for an object. 64 to a word.
  private var stack: [UInt64] = []

  init() {}

  /// Starts over, before a value at depth 0, which stands in so many arrays and objects.
  mutating func reset(enclosed enclosingDepth: Int = 0) {
    self.enclosingDepth = enclosingDepth
    expected = .value
    depth = 0
  }

  var isInObject: Bool {
    guard depth > 0 else { return false }
    let level = depth &- 1
    return (stack[level &>> 6] &>> UInt64(level & 63)) & 1 == 1
  }

  private mutating func push(object: Bool) {
    let word = depth &>> 6
    if word == stack.count { stack.append(0) }
    let bit = (1 as UInt64) &<< UInt64(depth & 63)
    if object { stack[word] |= bit } else { stack[word] &= ~bit }
    depth &+= 1
    expected = object ? .keyOrEnd : .elementOrEnd
  }

  /// Starts over inside an array in so many objects.
  mutating func assumeArray(inObjects count: Int) {
    reset()
    for _ in 0..<min(count, JSONLimits.maximumDepth) { push(object: true) }
    push(object: false)
  }

  /// Takes note of a `]` that was read elsewhere.
  mutating func closeArray() { pop() }

  private mutating func pop() {
    depth = max(0, depth &- 1)
    expected = depth == 0 ? .nothing : .commaOrEnd
  }

  /// Reads tokens from `position` on, and moves it behind the last one that was complete.
  ///
  /// - Parameters:
  ///   - until: the run ends before the first token that begins at or after this position.
  ///   - closing: the run ends as `.done` after a value that ends at this depth.
  mutating func run(
    _ bytes: UnsafePointer<UInt8>, count: Int, position: inout Int, until: Int = .max, closing target: Int,
    isFinal: Bool
  ) -> Outcome {
    while true {
      position = unsafe JSONBytes.skipWhite(bytes, from: position, count: count)
      if position >= count { return isFinal ? .damage(count, endReason) : .pause }
      if position >= until { return .pause }
      let byte = unsafe bytes[position]
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard expected == .value || expected == .elementOrEnd else { return .damage(position, wantReason) }
        if depth &+ enclosingDepth >= JSONLimits.maximumDepth {
          return .damage(position, "nested more than \(JSONLimits.maximumDepth) deep")
        }
        push(object: byte == UInt8(ascii: "{"))
        position &+= 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        let closesObject = byte == UInt8(ascii: "}")
        guard depth > 0, isInObject == closesObject,
          expected == .commaOrEnd || expected == (closesObject ? .keyOrEnd : .elementOrEnd)
        else { return .damage(position, wantReason) }
        pop()
        position &+= 1
        if depth == target { return .done }
      case UInt8(ascii: ","):
        guard expected == .commaOrEnd else { return .damage(position, wantReason) }
        expected = isInObject ? .key : .value
        position &+= 1
      case UInt8(ascii: ":"):
        guard expected == .colon else { return .damage(position, wantReason) }
        expected = .value
        position &+= 1
      default:
        let isKey = expected == .key || expected == .keyOrEnd
        if isKey ? byte != JSONBytes.quote : expected != .value && expected != .elementOrEnd {
          return .damage(position, wantReason)
        }
        var end = position
        let outcome = unsafe token(bytes, count: count, end: &end, isFinal: isFinal)
        if outcome != .done { return outcome }
        position = end
        expected = isKey ? .colon : depth == 0 ? .nothing : .commaOrEnd
        if !isKey && depth == target { return .done }
      }
    }
  }

  /// Reads one string, number or literal that begins at `end`, and moves `end` behind it.
  private func token(_ bytes: UnsafePointer<UInt8>, count: Int, end: inout Int, isFinal: Bool) -> Outcome {
    let start = end
    switch unsafe bytes[start] {
    case JSONBytes.quote: return unsafe string(bytes, count: count, end: &end, isFinal: isFinal)
    case UInt8(ascii: "t"): return unsafe literal("true", bytes, count: count, end: &end, isFinal: isFinal)
    case UInt8(ascii: "f"): return unsafe literal("false", bytes, count: count, end: &end, isFinal: isFinal)
    case UInt8(ascii: "n"): return unsafe literal("null", bytes, count: count, end: &end, isFinal: isFinal)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return unsafe number(bytes, count: count, end: &end, isFinal: isFinal)
    case UInt8(ascii: "'"): return .damage(start, "strings are written in double quotes")
    default: return .damage(start, wantReason)
    }
  }

  private func string(_ bytes: UnsafePointer<UInt8>, count: Int, end: inout Int, isFinal: Bool) -> Outcome {
    let start = end
    var at = start &+ 1
    while true {
      at = unsafe JSONBytes.stringPause(bytes, from: at, count: count)
      guard at < count else { return isFinal ? .damage(start, "string is not closed") : .pause }
      switch unsafe bytes[at] {
      case JSONBytes.quote:
        end = at &+ 1
        return .done
      case JSONBytes.backslash:
        guard at &+ 1 < count else { return isFinal ? .damage(start, "string is not closed") : .pause }
        let letter = unsafe bytes[at &+ 1]
        if letter == UInt8(ascii: "u") {
          for digit in (at &+ 2)..<(at &+ 6) {
            guard digit < count else { return isFinal ? .damage(start, "string is not closed") : .pause }
            if unsafe JSONBytes.hexDigit(bytes[digit]) == nil {
              return .damage(at, "'\\u' without four hexadecimal digits in a string")
            }
          }
          at &+= 6
        } else {
          if unsafe !JSONBytes.isEscape(bytes + (at + 1)) {
            return .damage(at, "unknown escape in a string")
          }
          at &+= 2
        }
      default: return .damage(at, "control character in a string, where JSON wants an escape")
      }
    }
  }

  private func literal(
    _ text: StaticString, _ bytes: UnsafePointer<UInt8>, count: Int, end: inout Int, isFinal: Bool
  ) -> Outcome {
    let start = end
    let letters = unsafe text.utf8Start
    for index in 0..<text.utf8CodeUnitCount {
      guard start &+ index < count else {
        return isFinal ? .damage(count, "the input ends inside '\(text)'") : .pause
      }
      if unsafe bytes[start &+ index] != letters[index] {
        return .damage(start, "expected a value; text belongs in double quotes")
      }
    }
    end = start &+ text.utf8CodeUnitCount
    guard end < count else { return isFinal ? .done : .pause }
    return unsafe isDelimiter(bytes[end]) ? .done : .damage(start, "expected '\(text)' and nothing more")
  }

  private func number(_ bytes: UnsafePointer<UInt8>, count: Int, end: inout Int, isFinal: Bool) -> Outcome {
    let start = end
    // States: 0 start, 1 after the sign, 2 after a leading zero, 3 whole digits, 4 after the point, 5 fraction,
    // 6 after e, 7 after its sign, 8 exponent digits.
    var state = 0
    var at = start
    while at < count {
      let byte = unsafe bytes[at]
      let next: Int
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        switch state {
        case 0, 1: next = byte == UInt8(ascii: "0") ? 2 : 3
        case 2: return .damage(start, "number with a leading zero")
        case 4: next = 5
        case 6, 7: next = 8
        default: next = state
        }
      case UInt8(ascii: "-"): next = state == 0 ? 1 : state == 6 ? 7 : -1
      case UInt8(ascii: "+"): next = state == 6 ? 7 : -1
      case UInt8(ascii: "."): next = state == 2 || state == 3 ? 4 : -1
      case UInt8(ascii: "e"), UInt8(ascii: "E"): next = state == 2 || state == 3 || state == 5 ? 6 : -1
      default:
        next = -1
        if isDelimiter(byte), state == 2 || state == 3 || state == 5 || state == 8 {
          end = at
          return .done
        }
      }
      if next < 0 { return .damage(start, "not a number as JSON writes them") }
      state = next
      at &+= 1
    }
    guard isFinal else { return .pause }
    guard state == 2 || state == 3 || state == 5 || state == 8 else {
      return .damage(count, "the input ends inside a number")
    }
    end = count
    return .done
  }

  /// What may stand right after a number or literal: anything that is a token of its own, white space, or RS.
  @inline(__always)
  private func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0D, JSONBytes.recordSeparator, JSONBytes.quote, UInt8(ascii: ","), UInt8(ascii: ":"),
      UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"):
      true
    default: false
    }
  }

  /// What was expected, for people.
  private var wantReason: String {
    switch expected {
    case .value: "expected a value"
    case .elementOrEnd: "expected a value or ']'"
    case .keyOrEnd: "expected a name in double quotes or '}'"
    case .key: "expected a name in double quotes after ','"
    case .colon: "expected ':' after a name"
    case .commaOrEnd: isInObject ? "expected ',' or '}' after a value" : "expected ',' or ']' after an element"
    case .nothing: "expected nothing more"
    }
  }

  private var endReason: String {
    depth == 0 ? "the input ends before a value" : "the input ends inside an \(isInObject ? "object" : "array")"
  }
}
