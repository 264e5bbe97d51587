// Runs a program to its end: bytes in, bytes out, status. One thread and poll(2) serve all three pipes, so that neither
// side can wait for the other, and a program that hangs is killed.

import Glibc
import Synchronization

/// What became of a program that was run.
package struct ProcessResult: Sendable, Equatable {
  package var standardOutput: [UInt8] = []
  package var standardError: [UInt8] = []
  /// What a shell would show: the status, or 128 and the number of the signal.
  package var status: Int32 = 0
  /// Whether it was killed because the time was over.
  package var isTimedOut = false

  package init() {}

  /// Standard output as text.
  package var output: String { String(decoding: standardOutput, as: UTF8.self) }
  /// Standard error as text.
  package var errors: String { String(decoding: standardError, as: UTF8.self) }
}

/// The program could not be run.
package struct ProcessError: Error, CustomStringConvertible {
  package let description: String

  package init(_ what: String, _ code: Int32) {
    description = "\(what): errno \(code)"
  }
}

/// A program to run.
package struct ProcessRunner: Sendable {
  /// What the program finds on its standard input.
  package enum Input: Sendable {
    /// Nothing: /dev/null.
    case nothing
    /// A pipe with these bytes.
    case bytes([UInt8])
    /// A pipe that delivers these bytes in pieces of so many: no read gets more than a piece, up to 4096.
    case pieces([UInt8], size: Int)
    /// A pseudo-terminal on which nobody types.
    case terminal
  }

  /// The path of the program.
  package var program: String
  package var environment: [String: String] = [
    "PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC",
  ]
  /// nil for that of the tests.
  package var workingDirectory: String?
  /// Whether standard output is a pseudo-terminal instead of a pipe; it makes CR LF of every line feed.
  package var isOutputTerminal = false
  /// Whether somebody reads the program's standard output; if not, its reading end is closed from the start.
  package var isOutputRead = true
  /// The same for standard error.
  package var areErrorsRead = true
  /// Seconds after which the program is killed.
  package var timeLimit = 60.0

  package init(program: String) {
    self.program = program
  }

  /// The `pagecat` that was built together with the tests.
  package static func pagecat() -> ProcessRunner {
    ProcessRunner(program: BuiltProducts.directory + "/pagecat")
  }

  /// Runs the program with arguments given as text.
  package func run(_ arguments: [String], input: Input = .nothing) throws -> ProcessResult {
    try run(bytes: arguments.map { Array($0.utf8) }, input: input)
  }

  /// Runs the program with arguments that need not be UTF-8.
  package func run(bytes arguments: [[UInt8]], input: Input = .nothing) throws -> ProcessResult {
    _ = ProcessRunner.ignoreBrokenPipes
    var ends = Descriptors()
    defer { ends.closeAll() }
    let (process, output, errors, parentEnd) = try start(arguments, input, &ends)
    var parentInput = parentEnd

    var result = ProcessResult()
    var rest: ArraySlice<UInt8> = []
    var pieceSize = Int.max
    switch input {
    case .bytes(let bytes): rest = bytes[...]
    case .pieces(let bytes, let size): (rest, pieceSize) = (bytes[...], size)
    default: break
    }
    if parentInput >= 0 && rest.isEmpty {
      ends.close(parentInput)
      parentInput = -1
    }
    var open: [Int32] = []
    if isOutputRead { open.append(output) }
    if areErrorsRead { open.append(errors) }
    let end = now() + timeLimit
    while !open.isEmpty {
      var requests = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      if parentInput >= 0 { requests.append(pollfd(fd: parentInput, events: Int16(POLLOUT), revents: 0)) }
      let wait = Int32(max(0, min(end - now(), 1000)) * 1000)
      let ready = unsafe poll(&requests, nfds_t(requests.count), wait)
      if now() >= end && !result.isTimedOut {
        // The whole group: its children hold the pipes too.
        kill(-process, SIGKILL)
        result.isTimedOut = true
        break
      }
      if ready <= 0 { continue }
      for request in requests where request.revents != 0 {
        if request.fd == parentInput {
          if !feed(&rest, to: parentInput, pieceSize: pieceSize) {
            ends.close(parentInput)
            parentInput = -1
          }
        } else if let bytes = drain(request.fd) {
          if request.fd == output {
            result.standardOutput += bytes
          } else {
            result.standardError += bytes
          }
        } else {
          open.removeAll { $0 == request.fd }
        }
      }
    }
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) == -1 && errno == EINTR {}
    let signal = status & 0x7F
    result.status = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    return result
  }

  /// A write to a program that ended must fail, not end the tests.
  private static let ignoreBrokenPipes: Bool = {
    signal(SIGPIPE, SIG_IGN)
    return true
  }()

  #if arch(arm64)
    private static let packets: Int32 = 0o200000
  #else
    private static let packets: Int32 = 0o40000
  #endif

  /// Held from the making of pipes until a program is started: one started meanwhile would inherit their ends, and a
  /// reader would wait for it too.
  private static let starting = Mutex(())

  /// Starts the program; gives its number and this process's ends of its pipes, -1 where it has no pipe as input.
  private func start(
    _ arguments: [[UInt8]], _ input: Input, _ ends: inout Descriptors
  ) throws -> (process: pid_t, output: Int32, errors: Int32, input: Int32) {
    try ProcessRunner.starting.withLock { _ in
      let output = isOutputTerminal ? try ends.terminal() : try ends.pipe()
      let errors = try ends.pipe()
      let childInput: Int32
      var parentInput: Int32 = -1
      switch input {
      case .nothing:
        childInput = try ends.open("/dev/null", O_RDONLY)
      case .bytes, .pieces:
        let pipe = try ends.pipe()
        childInput = pipe.reading
        parentInput = pipe.writing
        // A program that reads slowly must not keep its output from being read.
        var flags = O_WRONLY | O_NONBLOCK
        // pipe(2): O_DIRECT, which Swift does not import, is "packet" mode, in which every write is read apart.
        if case .pieces = input { flags |= ProcessRunner.packets }
        _ = fcntl(parentInput, F_SETFL, flags)
      case .terminal:
        childInput = try ends.terminal().writing
      }
      if !isOutputRead { ends.close(output.reading) }
      if !areErrorsRead { ends.close(errors.reading) }
      let process = try spawn(arguments, input: childInput, output: output.writing, errors: errors.writing)
      ends.close(output.writing)
      ends.close(errors.writing)
      ends.close(childInput)
      return (process, output.reading, errors.reading, parentInput)
    }
  }

  private func spawn(_ arguments: [[UInt8]], input: Int32, output: Int32, errors: Int32) throws -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, errors, 2)
    // The tests ignore SIGPIPE while they feed a program; the program itself must not.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe _ = posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    unsafe sigemptyset(&defaults)
    unsafe sigaddset(&defaults, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    // A thread of the tests may block signals, and a program started from it would too.
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))

    // The C library's way to set a directory for a child is not among the functions that Swift imports.
    var words = [Array(program.utf8)] + arguments
    if let workingDirectory {
      words = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", workingDirectory].map { Array($0.utf8) } + words
    }
    let path = workingDirectory == nil ? program : "/bin/sh"
    let variables = environment.sorted { $0.key < $1.key }.map { Array("\($0.key)=\($0.value)".utf8) }
    var process: pid_t = 0
    let code = unsafe withCStrings(words) { argv in
      unsafe withCStrings(variables) { envp in
        unsafe posix_spawn(&process, path, &actions, &attributes, argv, envp)
      }
    }
    if code != 0 { throw ProcessError("cannot start \(program)", code) }
    return process
  }

  /// Writes some of the bytes; false when there are none left or nobody reads them.
  private func feed(_ rest: inout ArraySlice<UInt8>, to descriptor: Int32, pieceSize: Int) -> Bool {
    let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, min($0.count, pieceSize)) }
    if count < 0 { return errno == EAGAIN || errno == EINTR }
    rest = rest.dropFirst(count)
    return !rest.isEmpty
  }

  /// Reads what is there; nil at the end.
  private func drain(_ descriptor: Int32) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
    if count < 0 && (errno == EINTR || errno == EAGAIN) { return [] }
    return count > 0 ? Array(buffer[..<count]) : nil
  }

  private func now() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// Where the build put what it made.
package enum BuiltProducts {
  /// The directory of the test bundle, which holds the programs too.
  package static let directory: String = {
    guard let path = unsafe realpath("/proc/self/exe", nil) else { return "." }
    defer { unsafe free(path) }
    let text = unsafe String(cString: path)
    return String(text[..<(text.lastIndex(of: "/") ?? text.startIndex)])
  }()
}

/// The descriptors opened for one run.
private struct Descriptors {
  private var open: [Int32] = []

  /// A pipe whose ends no child inherits unless it is told to.
  mutating func pipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    if unsafe Glibc.pipe(&ends) != 0 { throw ProcessError("cannot make a pipe", errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    open += ends
    return (ends[0], ends[1])
  }

  mutating func open(_ path: String, _ flags: Int32) throws -> Int32 {
    let descriptor = unsafe Glibc.open(path, flags | O_CLOEXEC)
    if descriptor < 0 { throw ProcessError("cannot open \(path)", errno) }
    open.append(descriptor)
    return descriptor
  }

  /// The two sides of a new pseudo-terminal: what its screen is sent, and the one that a program sees.
  mutating func terminal() throws -> (reading: Int32, writing: Int32) {
    let controller = try open("/dev/ptmx", O_RDWR | O_NOCTTY)
    // What unlockpt(3) and ptsname(3) do; Swift does not import those.
    var isLocked: Int32 = 0
    var number: Int32 = 0
    guard unsafe ioctl(controller, 0x4004_5431, &isLocked) == 0, unsafe ioctl(controller, 0x8004_5430, &number) == 0
    else { throw ProcessError("cannot make a terminal", errno) }
    let path = "/dev/pts/\(number)"
    return (controller, try open(path, O_RDWR | O_NOCTTY))
  }

  mutating func close(_ descriptor: Int32) {
    guard let index = open.firstIndex(of: descriptor) else { return }
    open.remove(at: index)
    _ = Glibc.close(descriptor)
  }

  mutating func closeAll() {
    for descriptor in open { _ = Glibc.close(descriptor) }
    open = []
  }
}

/// Calls `body` with an array of C strings that ends with a null pointer.
func withCStrings<Result>(
  _ strings: [[UInt8]], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: strings.count + 1)
  unsafe pointers.initialize(repeating: nil, count: strings.count + 1)
  defer {
    for index in strings.indices { unsafe free(pointers[index]) }
    unsafe pointers.deallocate()
  }
  for (index, string) in strings.enumerated() {
    unsafe pointers[index] = strdup(string.map { CChar(bitPattern: $0) } + [0])
  }
  return unsafe body(pointers)
}
