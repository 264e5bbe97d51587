// Passing over a damaged record, for people who ask for that: where reading can go on, or that it cannot.
// It judges nothing again; it only looks for the place.

/// Where reading goes on after damage.
package enum JSONSkip: Sendable, Equatable {
  /// At this position of the window; the record before it is left out.
  case resumed(Int)
  /// A longer window, beginning at or before the damaged record, is needed to tell.
  case needsMoreBytes
  /// Nowhere: a string is not closed, a bracket is wrong, or the damage is not in a record.
  case impossible
}

extension JSONScanner {
  /// Moves the scanner behind a damaged record.
  ///
  /// Inside an array that is the end of the element, found by its strings and brackets alone. Between values it is the
  /// first line, after the one where the record began, that starts with `{` or `[`.
  ///
  /// - Parameters:
  ///   - damage: what the scan of this window gave.
  ///   - isFinal: whether the input ends with the window.
  /// - Complexity: linear in the bytes passed over.
  package mutating func skip(_ damage: Damage, in window: Span<UInt8>, isFinal: Bool) -> JSONSkip {
    let start = max(0, min(damage.recordStart, window.count))
    switch position {
    case .betweenValues: return JSONScanner.nextLine(in: window, from: start, isFinal: isFinal)
    case .arrayStart, .afterElement, .beforeElement:
      let result = JSONScanner.elementEnd(in: window, from: start, isFinal: isFinal)
      if case .resumed = result { position = .afterElement }
      return result
    case .wrapperStart, .wrapperEnd, .ended: return .impossible
    }
  }

  private static func nextLine(in window: Span<UInt8>, from: Int, isFinal: Bool) -> JSONSkip {
    var at = from
    while at < window.count {
      if window[at] == 0x0A {
        guard at + 1 < window.count else { break }
        if window[at + 1] | 0x20 == UInt8(ascii: "{") { return .resumed(at + 1) }
      }
      at += 1
    }
    return isFinal ? .resumed(window.count) : .needsMoreBytes
  }

  private static func elementEnd(in window: Span<UInt8>, from: Int, isFinal: Bool) -> JSONSkip {
    let unfinished: JSONSkip = isFinal ? .impossible : .needsMoreBytes
    var closers: [UInt8] = []
    var at = from
    while at < window.count {
      let byte = window[at]
      switch byte {
      case JSONBytes.quote:
        at += 1
        while at < window.count, window[at] != JSONBytes.quote {
          at += window[at] == JSONBytes.backslash ? 2 : 1
        }
        guard at < window.count else { return unfinished }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        // `}` and `]` stand two after their opening ones.
        closers.append(byte + 2)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if let closer = closers.popLast() {
          if closer != byte { return .impossible }
        } else {
          return byte == UInt8(ascii: "]") ? .resumed(at) : .impossible
        }
      case UInt8(ascii: ","):
        if closers.isEmpty { return .resumed(at) }
      default: break
      }
      at += 1
    }
    return unfinished
  }
}
