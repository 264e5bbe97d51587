// Guesses where a record begins in the middle of an input, for reading ranges of it at the same time. A guess may be
// wrong (inside a string, or in an array inside a record); whoever uses it checks it against the end of the range before.
//
// Trick: what stands between two records of one file is nearly always the same, up to the first key: `},\n{"id"`. That
// seldom occurs inside a record, where objects in arrays have keys of their own.

/// The text between two records, as an example to search for.
package struct JSONRecordSeparator: Sendable, Equatable {
  /// From the last byte of a record to the end of the first key of the next.
  package let text: [UInt8]
  /// Where in `text` the next record begins.
  package let recordOffset: Int

  /// - Parameters:
  ///   - window: the bytes in which two records were found.
  ///   - first: a record.
  ///   - second: the record after it.
  /// - Returns: nil where the records are no objects with members or stand too far apart.
  package init?(_ window: Span<UInt8>, between first: RecordRange, and second: RecordRange) {
    let start = first.range.upperBound - 1
    let record = second.range
    guard start >= 0, record.lowerBound > start, record.lowerBound - start <= JSONLimits.longestSeparator,
      record.upperBound <= window.count, window[start] == UInt8(ascii: "}"),
      window[record.lowerBound] == UInt8(ascii: "{")
    else { return nil }
    var end = record.lowerBound + 1
    while end < record.upperBound, JSONBytes.isWhite(window[end]) { end += 1 }
    guard end < record.upperBound, window[end] == JSONBytes.quote else { return nil }
    end += 1
    while end < record.upperBound, window[end] != JSONBytes.quote { end += 1 }
    guard end < record.upperBound, end - record.lowerBound <= JSONLimits.longestSeparator else { return nil }
    var text: [UInt8] = []
    for index in start...end { text.append(window[index]) }
    self.text = text
    recordOffset = record.lowerBound - start
  }

  /// Where the first record after `from` probably begins, or nil if none is in the window.
  ///
  /// - Complexity: linear in the bytes passed over.
  package func nextRecord(in window: Span<UInt8>, from: Int) -> Int? {
    unsafe window.withUnsafeBufferPointer { buffer in
      unsafe text.withUnsafeBufferPointer { text in
        guard let bytes = buffer.baseAddress, let pattern = text.baseAddress else { return nil }
        var at = max(0, from)
        while at &+ text.count <= buffer.count {
          if unsafe bytes[at] == pattern[0] && JSONBytes.equal(bytes, at, pattern, text.count) {
            return at &+ recordOffset
          }
          at &+= 1
        }
        return nil
      }
    }
  }
}
