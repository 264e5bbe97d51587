// The system calls that streams need beside those for files: pipes and waiting.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension SystemCall {
  /// Makes a pipe whose ends are not inherited by programs that are started.
  static func makePipe() -> Result<(read: Int32, write: Int32), Errno> {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return .failure(Errno(errno)) }
    _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
    _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
    return .success((ends[0], ends[1]))
  }

  /// Makes reads and writes fail that would wait.
  static func setNonBlocking(_ descriptor: Int32) {
    let flags = fcntl(descriptor, F_GETFL)
    if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
  }

  /// Asks for a pipe to hold more bytes, or less more where the system refuses.
  static func enlargePipe(_ descriptor: Int32, to size: Int) {
    var size = Int32(clamping: size)
    // F_SETPIPE_SZ of Linux, which the module of the C library leaves out. A pipe holds 64 KiB as it is made.
    while size > 64 * 1024, fcntl(descriptor, 1031, size) < 0, errno == EPERM { size /= 2 }
  }

  /// Lets another thread that is waiting for this core go first.
  static func yield() { sched_yield() }

  /// Waits until one of two descriptors has something to read, or has ended.
  ///
  /// - Returns: whether the first one has, and the second one has not.
  static func waitUntilReadable(_ descriptor: Int32, or other: Int32) -> Bool {
    var requests = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: other, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let count = unsafe poll(&requests, 2, -1)
      // What is wrong with the descriptor is for the read to say.
      if count < 0 && errno != EINTR { return true }
      if count > 0 { return requests[1].revents == 0 }
    }
  }

  /// Waits until a descriptor has something to read, or has ended.
  static func waitUntilReadable(_ descriptor: Int32) {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while unsafe poll(&request, 1, -1) < 0 && errno == EINTR {}
  }

  /// Whether a descriptor has something to read, or has ended.
  ///
  /// - Parameter milliseconds: how long to wait for it.
  static func isReadable(_ descriptor: Int32, within milliseconds: Int32 = 0) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      let count = unsafe poll(&request, 1, milliseconds)
      if count >= 0 { return count > 0 }
      if errno != EINTR { return true }
    }
  }

  /// Reads from a non-blocking descriptor what is there.
  static func readAtHand(
    _ descriptor: Int32, into storage: inout [UInt8], at index: Int
  ) -> Result<Int, Errno> {
    precondition(index >= 0 && index <= storage.count)
    return unsafe storage.withUnsafeMutableBytes { buffer in
      while true {
        let got = unsafe Glibc.read(descriptor, buffer.baseAddress?.advanced(by: index), buffer.count - index)
        if got >= 0 { return .success(got) }
        if errno != EINTR { return .failure(Errno(errno)) }
      }
    }
  }

  /// Puts a descriptor of a regular file at a place in it.
  static func setPosition(_ descriptor: Int32, _ offset: Int) -> Bool {
    lseek(descriptor, off_t(offset), SEEK_SET) >= 0
  }

  /// Copies bytes from one array to another.
  static func copyBytes(
    from source: Span<UInt8>, at start: Int, to storage: inout [UInt8], at index: Int, count: Int
  ) {
    precondition(start >= 0 && index >= 0 && count >= 0)
    precondition(start + count <= source.count && index + count <= storage.count)
    unsafe source.withUnsafeBufferPointer { from in
      unsafe storage.withUnsafeMutableBytes { to in
        guard let from = from.baseAddress, let to = to.baseAddress else { return }
        unsafe memcpy(to + index, from + start, count)
      }
    }
  }
}

extension Errno {
  /// Whether it says that there is no such file.
  var isNotFound: Bool { code == ENOENT }
  /// No thread could be started.
  static var noThread: Errno { Errno(EAGAIN) }
}
