// What a full-screen program needs of a terminal: keys from it, bytes to it, its size, and one wait for all that may
// happen. `TTY` is the real one; tests bring one that plays a script.

/// A terminal as the event loop sees it.
package protocol Terminal: AnyObject {
  /// Columns and lines.
  var size: (columnCount: Int, lineCount: Int) { get }

  /// Takes the screen and the keys.
  func enter()

  /// Takes them again after somebody else may have changed them.
  func enterAgain()

  /// Gives screen and keys back as they were.
  func leave()

  /// Writes all bytes.
  ///
  /// - Returns: whether the terminal took them.
  @discardableResult
  func write(_ bytes: [UInt8]) -> Bool

  /// Appends the bytes that are there, after a wait has told that there are some.
  ///
  /// - Returns: false at the end: the terminal has gone.
  func read(into bytes: inout [UInt8]) -> Bool

  /// Waits for keys, for a wake-up or for a signal.
  ///
  /// - Parameters:
  ///   - signals: nil where nobody takes signals.
  ///   - milliseconds: how long at most; nil: for ever.
  func wait(_ pipe: WakePipe, _ signals: TerminalSignals?, milliseconds: Int?) -> TerminalWake
}

/// What a wait for a terminal has ended by.
package struct TerminalWake: Sendable, Equatable {
  /// Keys can be read.
  package var hasInput = false
  /// `WakePipe.wake` was called.
  package var isWoken = false
  package var signals: [TerminalSignals.Event] = []
  /// The terminal has gone.
  package var isHungUp = false

  package init() {}

  /// The time was up.
  package var isTimedOut: Bool { !hasInput && !isWoken && signals.isEmpty && !isHungUp }
}
