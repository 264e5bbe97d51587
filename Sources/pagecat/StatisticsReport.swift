// What --stats says at the end, a line a matter.

import Fetching
import Glibc
import Paging

struct StatisticsReport {
  let tally: PassTally?
  let rowCount: Int
  let pageSize: Int
  let pager: PagerStatistics?

  var lines: [String] {
    let pages = pager?.pagesFetched ?? (rowCount + max(1, pageSize) - 1) / max(1, pageSize)
    return [
      "read: \(tally?.bytes ?? 0) bytes, \(tally?.records ?? 0) records",
      "pages: \(pages) fetched, \(pager?.prefetchHits ?? 0) ready before they were needed, \(pager?.latePages ?? 0) late",
      "peak memory: \(Self.peakMemory() / 1024) KiB",
    ]
  }

  /// The most memory that the process had, in bytes.
  static func peakMemory() -> Int {
    var usage = rusage()
    guard unsafe getrusage(RUSAGE_SELF.rawValue, &usage) == 0 else { return 0 }
    return usage.ru_maxrss * 1024
  }
}
