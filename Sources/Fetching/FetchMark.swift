// How far a fetch of an earlier run came, so that the next one goes on behind: without a sort a place in the dataset, with
// a sort the last row's key and place, which are a position in any order of the rows.

import Reading

/// The row after which a fetch goes on.
package struct FetchMark: Sendable, Equatable {
  /// Where reading goes on, right behind the row's record. With a sort only the row's place.
  package var position: RecordPosition
  /// The place of the row's record, which breaks ties.
  package var place: RowPlace
  /// With a sort, the row's whole key, in bytes that compare as the values do; else empty.
  package var key: [UInt8]
  /// The number of bytes of each input when the mark was made; what is beyond was appended.
  package var sizes: [Int]

  package init(position: RecordPosition, place: RowPlace, key: [UInt8], sizes: [Int]) {
    self.position = position
    self.place = place
    self.key = key
    self.sizes = sizes
  }

  /// Whether a record was not there yet when the mark was made.
  func isAppended(inputIndex: Int, offset: Int) -> Bool {
    !sizes.indices.contains(inputIndex) || offset >= sizes[inputIndex]
  }
}

/// Leaves out the rows of a sort that are not behind a mark.
struct MarkFilter: Sendable {
  private let mark: FetchMark
  private let prefix: UInt64
  private var key: [UInt8] = []
  /// Rows left out that were not there yet when the mark was made.
  private(set) var appendedBefore = 0

  init(_ mark: FetchMark) {
    self.mark = mark
    prefix = KeyBytes.prefix(of: mark.key.span)
  }

  /// Whether a row comes behind the mark.
  mutating func isBehind(
    _ rowPrefix: KeyPrefix, _ encoder: inout SortKeyEncoder, _ bytes: Span<UInt8>, _ fields: Span<Field>, at index: Int,
    inputIndex: Int, offset: Int
  ) -> Bool {
    let isBehind: Bool
    if rowPrefix.bits != prefix {
      isBehind = rowPrefix.bits > prefix
    } else {
      key.removeAll(keepingCapacity: true)
      encoder.append(bytes, fields, at: index, to: &key)
      let order = KeyBytes.compare(key.span, mark.key.span)
      let (place, last) = (RowPlace(inputIndex: inputIndex, offset: offset), mark.place)
      isBehind = order != 0 ? order > 0 : last < place
    }
    if !isBehind && mark.isAppended(inputIndex: inputIndex, offset: offset) { appendedBefore += 1 }
    return isBehind
  }

  mutating func append(_ later: MarkFilter) { appendedBefore += later.appendedBefore }
}
