// A program on a pseudo-terminal that it is controlled by: keys go in, what it sends goes to the emulated terminal, and a test
// waits for a screen that it expects, with a limit of time, never for a while.

import Glibc

/// A program that runs on a terminal of its own.
package final class TerminalSession {
  /// A screen that was waited for did not come.
  package struct Timeout: Error, CustomStringConvertible {
    package let description: String
  }

  package private(set) var terminal: VirtualTerminal
  /// Everything that the program has sent.
  package private(set) var sent: [UInt8] = []
  private let controller: Int32
  private let process: pid_t
  private let cellsOf: @Sendable (String) -> Int
  private var status: Int32?
  private var pipeToInput: Int32 = -1

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - arguments: with the program first.
  ///   - hasPipe: whether its standard input is a pipe, which `feed` writes to, instead of the terminal.
  ///   - errors: a file that its standard error goes to; nil: the terminal.
  package init(
    _ arguments: [String], columnCount: Int = 80, lineCount: Int = 12, hasPipe: Bool = false, errors: String? = nil,
    environment: [String: String] = [:], cellsOf: @escaping @Sendable (String) -> Int
  ) throws {
    self.cellsOf = cellsOf
    terminal = VirtualTerminal(columnCount: columnCount, lineCount: lineCount, cellsOf: cellsOf)
    controller = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    if controller < 0 { throw ProcessError("cannot open /dev/ptmx", errno) }
    var isLocked: Int32 = 0
    var number: Int32 = 0
    // What unlockpt(3) and ptsname(3) do.
    guard unsafe ioctl(controller, 0x4004_5431, &isLocked) == 0, unsafe ioctl(controller, 0x8004_5430, &number) == 0
    else { throw ProcessError("cannot make a terminal", errno) }
    TerminalSession.setSize(controller, columnCount, lineCount)

    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
    // The leader of a session that opens a terminal is controlled by it.
    unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/pts/\(number)", O_RDWR, 0)
    var reading: Int32 = -1
    if hasPipe {
      var ends: [Int32] = [-1, -1]
      guard unsafe pipe(&ends) == 0 else { throw ProcessError("cannot make a pipe", errno) }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      reading = ends[0]
      pipeToInput = ends[1]
      unsafe posix_spawn_file_actions_adddup2(&actions, reading, 0)
    } else {
      unsafe posix_spawn_file_actions_adddup2(&actions, 1, 0)
    }
    if let errors {
      unsafe posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    } else {
      unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
    }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe _ = posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    unsafe sigemptyset(&defaults)
    for signal in [SIGPIPE, SIGINT, SIGHUP, SIGTSTP] { unsafe sigaddset(&defaults, signal) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    // Threads that run tests have signals blocked, which a program would inherit.
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    // POSIX_SPAWN_SETSID, which Swift does not import.
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK) | 0x80)
    var variables = [
      "PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "xterm-256color",
    ]
    for (name, value) in environment { variables[name] = value }
    let words = arguments.map { Array($0.utf8) }
    let pairs = variables.sorted { $0.key < $1.key }.map { Array("\($0.key)=\($0.value)".utf8) }
    var process: pid_t = 0
    let code = unsafe withCStrings(words) { argv in
      unsafe withCStrings(pairs) { envp in
        unsafe posix_spawn(&process, arguments[0], &actions, &attributes, argv, envp)
      }
    }
    if reading >= 0 { close(reading) }
    if code != 0 { throw ProcessError("cannot start \(arguments[0])", code) }
    self.process = process
  }

  deinit {
    if status == nil {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    endInput()
    close(controller)
  }

  private static func setSize(_ descriptor: Int32, _ columnCount: Int, _ lineCount: Int) {
    var size = winsize(ws_row: UInt16(lineCount), ws_col: UInt16(columnCount), ws_xpixel: 0, ws_ypixel: 0)
    _ = unsafe ioctl(descriptor, UInt(TIOCSWINSZ), &size)
  }

  // MARK: What a person does

  /// Types text; ESC and control characters as keys send them.
  package func type(_ text: String) { TerminalSession.writeAll(controller, Array(text.utf8)) }

  /// Writes to standard input, where it is a pipe.
  package func feed(_ text: String) { TerminalSession.writeAll(pipeToInput, Array(text.utf8)) }

  /// Ends standard input, where it is a pipe.
  package func endInput() {
    if pipeToInput >= 0 { close(pipeToInput) }
    pipeToInput = -1
  }

  package func signal(_ number: Int32) { kill(process, number) }

  /// Signals the job in the foreground, which a shell may have started.
  package func signalForeground(_ number: Int32) {
    let group = tcgetpgrp(controller)
    if group > 0 { kill(-group, number) }
  }

  /// Makes the window larger or smaller; what it shows is not known until the program draws it.
  package func resize(columnCount: Int, lineCount: Int, entering: [UInt8]) {
    drain(milliseconds: 0)
    terminal = VirtualTerminal(columnCount: columnCount, lineCount: lineCount, cellsOf: cellsOf)
    terminal.receive(entering)
    TerminalSession.setSize(controller, columnCount, lineCount)
  }

  private static func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno != EINTR { return }
      rest = rest.dropFirst(max(0, count))
    }
  }

  // MARK: What a person sees

  /// The settings of the terminal, as `stty -g` would give them.
  package var settings: [UInt32] {
    var settings = termios()
    guard unsafe tcgetattr(controller, &settings) == 0 else { return [] }
    return [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag]
  }

  /// Waits for a screen.
  ///
  /// - Returns: it.
  @discardableResult
  package func wait(
    seconds: Int = 30, until condition: (VirtualTerminal) -> Bool
  ) throws -> String {
    let end = TerminalSession.now() + seconds * 1000
    while !condition(terminal) {
      let left = end - TerminalSession.now()
      if left <= 0 || !drain(milliseconds: min(left, 1000)) {
        if condition(terminal) { break }
        throw Timeout(description: (left <= 0 ? "not in time; " : "ended; ") + "the screen is\n" + terminal.text)
      }
    }
    return terminal.text
  }

  /// Waits until a text is on the screen.
  @discardableResult
  package func wait(for text: String, seconds: Int = 30) throws -> String {
    try wait(seconds: seconds) { $0.text.contains(text) }
  }

  /// Waits for the end of the program.
  ///
  /// - Returns: its status, or 128 and the number of the signal that ended it.
  package func waitForEnd(seconds: Int = 30) throws -> Int32 {
    if let status { return status }
    let end = TerminalSession.now() + seconds * 1000
    while drain(milliseconds: 1000) {
      if TerminalSession.now() > end { throw Timeout(description: "does not end; the screen is\n" + terminal.text) }
    }
    var raw: Int32 = 0
    while unsafe waitpid(process, &raw, 0) == -1 && errno == EINTR {}
    let signal = raw & 0x7F
    let status = signal == 0 ? (raw >> 8) & 0xFF : 128 + signal
    self.status = status
    return status
  }

  /// Takes what the program has sent, waiting for some.
  ///
  /// - Returns: false once nobody has the terminal open any more.
  @discardableResult
  private func drain(milliseconds: Int) -> Bool {
    var request = pollfd(fd: controller, events: Int16(POLLIN), revents: 0)
    var timeout = Int32(milliseconds)
    while true {
      let count = unsafe poll(&request, 1, timeout)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return true }
      if Int32(request.revents) & POLLIN == 0 { return false }
      var buffer = [UInt8](repeating: 0, count: 65536)
      let got = unsafe read(controller, &buffer, buffer.count)
      if got <= 0 { return got < 0 && errno == EINTR }
      sent += buffer[..<got]
      terminal.receive(Array(buffer[..<got]))
      timeout = 0
    }
  }

  private static func now() -> Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1000 + Int(time.tv_nsec) / 1_000_000
  }
}
