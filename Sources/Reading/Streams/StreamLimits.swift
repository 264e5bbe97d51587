// The tuning constants of streams, each with its reason.

enum StreamLimits {
  /// How long a pass waits for a pipe between two looks at whether it is still wanted: a person does not notice.
  static let lookMilliseconds: Int32 = 100
  /// Bytes that a pipe is made to hold: twice as many as are read at a time, so that reading and writing go on side by side. It is
  /// also the most that Linux gives to everybody.
  static let pipeSize = 1024 * 1024
  /// Bytes of a stream after which it counts as long.
  static let longStream = 1024 * 1024
  /// Bytes that are kept of what a child says: far more than one line of it.
  static let messageSize = 4 * 1024
  /// Bytes that are moved at a time from a pipe to a child: what a pipe holds.
  static let feedSize = 64 * 1024
  /// Bytes of encoded text that are transcoded at a time: with what comes of them they stay in the second-level cache.
  static let encodedSize = 64 * 1024
}
