// What becomes of the process where the system gives no memory, as under `ulimit -v`, or no thread: a line for people and
// an exit status, never a trap. Nothing may be allocated here.

import AllocationGuard
import Glibc
import Reading
import TerminalIO

enum Shortage {
  private static let noMemory: StaticString =
    "pagecat: not enough memory; see the limits of this shell (ulimit -a), and --memory\n"
  private static let noThread: StaticString =
    "pagecat: the system allows no more threads; see the limits of this shell (ulimit -a)\n"

  /// Makes do with what there is, and from now on ends the process where that is not enough.
  static func prepare() {
    end()
    if ProcessMemory.room != nil { allocation_guard_spare_memory(ProcessMemory.smallStackSize) }
  }

  /// From now on, ends the process where an allocation fails.
  private static func end() {
    allocation_guard_on_failure { failure in
      TTY.leaveForGood()
      let message = failure == NO_MEMORY ? Shortage.noMemory : Shortage.noThread
      _ = unsafe write(2, message.utf8Start, message.utf8CodeUnitCount)
      _exit(ExitStatus.inputOutput.rawValue)
    }
  }
}
