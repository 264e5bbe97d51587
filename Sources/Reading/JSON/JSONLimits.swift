// The numbers that JSON reading is tuned or bounded by, each with its reason.

import ScanningKernels

package enum JSONLimits {
  /// Arrays and objects within each other, from the beginning of the document; beyond is damage (SPEC, "Input").
  package static let maximumDepth = 10_000
  /// How much of a first object is looked at before it is taken as a wrapper (SPEC, "Input").
  package static let wrapperLookahead = 1 << 20
  /// Nested objects that become columns of their own; deeper ones stay one column.
  package static let flatteningDepth = 64
  /// Longest text between two records, and longest first key, that ranges of a file are found by.
  static let longestSeparator = 256
  /// Depth that the block scanner keeps in one word; deeper records go to the byte-wise checker.
  static let blockDepth = 60
  /// Blocks that stage one reads in one go: 2 KiB, which stay in the first-level cache with their masks.
  static let blocksAtOnce = JSON_BLOCKS
  /// After this many records in a row that the block scanner could not read, it is tried no more often than this.
  static let longestDetour = 256
  /// With more wanted names than this every key is compared, not only those of a fitting length.
  static let filteredNames = 6
  /// Bytes of the longest name that is found by its length: with its quotes it fits into 64 positions.
  static let filteredLength = 62
}
