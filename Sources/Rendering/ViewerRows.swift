// What the viewer needs to know of rows: how many there are and what can be shown at a place right now. It never waits
// for one; a row that is not there yet is drawn as a place that fills in later.

package import Paging
package import Reading

/// A row as the viewer shows it: a record's bytes and one field a column, with positions in these bytes. Cells of a CSV
/// record beyond the header's width may follow.
package struct ViewerRow: Sendable, Equatable {
  package var record: [UInt8]
  package var fields: [Field]
  /// Where the record ends in the dataset, in bytes from its beginning; 0 where that tells nothing.
  package var endOffset: Int

  package init(record: [UInt8], fields: [Field], endOffset: Int = 0) {
    self.record = record
    self.fields = fields
    self.endOffset = endOffset
  }
}

/// Rows of a result, as far as they are known.
package protocol ViewerRows {
  var count: PagerCount { get }

  /// What can be shown at a row's place. Called for the rows of a screen at every frame.
  func state(ofRow row: Int) -> RowState<ViewerRow>
}

extension Pager: ViewerRows where Row == ViewerRow {}
