// A pipe by which other threads end a wait for keys: something has arrived that is worth drawing. It carries no data;
// any number of calls before the next wait are one.

import Glibc
import Synchronization

/// Wakes the thread that waits for the terminal.
package final class WakePipe: Sendable {
  let readEnd: Int32
  private let writeEnd: Int32
  private let isSet = Atomic<Bool>(false)

  /// - Throws: when no more files can be opened.
  package init() throws(TTYError) {
    (readEnd, writeEnd) = try WakePipe.makePipe()
  }

  deinit {
    _ = close(readEnd)
    _ = close(writeEnd)
  }

  /// A pipe whose ends neither block nor are inherited.
  static func makePipe() throws(TTYError) -> (readEnd: Int32, writeEnd: Int32) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw TTYError(code: errno) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    return (ends[0], ends[1])
  }

  /// Ends a wait, or keeps the next one from beginning. From any thread; never blocks.
  package func wake() {
    if isSet.exchange(true, ordering: .acquiringAndReleasing) { return }
    var byte: UInt8 = 0
    _ = unsafe write(writeEnd, &byte, 1)
  }

  /// Waits for a call alone, and takes note of it.
  ///
  /// - Returns: whether there was one in time.
  package func wait(milliseconds: Int) -> Bool {
    var request = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&request, 1, Int32(clamping: milliseconds)) > 0 else { return false }
    drain()
    return true
  }

  /// Takes note of all calls so far. What they tell of must be looked at after this, not before.
  func drain() {
    var bytes = [UInt8](repeating: 0, count: 16)
    while unsafe read(readEnd, &bytes, bytes.count) > 0 {}
    isSet.store(false, ordering: .releasing)
  }
}
