// Leaves damaged records of JSON out (--on-error skip). Between values at the top level, as in JSON Lines, reading goes on
// at the first line after the one where the bad record began that starts with a bracket. Inside an array, an element is
// left out up to the comma or bracket after it, which can only be found where its strings and brackets close: if they do
// not, the damage stands.
//
// A bad element stays in the window until its end is known, so there is nothing to remember of it, and it may be as large
// as a record may be. Bad lines are let go of at once.

/// What is known between two windows, and what was left out.
struct JSONDamageSkip: Sendable {
  enum Search: Sendable {
    case none
    /// For the end of a line.
    case lineEnd
    /// At the beginning of a line.
    case lineStart
  }

  var search = Search.none
  var leftOut = LeftOutRecords()
}

extension JSONScanner {
  package mutating func takeLeftOut() -> LeftOutRecords {
    guard let found = skip?.leftOut, found.count > 0 else { return LeftOutRecords() }
    skip?.leftOut = LeftOutRecords()
    return found
  }

  /// Scans on behind damage wherever that is possible.
  mutating func scanSkipping(
    _ window: Span<UInt8>, from: Int, limit: Int, isFinal: Bool, into batch: inout RecordBatch
  ) -> ScanResult {
    var at = from
    while true {
      if !findLine(window, from: &at) { return ScanResult(consumed: at, stop: .windowEnd) }
      let result = scanSound(window, from: at, limit: limit, isFinal: isFinal, into: &batch)
      guard case .damage(let damage) = result.stop else { return result }
      switch position {
      case .wrapperStart, .wrapperEnd, .ended: return result
      case .betweenValues:
        skip?.leftOut.add(damage)
        skip?.search = .lineEnd
        at = damage.recordStart
      case .arrayStart, .beforeElement, .afterElement:
        switch JSONElementEnd.find(window, from: damage.recordStart) {
        case .found(let end):
          skip?.leftOut.add(damage)
          position = .afterElement
          at = end
        case .wrongBracket(let place):
          let reason = "a bracket that closes none, in an element that cannot be left out: \(damage.reason)"
          return stop(at: place, reason, damage)
        case .unclosedString(let place):
          if !isFinal { return ScanResult(consumed: damage.recordStart, stop: .windowEnd) }
          return stop(at: place, "string is not closed", damage)
        case .windowEnd:
          if !isFinal { return ScanResult(consumed: damage.recordStart, stop: .windowEnd) }
          return result
        }
      }
    }
  }

  private func stop(at offset: Int, _ reason: String, _ damage: Damage) -> ScanResult {
    ScanResult(
      consumed: damage.recordStart,
      stop: .damage(Damage(offset: offset, reason: reason, recordStart: damage.recordStart)))
  }

  /// Goes on to the line that is looked for, if one is.
  ///
  /// - Returns: false where the window ends before.
  private mutating func findLine(_ window: Span<UInt8>, from at: inout Int) -> Bool {
    while let search = skip?.search, search != .none {
      if at >= window.count { return false }
      if search == .lineStart {
        if window[at] == UInt8(ascii: "{") || window[at] == UInt8(ascii: "[") {
          skip?.search = .none
          return true
        }
        skip?.search = .lineEnd
      }
      while at < window.count && window[at] != 0x0A { at += 1 }
      if at < window.count {
        at += 1
        skip?.search = .lineStart
      }
    }
    return true
  }
}
