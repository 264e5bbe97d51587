// A program on a pseudo-terminal that it is controlled by, and what the kernel tells of it while it runs.
//
// Nothing is drawn and nothing understood here: bytes go in and come out, each with its time. The times are worth what
// this process's own promptness is worth, see `Promptness`; on a machine that others keep busy they hold the time too for
// which the kernel's thread that hands a key on to the program waits for a core.

import Glibc

/// Nanoseconds of the monotonic clock.
typealias Nanoseconds = Int

extension Nanoseconds {
  static var now: Nanoseconds { reading(CLOCK_MONOTONIC) }

  static func milliseconds(_ count: Int) -> Nanoseconds { count * 1_000_000 }

  fileprivate static func reading(_ clock: clockid_t) -> Nanoseconds {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}

final class PseudoTerminal {
  let startTime: Nanoseconds
  private let process: pid_t
  private let controller: Int32
  private var isEnded = false

  /// Starts a program.
  ///
  /// - Parameter command: the program's path and its arguments.
  init(_ command: [String], columnCount: Int, lineCount: Int) throws(BenchError) {
    let controller = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard controller >= 0 else { throw .system("/dev/ptmx") }
    var isLocked: Int32 = 0
    var number: Int32 = 0
    var size = winsize(ws_row: UInt16(lineCount), ws_col: UInt16(columnCount), ws_xpixel: 0, ws_ypixel: 0)
    // TIOCSPTLCK and TIOCGPTN: what unlockpt(3) and ptsname(3) do.
    guard unsafe ioctl(controller, 0x4004_5431, &isLocked) == 0, unsafe ioctl(controller, 0x8004_5430, &number) == 0,
      unsafe ioctl(controller, UInt(TIOCSWINSZ), &size) == 0
    else {
      close(controller)
      throw .system("making a pseudo-terminal")
    }
    startTime = .now
    do throws(BenchError) {
      process = try PseudoTerminal.spawn(command, on: "/dev/pts/\(number)")
    } catch {
      close(controller)
      throw error
    }
    self.controller = controller
  }

  deinit {
    kill(process, SIGKILL)
    while waitpid(process, nil, 0) < 0 && errno == EINTR {}
    close(controller)
  }

  private static func spawn(_ command: [String], on terminal: String) throws(BenchError) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
    // The leader of a session is controlled by the terminal that it opens first.
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, terminal, O_RDWR, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe _ = posix_spawnattr_destroy(&attributes) }
    // POSIX_SPAWN_SETSID, which Swift does not import.
    unsafe posix_spawnattr_setflags(&attributes, 0x80)

    // The same for all programs, whatever terminal this one was started from.
    let variables = ["TERM=xterm-256color", "LC_ALL=C.UTF-8", "TZ=UTC", "PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/"]
    var arguments = unsafe command.map { unsafe strdup($0) }
    var environment = unsafe variables.map { unsafe strdup($0) }
    defer { unsafe (arguments + environment).forEach { unsafe free($0) } }
    unsafe arguments.append(nil)
    unsafe environment.append(nil)
    var process: pid_t = 0
    let code = unsafe posix_spawn(&process, command[0], &actions, &attributes, &arguments, &environment)
    guard code == 0 else {
      errno = code
      throw .system(command[0])
    }
    return process
  }

  // MARK: Bytes

  func send(_ keys: String) {
    var keys = keys
    keys.withUTF8 { bytes in
      // A few bytes always find room; a program that has ended is noticed where its output is read.
      _ = unsafe write(controller, bytes.baseAddress, bytes.count)
    }
  }

  /// Waits for output and appends what there is of it.
  ///
  /// - Returns: when it was read; nil where none came until `end`, or the program has ended.
  func receive(into bytes: inout [UInt8], until end: Nanoseconds) -> Nanoseconds? {
    while !isEnded {
      var request = pollfd(fd: controller, events: Int16(POLLIN), revents: 0)
      let left = max(0, end - .now)
      let count = unsafe poll(&request, 1, Int32(clamping: (left + 999_999) / 1_000_000))
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return nil }
      let length = unsafe read(controller, &buffer, buffer.count)
      if length < 0 && errno == EINTR { continue }
      if length <= 0 {
        isEnded = true
        return nil
      }
      bytes += buffer[..<length]
      return .now
    }
    return nil
  }

  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

  // MARK: What it costs

  /// User and system time of the process so far, of all its threads, those that have ended too.
  var processorTime: Nanoseconds {
    var clock = clockid_t()
    guard unsafe clock_getcpuclockid(process, &clock) == 0 else { return 0 }
    return .reading(clock)
  }

  /// The most memory it has had at a time, in MiB (VmHWM).
  var peakMebibytes: Double? {
    guard let file = unsafe fopen("/proc/\(process)/status", "r") else { return nil }
    defer { unsafe _ = fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while unsafe fgets(&line, Int32(line.count), file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      guard text.hasPrefix("VmHWM:") else { continue }
      return text.split(separator: " ").lazy.compactMap { Double($0) }.first.map { $0 / 1024 }
    }
    return nil
  }
}

/// Whether this process runs as soon as there is something to read, even while both cores are busy. Else its own
/// waiting for a core would be taken for the pagers'.
enum Promptness {
  /// Puts this process before all others, but not the programs that it starts.
  static func raise() {
    // SCHED_RESET_ON_FORK, which Swift does not import.
    let resetOnFork: Int32 = 0x4000_0000
    var first = sched_param(sched_priority: 1)
    if unsafe sched_setscheduler(0, SCHED_FIFO | resetOnFork, &first) != 0 {
      report("this process may not run before others, so that latencies on busy cores come out somewhat too long")
    }
  }
}
