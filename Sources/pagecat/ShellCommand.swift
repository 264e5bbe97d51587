// One run of a shell command with some bytes on its standard input; the rest of its streams are this process's own. Signals
// are as at the start of any program. A command that does not read its input, or not all of it, is as good as any.

import Glibc
import Synchronization

/// A command for /bin/sh.
struct ShellCommand: Sendable {
  /// How a command ended.
  enum Ending: Equatable, Sendable {
    case status(Int32)
    case signal(Int32)

    /// What a shell shows.
    var status: Int32 {
      switch self {
      case .status(let status): status
      case .signal(let signal): 128 + signal
      }
    }
  }

  /// The command could not be started.
  struct StartError: Error, Equatable {
    let code: Int32
    var message: String {
      "--each: cannot start /bin/sh: " + (unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)")
    }
  }

  let text: [UInt8]

  /// Runs the command and waits for its end.
  ///
  /// - Parameter variables: added to the environment, or put in the place of others of the same name.
  func run(input: Span<UInt8>, variables: [(name: String, value: String)]) throws(StartError) -> Ending {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw StartError(code: errno) }
    // No other child can get them meanwhile: those that decompress inputs were started when these were opened.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let process: pid_t
    do throws(StartError) {
      process = try start(input: ends[0], variables)
    } catch {
      close(ends[0])
      close(ends[1])
      throw error
    }
    close(ends[0])
    let writing = ends[1]
    // What the command does not read is lost, as in any pipe.
    Signals.withoutBrokenPipe { _ = StandardStreams.writeAll(input, to: writing) }
    close(writing)
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) == -1 {
      if errno != EINTR { throw StartError(code: errno) }
    }
    let signal = status & 0x7F
    return signal == 0 ? .status((status >> 8) & 0xFF) : .signal(signal)
  }

  private func start(input: Int32, _ variables: [(name: String, value: String)]) throws(StartError) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    guard unsafe posix_spawn_file_actions_init(&actions) == 0, unsafe posix_spawnattr_init(&attributes) == 0 else {
      throw StartError(code: ENOMEM)
    }
    defer {
      unsafe _ = posix_spawn_file_actions_destroy(&actions)
      unsafe _ = posix_spawnattr_destroy(&attributes)
    }
    unsafe _ = posix_spawn_file_actions_adddup2(&actions, input, 0)
    var none = sigset_t()
    var defaults = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigemptyset(&defaults)
    unsafe sigaddset(&defaults, SIGPIPE)
    unsafe sigaddset(&defaults, SIGXFSZ)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var process = pid_t()
    let words = ["/bin/sh", "-c"].map { Array($0.utf8) } + [text]
    let code = unsafe Self.withPointers(words) { words in
      unsafe Self.withPointers(Self.environment(with: variables)) { environment in
        unsafe posix_spawn(&process, "/bin/sh", &actions, &attributes, words, environment)
      }
    }
    if code != 0 { throw StartError(code: code) }
    return process
  }

  private static func environment(with variables: [(name: String, value: String)]) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var next = unsafe environ
    while let line = unsafe next.pointee {
      let bytes = unsafe Array(UnsafeBufferPointer(start: line, count: strlen(line))).map { UInt8(bitPattern: $0) }
      if !variables.contains(where: { bytes.starts(with: "\($0.name)=".utf8) }) { lines.append(bytes) }
      unsafe next += 1
    }
    return lines + variables.map { Array("\($0.name)=\($0.value)".utf8) }
  }

  /// Calls `body` with C strings, after the last of which is a null pointer.
  private static func withPointers<Result>(
    _ strings: [[UInt8]], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe strings.map { string in
      unsafe strdup(string.map { CChar(bitPattern: $0) } + [0])
    }
    unsafe pointers.append(nil)
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe body(&pointers)
  }
}

/// A command for a page failed; the run ends with its status.
struct EachFailure: Error {
  let ending: ShellCommand.Ending
  let pageNumber: Int

  var message: String {
    switch ending {
    case .status(let status): "--each: the command failed on page \(pageNumber) with status \(status)"
    case .signal(let signal): "--each: the command was ended on page \(pageNumber) by signal \(signal)"
    }
  }
}
