// Signals as events: a handler does nothing but write the signal's number to a pipe, which the event loop waits for
// together with the keys. For signals of a fault no loop will run any more; their handler gives the terminal back by
// itself, with what POSIX lets a handler do (write, tcsetattr), and lets the fault take its course.

import Glibc
import Synchronization

/// Where the handlers write; -1: nowhere. A handler may see nothing but such plain words.
private let signalPipe = Atomic<Int32>(-1)

/// What the handler of a fault needs, written down before, because it may neither allocate nor lock.
enum FaultRestore {
  /// The terminal's descriptor; -1: there is nothing to give back.
  fileprivate static let descriptor = Atomic<Int32>(-1)
  fileprivate static let settings = Atomic<UInt>(0)
  fileprivate static let bytes = Atomic<UInt>(0)
  fileprivate static let byteCount = Atomic<Int>(0)

  /// Remembers how the terminal was. The memory is small and kept for good: a handler may run at any time.
  static func arm(_ terminal: Int32, output: Int32, settings saved: termios, leaving: [UInt8]) {
    if settings.load(ordering: .relaxed) == 0 {
      let copy = UnsafeMutablePointer<termios>.allocate(capacity: 1)
      unsafe copy.initialize(to: saved)
      let text = UnsafeMutablePointer<UInt8>.allocate(capacity: leaving.count)
      for (index, byte) in leaving.enumerated() { unsafe (text + index).initialize(to: byte) }
      byteCount.store(leaving.count, ordering: .relaxed)
      bytes.store(UInt(bitPattern: text), ordering: .relaxed)
      settings.store(UInt(bitPattern: copy), ordering: .relaxed)
    }
    descriptor.store(terminal, ordering: .releasing)
  }

  static func disarm() { descriptor.store(-1, ordering: .releasing) }

  /// Gives the terminal back. Safe in a handler.
  ///
  /// - Parameter writes: whether the screen is given back too, which takes a terminal that still reads.
  fileprivate static func restore(writes: Bool) {
    let terminal = descriptor.exchange(-1, ordering: .acquiringAndReleasing)
    if terminal < 0 { return }
    if writes {
      let text = unsafe UnsafeRawPointer(bitPattern: bytes.load(ordering: .relaxed))
      _ = unsafe write(terminal, text, byteCount.load(ordering: .relaxed))
    }
    if let saved = unsafe UnsafePointer<termios>(bitPattern: settings.load(ordering: .relaxed)) {
      _ = unsafe tcsetattr(terminal, TCSANOW, saved)
    }
  }
}

/// Whether a signal to end has come already.
private let isEnding = Atomic<Bool>(false)

private func noteSignal(_ number: Int32) {
  let before = errno
  var byte = UInt8(truncatingIfNeeded: number)
  let descriptor = signalPipe.load(ordering: .acquiring)
  if descriptor >= 0 { _ = unsafe write(descriptor, &byte, 1) }
  errno = before
}

/// The first is an event. Should the loop not come to it, because it waits for a terminal that takes nothing any more,
/// the next ends the process as if there were no handler.
private func noteEnd(_ number: Int32) {
  if !isEnding.exchange(true, ordering: .acquiringAndReleasing) { return noteSignal(number) }
  FaultRestore.restore(writes: false)
  _ = signal(number, SIG_DFL)
  raise(number)
}

private func restoreAfterFault(_ number: Int32) {
  FaultRestore.restore(writes: true)
  // The handler was for one time only, and the signal waits until it returns: then it ends the process as it would have.
  raise(number)
}

/// Takes the signals that concern a full-screen program. One at a time in a process.
package final class TerminalSignals {
  package enum Event: Sendable, Equatable {
    /// SIGINT, SIGTERM or SIGHUP: to end, after the terminal was given back, by `end(by:)`.
    case end(Int32)
    /// SIGTSTP: to give the terminal back and stop.
    case suspend
    /// SIGCONT: somebody else may have used the terminal.
    case resume
    /// SIGWINCH.
    case resize
  }

  /// Whether a signal has asked to end.
  static var isEndRequested: Bool { isEnding.load(ordering: .relaxed) }

  private static let ending: [Int32] = [SIGINT, SIGTERM, SIGHUP]
  private static let noted: [Int32] = [SIGTSTP, SIGCONT, SIGWINCH]
  private static let faults: [Int32] = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGQUIT]

  let readEnd: Int32
  private let writeEnd: Int32
  private var previous: [(number: Int32, action: sigaction)] = []

  /// Installs the handlers. A signal that the parent had ignored (`nohup`) stays ignored.
  package init() throws(TTYError) {
    (readEnd, writeEnd) = try WakePipe.makePipe()
    signalPipe.store(writeEnd, ordering: .releasing)
    isEnding.store(false, ordering: .releasing)
    // A write that waits for a terminal is to be woken.
    for number in TerminalSignals.ending { install(number, noteEnd, flags: 0) }
    for number in TerminalSignals.noted { install(number, noteSignal, flags: SA_RESTART) }
    for number in TerminalSignals.faults { install(number, restoreAfterFault, flags: Int32(bitPattern: 0x8000_0000)) }
  }

  deinit {
    for (number, action) in previous {
      var action = action
      _ = unsafe sigaction(number, &action, nil)
    }
    signalPipe.store(-1, ordering: .releasing)
    _ = close(readEnd)
    _ = close(writeEnd)
  }

  private func install(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void, flags: Int32) {
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = handler
    action.sa_flags = flags
    unsafe sigemptyset(&action.sa_mask)
    var before = sigaction()
    guard unsafe sigaction(number, nil, &before) == 0 else { return }
    let isIgnored = unsafe unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) == 1
    if isIgnored && number != SIGCONT && number != SIGWINCH { return }
    guard unsafe sigaction(number, &action, nil) == 0 else { return }
    previous.append((number, before))
  }

  /// The signals since the last call, in order.
  func drain() -> [Event] {
    var events: [Event] = []
    var bytes = [UInt8](repeating: 0, count: 64)
    while true {
      let count = unsafe read(readEnd, &bytes, bytes.count)
      if count <= 0 { return events }
      for number in bytes[..<count].map(Int32.init) {
        switch number {
        case SIGTSTP: events.append(.suspend)
        case SIGCONT: events.append(.resume)
        case SIGWINCH: if events.last != .resize { events.append(.resize) }
        default: events.append(.end(number))
        }
      }
    }
  }

  /// Ends the process by a signal, so that a shell loop ends too. The terminal must have been given back.
  package static func end(by number: Int32) -> Never {
    _ = signal(number, SIG_DFL)
    unblock(number)
    // To this thread, so that it is taken before this returns.
    raise(number)
    // Not reached; the status is what a shell shows for the signal.
    _exit(128 + number)
  }

  /// Stops the process, and the others of its pipeline, as Ctrl-Z does; returns once it is continued. The terminal must
  /// have been given back.
  package func stop() {
    var handled = sigaction()
    _ = unsafe sigaction(SIGTSTP, nil, &handled)
    // First the others, then this process, by a signal to this thread: only that is sure to be taken before the handler
    // is back.
    _ = signal(SIGTSTP, SIG_IGN)
    _ = kill(0, SIGTSTP)
    _ = signal(SIGTSTP, SIG_DFL)
    TerminalSignals.unblock(SIGTSTP)
    raise(SIGTSTP)
    _ = unsafe sigaction(SIGTSTP, &handled, nil)
  }

  private static func unblock(_ number: Int32) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, number)
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }
}
