// With what status the process ends, and which one when several would be right.

enum ExitStatus: Int32, CaseIterable, Sendable {
  /// Everything asked for was done.
  case done = 0
  /// Rows were asked for and there is none.
  case noRows = 1
  /// An option, an expression or a name is wrong.
  case usage = 2
  /// Reading or writing failed: missing, unreadable, damaged, disk full.
  case inputOutput = 3
  /// Done, but records were skipped.
  case skipped = 4
  /// The kept position does not fit the data any more.
  case stale = 5

  /// The status to end with where both this and `other` apply: what failed, then what was left out, then what was
  /// not found.
  func combined(with other: ExitStatus) -> ExitStatus {
    rank >= other.rank ? self : other
  }

  private var rank: Int {
    switch self {
    case .done: 0
    case .noRows: 1
    case .skipped: 2
    case .stale: 3
    case .usage: 4
    case .inputOutput: 5
    }
  }
}
