// Where a damaged value ends, and what a damaged object is: one that wraps records is one still. Nothing of it is sound, so only
// strings and brackets count, and what does not close says nothing.

/// What is to be made of an object that is damaged.
enum JSONDamagedObject {
  case needsMoreBytes
  /// One of several values, or one record by itself.
  case record
  /// One that wraps the records.
  case wrapper
}

extension JSONDamagedObject {
  /// Judges an object with an array of records.
  ///
  /// - Parameters:
  ///   - start: its bracket.
  ///   - bound: what lies behind it makes no difference.
  ///   - isSure: whether the array is one of records beyond doubt, as its first element begins like an object.
  static func judge(
    _ window: Span<UInt8>, from start: Int, bound: Int, isFinal: Bool, isSure: Bool
  ) -> JSONDamagedObject {
    let looked = window.extracting(0..<min(window.count, bound))
    if case .found(let end) = JSONElementEnd.find(looked, from: start, isValue: true) {
      var next = end
      while next < window.count, JSONBytes.isWhite(window[next]) || window[next] == JSONBytes.recordSeparator {
        next += 1
      }
      if next < window.count { return .record }
      return isFinal ? .wrapper : .needsMoreBytes
    }
    if window.count >= bound { return .wrapper }
    guard isFinal else { return .needsMoreBytes }
    // Where lines can be read after it, they are worth more than what is left of it.
    return isSure || !hasLines(looked, from: start) ? .wrapper : .record
  }

  /// Whether there is a line at which reading goes on after a damaged one.
  private static func hasLines(_ window: Span<UInt8>, from start: Int) -> Bool {
    var at = start
    while at + 1 < window.count {
      if window[at] == 0x0A && (window[at + 1] == UInt8(ascii: "{") || window[at + 1] == UInt8(ascii: "[")) {
        return true
      }
      at += 1
    }
    return false
  }

  /// Whether an array holds objects, by the first element that is sound, or begins as one.
  ///
  /// - Parameters:
  ///   - start: behind its bracket.
  ///   - depth: brackets around its elements.
  ///   - bound: how far the end of a damaged element is looked for.
  /// - Returns: nil where more bytes are needed to tell.
  static func holdsObjects(_ window: Span<UInt8>, from start: Int, depth: Int, bound: Int, isFinal: Bool) -> Bool? {
    unsafe window.withUnsafeBufferPointer { buffer in
      guard let bytes = buffer.baseAddress else { return false }
      let count = buffer.count
      var checker = JSONChecker()
      var at = start
      while true {
        at = unsafe JSONBytes.skipWhite(bytes, from: at, count: count)
        guard at < count else { return isFinal ? false : nil }
        let first = at
        let isObject = unsafe bytes[first] == UInt8(ascii: "{")
        checker.reset(enclosed: depth)
        switch unsafe checker.run(bytes, count: count, position: &at, closing: 0, isFinal: isFinal) {
        case .pause: return nil
        case .done:
          at = unsafe JSONBytes.skipWhite(bytes, from: at, count: count)
          if !isObject || at >= count && isFinal { return isObject }
          if at >= count { return nil }
          return unsafe bytes[at] == UInt8(ascii: ",") || bytes[at] == UInt8(ascii: "]")
        case .damage: break
        }
        let looked = unsafe UnsafeBufferPointer(start: bytes, count: min(count, max(bound, first)))
        switch unsafe JSONElementEnd.find(looked.span, from: first) {
        case .found(let end):
          if isObject { return true }
          guard unsafe bytes[end] == UInt8(ascii: ",") else { return false }
          at = end &+ 1
        case .wrongBracket: return false
        case .unclosedString, .windowEnd:
          if count >= bound { return false }
          return isFinal ? isObject : nil
        }
      }
    }
  }
}

/// Where something ends, whatever it is made of, by its strings and brackets.
enum JSONElementEnd {
  /// The comma or bracket after it; of a value with brackets of its own, the byte behind them.
  case found(Int)
  case wrongBracket(Int)
  /// The window ends in a string that opened here.
  case unclosedString(Int)
  case windowEnd

  /// - Parameters:
  ///   - start: where an element of an array begins, or the first bracket of the value.
  ///   - isValue: whether it is a value that begins with a bracket, and ends with the one that closes that.
  static func find(_ window: Span<UInt8>, from start: Int, isValue: Bool = false) -> JSONElementEnd {
    // One bit an open bracket, 1 for an object; 64 to a word.
    var stack: [UInt64] = []
    var depth = 0
    var at = start
    while at < window.count {
      let byte = window[at]
      switch byte {
      case UInt8(ascii: "\""):
        let open = at
        at += 1
        while at < window.count && window[at] != UInt8(ascii: "\"") { at += window[at] == UInt8(ascii: "\\") ? 2 : 1 }
        if at >= window.count { return .unclosedString(open) }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if depth >> 6 == stack.count { stack.append(0) }
        let bit = (1 as UInt64) << UInt64(depth & 63)
        if byte == UInt8(ascii: "{") { stack[depth >> 6] |= bit } else { stack[depth >> 6] &= ~bit }
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        let closesObject = byte == UInt8(ascii: "}")
        if depth == 0 { return closesObject ? .wrongBracket(at) : .found(at) }
        depth -= 1
        let isObject = (stack[depth >> 6] >> UInt64(depth & 63)) & 1 == 1
        if isObject != closesObject { return .wrongBracket(at) }
        if isValue && depth == 0 { return .found(at + 1) }
      case UInt8(ascii: ","):
        if depth == 0 { return .found(at) }
      default: break
      }
      at += 1
    }
    return .windowEnd
  }
}
