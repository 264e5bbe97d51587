// What a person can ask of the viewer, and what the viewer asks of the program: values both, so that tests are tables.

/// Something to do.
package enum ViewerAction: Sendable, Equatable {
  // Rows; in an overlay (record, help) its lines.
  case moveRows(Int)
  case movePages(Int)
  /// Half a page down (1) or up (-1); a number of rows given once holds from then on.
  case moveHalfPage(direction: Int, rows: Int?)
  /// To a row, from 1.
  case goToRow(Int)
  case goToEnd
  /// Moves the view; the cursor stays where it is unless it would leave the screen.
  case scroll(Int)

  // Columns
  case moveColumns(Int)
  case goToFirstColumn
  case goToLastColumn
  case widenColumn(Int)
  case freezeColumns
  case hideColumn

  // What is shown
  case sort(isDescending: Bool, isAdded: Bool)
  case editFilter
  case addCellToFilter
  case editSearch(isBackward: Bool)
  case repeatSearch(count: Int, isReversed: Bool)
  case editCommand

  // Overlays
  case openRecord
  case moveRecords(Int)
  case closeOverlay
  case showHelp

  // The rest
  case copyCell
  case copyRecord
  case reload
  case toggleFollow
  case showTotal
  case quit(printsCommand: Bool)
  /// Esc: gives up what has been begun.
  case cancel
  /// Ctrl-C: cancels a pass; twice, with nothing to cancel, ends the program.
  case interrupt
  case suspend
  case redraw

  // The line that is being edited, or a question
  case edit(LineEdit)
  case answer(Bool)

  // The terminal
  case click(columnIndex: Int, lineIndex: Int)
  case resize(columnCount: Int, lineCount: Int)
}

/// A search to be made.
package struct ViewerSearchRequest: Sendable, Equatable {
  /// What was typed: a text, or a regular expression between slashes.
  package var text: String
  /// The first row to be looked at, from 0.
  package var row: Int
  package var isBackward: Bool
  /// How many rows that match have to be met.
  package var count: Int
  /// Whether the rows before it, in the direction of the search, were all looked at, and none matched.
  package var isWhole: Bool

  package init(text: String, row: Int, isBackward: Bool, count: Int = 1, isWhole: Bool = false) {
    self.text = text
    self.row = row
    self.isBackward = isBackward
    self.count = count
    self.isWhole = isWhole
  }
}

/// Something that the viewer cannot do itself.
package enum ViewerEffect: Sendable, Equatable {
  /// Show the rows by another --sort; empty: file order. Answer with `accept(sort:)` or `reject`.
  case sort(ViewerSort)
  /// Show the rows by another --filter; empty: all. Answer with `accept(filter:)` or `reject`.
  case filter(String)
  /// Show other columns, as in --columns; answer with `show(columns:)` or `reject`.
  case columns(String)
  /// Look for a row beyond those that are loaded, with `ViewerState.search`; answer with `found(row:column:)` or a
  /// message.
  case search(ViewerSearchRequest)
  /// Stop the pass that is under way.
  case cancel
  /// Find the last row and go there: `found(row:column:)`.
  case seekEnd
  /// Count the rows.
  case countTotal
  /// Write all rows; a file that is there is not overwritten before `ask(overwrite:)` was answered.
  case write(path: String, overwrites: Bool)
  /// Put a text on the clipboard.
  case copy([UInt8])
  case reload
  case follow(Bool)
  case suspend
  case redraw
  case quit(printsCommand: Bool)
  /// End by SIGINT.
  case interrupt
}

/// An order of rows, as text for --sort.
package struct ViewerSort: Sendable, Equatable {
  package struct Key: Sendable, Equatable {
    /// The key as in --sort, with its modifiers.
    package var text: String
    /// The name of the column that it sorts by, where it is one.
    package var columnName: [UInt8]?
    package var isDescending: Bool

    package init(text: String, columnName: [UInt8]? = nil, isDescending: Bool = false) {
      self.text = text
      self.columnName = columnName
      self.isDescending = isDescending
    }
  }

  package var keys: [Key]

  package init(_ keys: [Key] = []) { self.keys = keys }

  /// The whole as one --sort.
  package var text: String { keys.map(\.text).joined(separator: ",") }
}
