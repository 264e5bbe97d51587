// Runs one program from start to end and tells what it cost, as the kernel counted it.
//
// Whole processes, start-up included: what somebody waits for who types the command. Standard output and standard error
// go to /dev/null, so no reader slows a program down. The peak memory of a child is never below that of this process,
// because a spawned child shares our memory until it executes; so this program stays small.

import Glibc

struct Measurement {
  enum Outcome: Equatable {
    case done
    case failed(exitStatus: Int32)
    case killed(signal: Int32)
  }

  let outcome: Outcome
  let wallSeconds: Double
  /// User and system time, of the children that the program itself waited for too.
  let cpuSeconds: Double
  /// Of that, what was not spent in the kernel.
  let userSeconds: Double
  let peakMebibytes: Double
}

/// Runs `command`, whose first element is the path of the program, and waits for its end.
func measure(_ command: [String]) throws(BenchError) -> Measurement {
  let clock = ContinuousClock()
  let start = clock.now
  let child = try spawn(command)
  var status: Int32 = 0
  var usage = rusage()
  while unsafe wait4(child, &status, 0, &usage) < 0 {
    guard errno == EINTR else { throw .system("waiting for \(command.joined(separator: " "))") }
  }
  let elapsed = clock.now - start

  // The macros of <sys/wait.h>, which Swift does not see.
  let signal = status & 0x7f
  let exitStatus = (status >> 8) & 0xff
  return Measurement(
    outcome: signal != 0 ? .killed(signal: signal) : exitStatus != 0 ? .failed(exitStatus: exitStatus) : .done,
    wallSeconds: Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18,
    cpuSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime), userSeconds: seconds(usage.ru_utime),
    peakMebibytes: Double(usage.ru_maxrss) / 1024)
}

private func seconds(_ time: timeval) -> Double {
  Double(time.tv_sec) + Double(time.tv_usec) * 1e-6
}

private func spawn(_ command: [String]) throws(BenchError) -> pid_t {
  var actions = unsafe posix_spawn_file_actions_t()
  unsafe posix_spawn_file_actions_init(&actions)
  defer { unsafe posix_spawn_file_actions_destroy(&actions) }
  unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
  unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
  unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)

  var arguments = unsafe command.map { unsafe strdup($0) }
  defer { unsafe arguments.forEach { unsafe free($0) } }
  unsafe arguments.append(nil)
  var child: pid_t = 0
  let code = unsafe posix_spawn(&child, command[0], &actions, nil, &arguments, environ)
  guard code == 0 else {
    errno = code
    throw .system(command[0])
  }
  return child
}
