// The system calls that reading needs, each in one small wrapper: EINTR is retried, a failure is an errno value.
// Unsafe pointers of the C interface stay in this file.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

package enum SystemCall {
  /// What an errno value means, in words.
  package static func message(for code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard unsafe strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Opens a file for reading.
  ///
  /// - Parameter path: the file's path as bytes without a final NUL.
  /// - Returns: a descriptor, or the errno value.
  static func openForReading(_ path: [UInt8]) -> Result<Int32, Errno> {
    if path.contains(0) { return .failure(Errno(ENOENT)) }
    let terminated = path.map { CChar(bitPattern: $0) } + [0]
    while true {
      let descriptor = unsafe open(terminated, O_RDONLY | O_CLOEXEC | O_NOCTTY)
      if descriptor >= 0 { return .success(descriptor) }
      if errno != EINTR { return .failure(Errno(errno)) }
    }
  }

  /// Lets this process have so many files open at once, as far as it may allow that itself.
  package static func allowOpenFiles(_ count: Int) {
    var limit = rlimit()
    // RLIMIT_NOFILE of Linux, whose type differs from one C library to the next.
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(7)
    #else
      let resource: Int32 = 7
    #endif
    guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(clamping: count) else { return }
    limit.rlim_cur = min(limit.rlim_max, rlim_t(clamping: count))
    _ = unsafe setrlimit(resource, &limit)
  }

  /// What a descriptor leads to.
  struct Status {
    var isRegular: Bool
    var isDirectory: Bool
    /// In bytes.
    var size: Int
    /// When it was last written to, in nanoseconds.
    var modified: Int
    /// When anything of it was last changed, in nanoseconds; who sets the other time back cannot set this one.
    var changed: Int
    var device: Int
    var inode: Int
  }

  static func status(of descriptor: Int32) -> Result<Status, Errno> {
    var information = stat()
    guard unsafe fstat(descriptor, &information) == 0 else { return .failure(Errno(errno)) }
    let kind = information.st_mode & S_IFMT
    return .success(
      Status(
        isRegular: kind == S_IFREG, isDirectory: kind == S_IFDIR, size: Int(information.st_size),
        modified: information.st_mtim.tv_sec &* 1_000_000_000 &+ information.st_mtim.tv_nsec,
        changed: information.st_ctim.tv_sec &* 1_000_000_000 &+ information.st_ctim.tv_nsec,
        device: Int(truncatingIfNeeded: information.st_dev), inode: Int(truncatingIfNeeded: information.st_ino)))
  }

  /// The position that a descriptor of a regular file is at.
  static func position(of descriptor: Int32) -> Int? {
    let position = lseek(descriptor, 0, SEEK_CUR)
    return position >= 0 ? Int(position) : nil
  }

  /// Reads from a descriptor's own position.
  ///
  /// - Returns: the number of bytes, 0 at the end.
  static func read(_ descriptor: Int32, into storage: inout [UInt8], at index: Int, count: Int) -> Result<Int, Errno> {
    precondition(index >= 0 && count >= 0 && index + count <= storage.count)
    return unsafe storage.withUnsafeMutableBytes { buffer in
      while true {
        let got = unsafe Glibc.read(descriptor, buffer.baseAddress?.advanced(by: index), count)
        if got >= 0 { return .success(got) }
        if errno == EAGAIN {
          // A descriptor that somebody set to non-blocking is waited for.
          var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
          _ = unsafe poll(&waiting, 1, -1)
        } else if errno != EINTR {
          return .failure(Errno(errno))
        }
      }
    }
  }

  /// Reads from a place in a regular file.
  ///
  /// - Parameter offset: in bytes from the beginning of the file.
  /// - Returns: the number of bytes, 0 at the end.
  package static func read(
    _ descriptor: Int32, at offset: Int, into storage: inout [UInt8], at index: Int, count: Int
  ) -> Result<Int, Errno> {
    precondition(index >= 0 && count >= 0 && index + count <= storage.count)
    return unsafe storage.withUnsafeMutableBytes { buffer in
      while true {
        let got = unsafe pread(descriptor, buffer.baseAddress?.advanced(by: index), count, off_t(offset))
        if got >= 0 { return .success(got) }
        if errno != EINTR { return .failure(Errno(errno)) }
      }
    }
  }

  package static func close(_ descriptor: Int32) {
    _ = Glibc.close(descriptor)
  }

  /// Moves bytes inside an array; the ranges may overlap.
  package static func moveBytes(in storage: inout [UInt8], from source: Int, to destination: Int, count: Int) {
    precondition(source >= 0 && destination >= 0 && count >= 0)
    precondition(source + count <= storage.count && destination + count <= storage.count)
    unsafe storage.withUnsafeMutableBytes { buffer in
      guard let base = buffer.baseAddress else { return }
      unsafe memmove(base + destination, base + source, count)
    }
  }

  /// Makes a file in the folder for temporary files that has no name any more, for reading and writing.
  package static func openUnlinkedFile() -> Result<Int32, Errno> {
    var template: [CChar] = []
    if let value = unsafe getenv("TMPDIR") {
      template = unsafe Array(UnsafeBufferPointer(start: value, count: strlen(value)))
    }
    if template.isEmpty { template = "/tmp".utf8.map { CChar(bitPattern: $0) } }
    template += Array("/pagecat.XXXXXX".utf8CString)
    let descriptor = unsafe mkstemp(&template)
    if descriptor < 0 { return .failure(Errno(errno)) }
    unsafe unlink(template)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return .success(descriptor)
  }

  /// Writes all of some bytes at the descriptor's position.
  static func writeAll(_ descriptor: Int32, _ bytes: Span<UInt8>) -> Errno? {
    unsafe bytes.withUnsafeBufferPointer { buffer in
      var done = 0
      while done < buffer.count {
        let put = unsafe write(descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done)
        if put >= 0 {
          done += put
        } else if errno != EINTR {
          return Errno(errno)
        }
      }
      return nil
    }
  }

  /// Writes all of some bytes at a place in a file.
  ///
  /// - Parameter offset: in bytes from the beginning of the file.
  package static func writeAll(_ descriptor: Int32, _ bytes: Span<UInt8>, at offset: Int) -> Errno? {
    unsafe bytes.withUnsafeBufferPointer { buffer in
      var done = 0
      while done < buffer.count {
        let put = unsafe pwrite(
          descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done, off_t(offset + done))
        if put >= 0 {
          done += put
        } else if errno != EINTR {
          return Errno(errno)
        }
      }
      return nil
    }
  }
}

/// An errno value as an error.
package struct Errno: Error, Sendable, Equatable {
  package let code: Int32

  package init(_ code: Int32) {
    self.code = code
  }
}
