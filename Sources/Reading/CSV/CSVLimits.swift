// The constants that CSV reading is tuned by, each with its reason.

import ScanningKernels

enum CSVLimits {
  /// Fields that a scanner gathers before it appends them to the batch: enough that an append costs nothing per
  /// record, few enough (12 KiB) to stay in the first-level cache beside the block masks.
  static let stagedFields = 1024
  /// Records that a scanner gathers before it appends them to the batch: 6 KiB.
  static let stagedRecords = 512
  /// Blocks whose masks are made before they are walked: 4 KiB of input, still in the first-level cache when the walk
  /// looks at single bytes. Positions in them are kept in 16 bits, so at most 1023.
  static let blocksAhead = CSV_BLOCKS
  /// The same right behind a stray quote, and then twice as many each time: another is often not far, and what is made beyond it
  /// is made in vain.
  static let blocksAheadAfterStrayQuote = 2
}
