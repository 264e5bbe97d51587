// The lines of a stream's rows, which cannot be read again to count them. Only a note on text that is no UTF-8 may ask for one, so next
// to nothing is counted: a row takes what stands between the row before and itself along into its block, and whoever asks counts
// there, from the last row that has a mark on. Where a filter leaves much out, lines are counted only up to a row that may be asked
// for, or one in whose neighbourhood there are more.

import Reading

/// What is known of the lines of some rows of a block.
struct LineMark: Sendable {
  /// The first of the rows.
  let rowIndex: Int
  /// The lines before it; nil where they were not counted.
  let lines: LineCounter?
}

/// Puts the rows of a batch into blocks.
struct StreamLines: Sendable {
  /// The most bytes that a row takes along: some records that a filter rejects are copied sooner than looked at.
  private static let longestSeparator = 1024

  /// The lines before `position`.
  private var lines: LineCounter
  /// A place in the window, no later than the next row.
  private var position = 0
  /// Where the row before ends, if it is in the same block.
  private var rowEnd: Int?
  /// Whether that row's line is known there.
  private var isKnown = false

  /// Whether much may be left out before a row.
  private let isFiltered: Bool

  /// - Parameter buffer: one with a new batch in its window.
  /// - Returns: nil for what can be read again.
  init?(_ buffer: borrowing ChunkBuffer, isFiltered: Bool) {
    guard let lines = buffer.linesBefore else { return nil }
    self.lines = lines
    self.isFiltered = isFiltered
  }

  /// The next row may be the first of another block.
  mutating func beginBlock() { rowEnd = nil }

  /// Adds a row.
  ///
  /// - Parameter record: its bytes in the window.
  mutating func append(
    _ record: Range<Int>, of window: Span<UInt8>, inputIndex: Int, offset: Int, to block: inout RowBlock
  ) {
    let separator = rowEnd.flatMap { end in
      record.lowerBound &- end <= Self.longestSeparator ? record.lowerBound &- end : nil
    }
    rowEnd = record.upperBound
    if let separator, isKnown {
      block.append(
        window.extracting((record.lowerBound &- separator)..<record.upperBound), behind: separator,
        inputIndex: inputIndex, offset: offset)
      return
    }
    let isNear = !isFiltered || separator != nil || record.lowerBound &- position <= Self.longestSeparator
    isKnown = isNear || (try? UTF8Span(validating: window.extracting(record))) == nil
    if isKnown {
      lines.feed(window.extracting(position..<record.lowerBound))
      position = record.lowerBound
    }
    block.mark(isKnown ? lines : nil)
    block.append(window.extracting(record), inputIndex: inputIndex, offset: offset)
  }
}
