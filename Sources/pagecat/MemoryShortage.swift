// What becomes of the process where the system gives no memory, as under `ulimit -v`: a line for people and an exit
// status, never a trap. Nothing may be allocated here.

import AllocationGuard
import Glibc
import Reading
import TerminalIO

enum MemoryShortage {
  private static let message: StaticString =
    "pagecat: not enough memory; see the limits of this shell (ulimit -a), and --memory\n"

  /// Makes do with what there is, and from now on ends the process where that is not enough.
  static func prepare() {
    end()
    if ProcessMemory.room != nil { allocation_guard_spare_memory(ProcessMemory.smallStackSize) }
  }

  /// From now on, ends the process where an allocation fails.
  private static func end() {
    allocation_guard_on_failure {
      TTY.leaveForGood()
      _ = unsafe write(2, MemoryShortage.message.utf8Start, MemoryShortage.message.utf8CodeUnitCount)
      _exit(ExitStatus.inputOutput.rawValue)
    }
  }
}
