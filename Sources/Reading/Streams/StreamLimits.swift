// The tuning constants of streams, each with its reason.

enum StreamLimits {
  /// Bytes of a pipe from a child: enough that it need not be woken for every read.
  static let pipeSize = 256 * 1024
  /// Bytes that are moved at a time from a pipe to a child: what a pipe holds.
  static let feedSize = 64 * 1024
  /// Bytes of encoded text that are transcoded at a time: with what comes of them they stay in the second-level cache.
  static let encodedSize = 64 * 1024
}
