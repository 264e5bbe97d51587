// The constants that CSV reading is tuned by, each with its reason.

enum CSVLimits {
  /// Fields that a scanner gathers before it appends them to the batch: enough that an append costs nothing per
  /// record, few enough that they stay in the first-level cache (4096 bytes of 12-byte fields are 48 KiB; records
  /// come to less).
  static let stagedFields = 1024
  /// Records that a scanner gathers before it appends them to the batch.
  static let stagedRecords = 512
  /// Blocks whose masks are made before they are walked: 1.5 KiB of masks.
  static let blocksAhead = 64
}
