// The terminal itself: keys come from it and screens go to it. It decodes and draws nothing. Whoever enters must leave
// (or let go of the object, which leaves); faults are seen to by `FaultRestore`.

import Glibc

/// Why the terminal cannot be used: an errno value.
package struct TTYError: Error, Sendable, Equatable {
  package let code: Int32
}

/// A terminal in its two roles.
package final class TTY: Terminal {
  /// Alternate screen, no autowrap, mouse buttons and wheel in SGR form, bracketed paste, no cursor.
  package static let entering = Array("\u{1B}[?1049h\u{1B}[?7l\u{1B}[?1000h\u{1B}[?1006h\u{1B}[?2004h\u{1B}[?25l".utf8)
  /// The reverse, from whatever state: a frame that was cut off, a scroll region, a style.
  package static let leaving = Array(
    "\u{18}\u{1B}[?2026l\u{1B}[r\u{1B}[m\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l".utf8)

  private let input: Int32
  private let output: Int32
  private let ownsInput: Bool
  private let mode: RawMode
  /// Whether the screen is ours.
  package private(set) var isEntered = false

  /// Opens the terminal that the process is controlled by, for keys; screens go to standard output if it is a terminal.
  ///
  /// - Returns: nil without a controlling terminal, unless standard input is one.
  package static func open() -> TTY? {
    let descriptor = unsafe Glibc.open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    if descriptor >= 0 {
      guard let mode = RawMode(descriptor) else {
        _ = close(descriptor)
        return nil
      }
      return TTY(input: descriptor, output: isatty(1) == 1 ? 1 : descriptor, ownsInput: true, mode)
    }
    guard isatty(0) == 1, let mode = RawMode(0) else { return nil }
    return TTY(input: 0, output: isatty(1) == 1 ? 1 : 0, ownsInput: false, mode)
  }

  /// A terminal given by its descriptor, which stays the caller's.
  package init?(descriptor: Int32) {
    guard let mode = RawMode(descriptor) else { return nil }
    input = descriptor
    output = descriptor
    ownsInput = false
    self.mode = mode
  }

  private init(input: Int32, output: Int32, ownsInput: Bool, _ mode: RawMode) {
    self.input = input
    self.output = output
    self.ownsInput = ownsInput
    self.mode = mode
  }

  deinit {
    leave()
    if ownsInput { _ = close(input) }
  }

  /// Columns and lines; 80 by 24 where the terminal does not tell.
  package var size: (columnCount: Int, lineCount: Int) {
    var size = winsize()
    guard unsafe ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Takes the screen and the keys.
  package func enter() {
    if isEntered { return }
    isEntered = true
    FaultRestore.arm(input, output: output, settings: mode.saved, leaving: TTY.leaving)
    mode.begin()
    write(TTY.entering)
  }

  /// Takes them again after somebody else may have changed them (SIGCONT): all must be drawn anew.
  package func enterAgain() {
    isEntered = false
    enter()
  }

  /// Gives screen and keys back as they were.
  package func leave() {
    if !isEntered { return }
    isEntered = false
    mode.end(waits: write(TTY.leaving))
    FaultRestore.disarm()
  }

  /// How long a terminal that takes nothing is waited for once a signal has asked to end.
  private static let endingMilliseconds: Int32 = 300

  /// Writes all bytes, waiting where the terminal is slow, though not for ever once a signal has asked to end.
  ///
  /// - Returns: whether the terminal took them.
  @discardableResult
  package func write(_ bytes: [UInt8]) -> Bool {
    unsafe bytes.withUnsafeBytes { buffer in
      var done = 0
      while done < buffer.count {
        var waiting = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
        let isEnding = TerminalSignals.isEndRequested
        let ready = unsafe poll(&waiting, 1, isEnding ? TTY.endingMilliseconds : -1)
        if ready == 0 || ready < 0 && errno != EINTR { return false }
        if ready < 0 { continue }
        // Where there is less room than bytes a write waits for the reader, until a signal comes; then it must not.
        let flags = isEnding ? fcntl(output, F_GETFL) : -1
        if flags >= 0 { _ = fcntl(output, F_SETFL, flags | O_NONBLOCK) }
        let count = unsafe Glibc.write(output, buffer.baseAddress?.advanced(by: done), buffer.count - done)
        let failure = errno
        if flags >= 0 { _ = fcntl(output, F_SETFL, flags) }
        if count > 0 {
          done += count
        } else if failure != EINTR && failure != EAGAIN {
          return false
        }
      }
      return true
    }
  }

  /// Appends the bytes that are there, after a wait has told that there are some.
  ///
  /// - Returns: false at the end: the terminal has gone.
  package func read(into bytes: inout [UInt8]) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe Glibc.read(input, &buffer, buffer.count)
      if count > 0 {
        bytes += buffer[..<count]
        return true
      }
      if count == 0 { return false }
      if errno == EAGAIN { return true }
      if errno != EINTR { return false }
    }
  }

  /// Waits for keys, for a wake-up or for a signal.
  ///
  /// - Parameter milliseconds: how long at most; nil: for ever.
  package func wait(_ pipe: WakePipe, _ signals: TerminalSignals?, milliseconds: Int? = nil) -> TerminalWake {
    // A descriptor below 0 is passed over.
    var descriptors = [input, pipe.readEnd, signals?.readEnd ?? -1].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    let timeout = milliseconds.map { Int32(clamping: max(0, $0)) } ?? -1
    var wake = TerminalWake()
    // A signal ends the poll too; its byte is in the pipe by then.
    let count = unsafe poll(&descriptors, 3, timeout)
    if count < 0 {
      if errno == EINTR { wake.signals = signals?.drain() ?? [] }
      return wake
    }
    let revents = descriptors.map { Int32($0.revents) }
    wake.hasInput = revents[0] & POLLIN != 0
    wake.isHungUp = !wake.hasInput && revents[0] & (POLLHUP | POLLERR | POLLNVAL) != 0
    if revents[1] != 0 {
      pipe.drain()
      wake.isWoken = true
    }
    if revents[2] != 0 { wake.signals = signals?.drain() ?? [] }
    return wake
  }
}
