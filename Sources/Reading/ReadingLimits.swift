// The tuning constants of reading, each with its reason.

package enum ReadingLimits {
  /// Bytes of the first read of an input: enough for a page of most files, so that the first page costs no more.
  package static let firstChunkSize = 64 * 1024
  /// Bytes of the first read where an earlier run or page came to: a page mostly, and often no more is wanted.
  package static let firstChunkSizeOnTheWay = 16 * 1024
  /// Bytes of later reads: with its masks and batch a chunk stays in a core's second-level cache.
  package static let chunkSize = 256 * 1024
  /// Bytes first read behind a record that goes on in the next piece of a stream; more are read where they do not end it.
  static let seamSize = 4 * 1024
  /// Bytes of a file that one thread takes at a time: large enough that starting a range costs nothing, small enough
  /// that both cores end at about the same time.
  package static let rangeSize = 8 * 1024 * 1024
  /// Bytes of a stream that one thread reads and looks at, at a time: few enough that it finds them in its core's second-level cache
  /// afterwards.
  static let streamRangeSize = 512 * 1024
  /// The same where little memory is allowed: a chunk.
  static let smallestStreamRangeSize = chunkSize
  /// Ranges of a stream that may be under way for each thread, before the first of them is done.
  static let streamRangesPerThread = 3
  /// The least bytes of a range: below it, threads cost more than they bring.
  package static let smallestRangeSize = 1024 * 1024
  /// The largest record, in bytes, where --memory says nothing else.
  package static let recordSize = 512 * 1024 * 1024
  /// The largest record, in bytes, whatever --memory says: positions in a window have 32 bits.
  package static let mostRecordSize = 2 * 1024 * 1024 * 1024 - 1
  /// The least bytes that a window may grow to: format and columns are found out from more than a megabyte.
  static let leastWindowLimit = 4 * 1024 * 1024
  /// Records of a dataset, and bytes of an input, whose names make the columns of JSON.
  package static let sampleRecords = 1000
  package static let sampleSize = 1024 * 1024
  /// Bytes of a file's beginning that are kept, to tell one that was written anew from one that has grown.
  static let headSize = 1024
  /// Bytes looked at to tell JSON from a text file with a name such as .csv.
  package static let sniffSize = 256
}
