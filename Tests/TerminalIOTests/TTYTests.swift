// The terminal through a pseudo-terminal of this process: settings before and after, keys, sizes, and what ends a wait.

import Glibc
import TerminalIO
import Testing

/// Both ends of a pseudo-terminal.
private final class PseudoTerminal {
  let controller: Int32
  let terminal: Int32

  init?(columnCount: UInt16 = 100, lineCount: UInt16 = 30) {
    // What posix_openpt and its like do on Linux; Swift's module of the C library does not have them.
    controller = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY)
    var unlocked: Int32 = 0
    var number: Int32 = 0
    guard controller >= 0, unsafe ioctl(controller, 0x4004_5431, &unlocked) == 0,
      unsafe ioctl(controller, 0x8004_5430, &number) == 0
    else { return nil }
    terminal = unsafe open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
    guard terminal >= 0 else { return nil }
    var size = winsize(ws_row: lineCount, ws_col: columnCount, ws_xpixel: 0, ws_ypixel: 0)
    guard unsafe ioctl(terminal, UInt(TIOCSWINSZ), &size) == 0 else { return nil }
    _ = fcntl(controller, F_SETFL, O_NONBLOCK)
  }

  deinit {
    _ = close(controller)
    _ = close(terminal)
  }

  func type(_ bytes: [UInt8]) {
    _ = unsafe bytes.withUnsafeBytes { unsafe write(controller, $0.baseAddress, $0.count) }
  }

  /// What was sent to the terminal.
  func sent() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe read(controller, &bytes, bytes.count)
    return Array(bytes.prefix(max(0, count)))
  }

  func settings() -> [UInt32] {
    var settings = termios()
    _ = unsafe tcgetattr(terminal, &settings)
    return [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag]
  }
}

@Suite(.serialized) struct TTYTests {
  @Test func theTerminalIsGivenBackAsItWas() throws {
    let pseudo = try #require(PseudoTerminal())
    let before = pseudo.settings()
    do {
      let tty = try #require(TTY(descriptor: pseudo.terminal))
      tty.enter()
      #expect(tty.isEntered)
      let during = pseudo.settings()
      #expect(during != before)
      #expect(during[3] & UInt32(ICANON | ECHO | ISIG) == 0)
      #expect(pseudo.sent() == TTY.entering)
      tty.leave()
      #expect(pseudo.settings() == before)
      #expect(pseudo.sent() == TTY.leaving)
      tty.leave()
      #expect(pseudo.sent().isEmpty)
      tty.enter()
      tty.enterAgain()
    }
    // Letting go of it leaves too.
    #expect(pseudo.settings() == before)
    #expect(pseudo.sent().suffix(TTY.leaving.count) == TTY.leaving[...])
  }

  @Test func theSizeIsTheTerminals() throws {
    let pseudo = try #require(PseudoTerminal(columnCount: 123, lineCount: 45))
    let tty = try #require(TTY(descriptor: pseudo.terminal))
    #expect(tty.size == (123, 45))
    let unknown = try #require(PseudoTerminal(columnCount: 0, lineCount: 0))
    #expect(TTY(descriptor: unknown.terminal)?.size ?? (0, 0) == (80, 24))
  }

  @Test func whatIsNoTerminalIsNone() throws {
    let descriptor = unsafe open("/dev/null", O_RDWR)
    #expect(TTY(descriptor: descriptor) == nil)
    _ = close(descriptor)
  }

  @Test func keysEndAWait() throws {
    let pseudo = try #require(PseudoTerminal())
    let tty = try #require(TTY(descriptor: pseudo.terminal))
    let pipe = try WakePipe()
    let signals = try TerminalSignals()
    tty.enter()
    defer { tty.leave() }
    #expect(tty.wait(pipe, signals, milliseconds: 0).isTimedOut)
    // Ctrl-C and Ctrl-Z are keys, and a carriage return stays one.
    pseudo.type([0x03, 0x1A, 0x0D, 0x1B, 0x5B, 0x41])
    #expect(tty.wait(pipe, signals).hasInput)
    var bytes: [UInt8] = []
    #expect(tty.read(into: &bytes))
    #expect(bytes == [0x03, 0x1A, 0x0D, 0x1B, 0x5B, 0x41])
  }

  @Test func wakingEndsAWaitOnce() throws {
    let pseudo = try #require(PseudoTerminal())
    let tty = try #require(TTY(descriptor: pseudo.terminal))
    let pipe = try WakePipe()
    let signals = try TerminalSignals()
    for _ in 0..<100_000 { pipe.wake() }
    let wake = tty.wait(pipe, signals)
    #expect(wake.isWoken && !wake.hasInput)
    #expect(tty.wait(pipe, signals, milliseconds: 0).isTimedOut)
    pipe.wake()
    #expect(tty.wait(pipe, signals, milliseconds: 0).isWoken)
  }

  @Test func signalsAreEventsWhileTheyAreTaken() throws {
    let pseudo = try #require(PseudoTerminal())
    let tty = try #require(TTY(descriptor: pseudo.terminal))
    let pipe = try WakePipe()
    var before = sigaction()
    _ = unsafe sigaction(SIGTERM, nil, &before)
    let expected: [(Int32, TerminalSignals.Event)] = [
      (SIGWINCH, .resize), (SIGTSTP, .suspend), (SIGCONT, .resume), (SIGINT, .end(SIGINT)), (SIGTERM, .end(SIGTERM)),
      (SIGHUP, .end(SIGHUP)),
    ]
    for (number, event) in expected {
      // Anew for each, because a second signal to end is not waited with.
      let signals = try TerminalSignals()
      _ = kill(getpid(), number)
      // A wait that the signal has only interrupted is made again.
      var wake = tty.wait(pipe, signals)
      while wake.isTimedOut { wake = tty.wait(pipe, signals) }
      #expect(wake.signals == [event])
      #expect(tty.wait(pipe, signals, milliseconds: 0).isTimedOut)
    }
    var after = sigaction()
    _ = unsafe sigaction(SIGTERM, nil, &after)
    #expect(before.sa_flags == after.sa_flags)
  }

  /// As one that was stopped by Ctrl-S, or whose window hangs.
  @Test func aTerminalThatTakesNothingDoesNotHoldUpTheEnd() throws {
    let pseudo = try #require(PseudoTerminal())
    var before = termios()
    _ = unsafe tcgetattr(pseudo.terminal, &before)
    let tty = try #require(TTY(descriptor: pseudo.terminal))
    let signals = try TerminalSignals()
    tty.enter()
    _ = kill(getpid(), SIGTERM)
    let pipe = try WakePipe()
    while tty.wait(pipe, signals).signals.isEmpty {}
    #expect(!tty.write([UInt8](repeating: 0x20, count: 1_000_000)))
    tty.leave()
    var after = termios()
    _ = unsafe tcgetattr(pseudo.terminal, &after)
    #expect(before.c_lflag == after.c_lflag && before.c_iflag == after.c_iflag)
  }

  @Test func aTerminalThatHasGoneEndsAWait() throws {
    var pseudo = PseudoTerminal()
    let terminal = try #require(pseudo?.terminal)
    let own = dup(terminal)
    let tty = try #require(TTY(descriptor: own))
    pseudo = nil
    let wake = tty.wait(try WakePipe(), try TerminalSignals())
    var bytes: [UInt8] = []
    #expect(wake.isHungUp || (wake.hasInput && !tty.read(into: &bytes)))
    _ = close(own)
  }

  @Test(arguments: [
    ("", "\u{1B}]52;c;\u{7}"), ("f", "\u{1B}]52;c;Zg==\u{7}"), ("fo", "\u{1B}]52;c;Zm8=\u{7}"),
    ("foo", "\u{1B}]52;c;Zm9v\u{7}"), ("\u{1B}]0;x\u{7}", "\u{1B}]52;c;G10wO3gH\u{7}"),
    ("ü…", "\u{1B}]52;c;w7zigKY=\u{7}"),
  ])
  func copying(_ text: String, _ expected: String) {
    #expect(Clipboard.sequence(copying: Array(text.utf8)) == Array(expected.utf8))
  }

  @Test func tooMuchIsNotCopied() {
    #expect(Clipboard.sequence(copying: [UInt8](repeating: 0, count: Clipboard.mostBytes)) != nil)
    #expect(Clipboard.sequence(copying: [UInt8](repeating: 0, count: Clipboard.mostBytes + 1)) == nil)
  }
}
