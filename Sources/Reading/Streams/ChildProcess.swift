// A program of the system as a child process: bytes in on its standard input, bytes out on its standard output, and the
// last of what it says on standard error kept for a message. No shell, and nothing else of this process is inherited.
//
// The trick: whoever waits for its output waits for both pipes, and takes in what it says meanwhile, so that a program
// that says more than a pipe holds never waits for a reader who waits for its output.

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

final class ChildProcess: Sendable {
  /// How a program ended.
  enum Ending: Sendable, Equatable {
    case status(Int32)
    case signal(Int32)
  }

  let program: String
  /// The reading end of its standard output.
  let output: Int32
  private let messages: Int32
  let processID: pid_t
  private let ending = Mutex<Ending?>(nil)
  /// The last of what it said.
  private let said = Mutex<[UInt8]>([])

  /// Held from the making of a pipe until its ends are marked as not inherited: no other child may get one.
  private static let spawning = Mutex<Void>(())

  private init(program: String, output: Int32, messages: Int32, processID: pid_t) {
    self.program = program
    self.output = output
    self.messages = messages
    self.processID = processID
  }

  deinit {
    stop()
    SystemCall.close(messages)
  }

  /// Starts a program, which is looked for in PATH.
  ///
  /// - Parameters:
  ///   - program: its name.
  ///   - arguments: those after its name.
  ///   - input: what its standard input shall be. It stays open here.
  /// - Returns: the child, or why there is none: `ENOENT` where the program is not there.
  static func start(_ program: String, arguments: [String], input: Int32) -> Result<ChildProcess, Errno> {
    spawning.withLock { _ in
      var open: [Int32] = []
      defer { for descriptor in open { SystemCall.close(descriptor) } }
      guard case .success(let output) = SystemCall.makePipe() else { return .failure(Errno(EMFILE)) }
      open += [output.read, output.write]
      guard case .success(let messages) = SystemCall.makePipe() else { return .failure(Errno(EMFILE)) }
      open += [messages.read, messages.write]
      SystemCall.setNonBlocking(messages.read)
      SystemCall.enlargePipe(output.read, to: StreamLimits.pipeSize)

      switch spawn(program, arguments, input: input, output: output.write, messages: messages.write) {
      case .failure(let error): return .failure(error)
      case .success(let processID):
        open = [output.write, messages.write]
        return .success(
          ChildProcess(program: program, output: output.read, messages: messages.read, processID: processID))
      }
    }
  }

  private static func spawn(
    _ program: String, _ arguments: [String], input: Int32, output: Int32, messages: Int32
  ) -> Result<pid_t, Errno> {
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    guard unsafe posix_spawn_file_actions_init(&actions) == 0 else { return .failure(Errno(ENOMEM)) }
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    guard unsafe posix_spawnattr_init(&attributes) == 0 else { return .failure(Errno(ENOMEM)) }
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    for (from, to) in [(input, Int32(0)), (output, 1), (messages, 2)] {
      let status = unsafe posix_spawn_file_actions_adddup2(&actions, from, to)
      if status != 0 { return .failure(Errno(status)) }
    }
    // Signals as at the start of any program, whatever this thread blocks: a closed pipe ends the child.
    var none = sigset_t()
    var defaults = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigemptyset(&defaults)
    unsafe sigaddset(&defaults, SIGPIPE)
    unsafe sigaddset(&defaults, SIGXFSZ)
    unsafe sigaddset(&defaults, SIGTERM)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var words: [UnsafeMutablePointer<CChar>?] = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var processID = pid_t()
    let status = unsafe posix_spawnp(&processID, program, &actions, &attributes, &words, environ)
    return status == 0 ? .success(processID) : .failure(Errno(status))
  }

  /// Reads its output, and what it says on the way.
  ///
  /// - Returns: the number of bytes, 0 at the end.
  func read(into storage: inout [UInt8], at index: Int, count: Int) -> Result<Int, Errno> {
    while !SystemCall.waitUntilReadable(output, or: messages) {
      // It has closed its standard error: only its output is left to wait for.
      if !takeMessages() { break }
    }
    return SystemCall.read(output, into: &storage, at: index, count: count)
  }

  /// Takes in what it has said so far.
  ///
  /// - Returns: whether it may say more.
  private func takeMessages() -> Bool {
    var bytes = [UInt8](repeating: 0, count: StreamLimits.messageSize)
    while true {
      guard case .success(let got) = SystemCall.readAtHand(messages, into: &bytes, at: 0) else { return true }
      if got == 0 { return false }
      said.withLock { said in
        said.append(contentsOf: bytes[0..<got])
        said.removeFirst(max(0, said.count - StreamLimits.messageSize))
      }
    }
  }

  /// Waits for the end of the program, taking in what it still says.
  func wait() -> Ending {
    ending.withLock { ending in
      if let ending { return ending }
      while takeMessages() { SystemCall.waitUntilReadable(messages) }
      return reap(&ending)
    }
  }

  private func reap(_ ending: inout Ending?) -> Ending {
    var status: Int32 = 0
    while unsafe waitpid(processID, &status, 0) == -1 && errno == EINTR {}
    // The macros of wait(2), which Swift does not see.
    let signal = status & 0x7F
    let found = signal == 0 ? Ending.status((status >> 8) & 0xFF) : .signal(signal)
    ending = found
    SystemCall.close(output)
    return found
  }

  /// Ends the program if it still runs, and takes it off the system's list.
  func stop() {
    ending.withLock { ending in
      guard ending == nil else { return }
      kill(processID, SIGTERM)
      // Should it be stopped, it has to go on to end. What it would still say interests nobody.
      kill(processID, SIGCONT)
      _ = reap(&ending)
    }
  }

  /// The last line that it wrote to standard error; call it after its end.
  func lastMessage() -> [UInt8] {
    said.withLock { said in said.split { $0 == 0x0A || $0 == 0x0D }.last.map { Array($0) } ?? [] }
  }
}
