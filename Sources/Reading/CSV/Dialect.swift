// What a CSV file leaves open: which byte stands between fields, and whether names stand in the first record.

/// How a CSV file is written.
package struct Dialect: Sendable, Equatable {
  /// The byte between fields.
  package var delimiter: UInt8
  /// Whether the first record holds the names of the columns.
  package var hasHeaderRow: Bool

  package init(delimiter: UInt8, hasHeaderRow: Bool = true) {
    self.delimiter = delimiter
    self.hasHeaderRow = hasHeaderRow
  }

  package static let comma = Dialect(delimiter: UInt8(ascii: ","))
  /// The dialect of TSV files: CSV with tabs, quotes included.
  package static let tab = Dialect(delimiter: UInt8(ascii: "\t"))

  /// Whether a byte can stand between fields: not a quote, and no line end.
  package static func canDelimit(_ byte: UInt8) -> Bool {
    byte != CSVByte.quote && !CSVByte.isLineEnd(byte)
  }

  /// Finds the delimiter: the one of `, ; tab |` that stands most often outside quotes in the first record, the
  /// earlier in this list on a tie.
  ///
  /// As the delimiter is not known yet, a quote counts as opening after any of the four.
  ///
  /// - Parameters:
  ///   - window: the first bytes of the file.
  ///   - isFinal: whether the file ends with them.
  /// - Returns: the dialect, with `hasHeaderRow` set, or nil where the first record is longer than the window.
  /// - Complexity: linear in the first record.
  package static func detect(header window: Span<UInt8>, isFinal: Bool) -> Dialect? {
    let candidates = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|")]
    var counts = [0, 0, 0, 0]
    var index = CSVByte.endOfLineEnds(window, from: 0)
    var isInside = false
    var canOpen = true
    var isComplete = isFinal
    while index < window.count {
      let byte = window[index]
      if isInside {
        if byte == CSVByte.quote {
          if index &+ 1 < window.count, window[index &+ 1] == CSVByte.quote {
            index &+= 1
          } else {
            isInside = false
          }
        }
      } else if byte == CSVByte.quote {
        isInside = canOpen
        canOpen = false
      } else if CSVByte.isLineEnd(byte) {
        isComplete = true
        break
      } else {
        canOpen = false
        for candidate in candidates.indices where candidates[candidate] == byte {
          counts[candidate] += 1
          canOpen = true
        }
      }
      index &+= 1
    }
    guard isComplete else { return nil }
    var best = 0
    for candidate in candidates.indices where counts[candidate] > counts[best] { best = candidate }
    return Dialect(delimiter: candidates[best])
  }
}

/// The bytes that mean something in every dialect.
enum CSVByte {
  static let quote = UInt8(ascii: "\"")
  static let lineFeed: UInt8 = 0x0A
  static let carriageReturn: UInt8 = 0x0D

  @inline(__always)
  static func isLineEnd(_ byte: UInt8) -> Bool { byte == lineFeed || byte == carriageReturn }

  /// The first position at or after `start` that is not a line end, or the window's end.
  static func endOfLineEnds(_ window: Span<UInt8>, from start: Int) -> Int {
    var index = start
    while index < window.count, isLineEnd(window[index]) { index &+= 1 }
    return index
  }
}
