// The three descriptors that the process is born with. Bytes go to them by write(2), whole buffers at a time: printers
// have buffers of their own, so there is none here.

import Glibc

/// Why standard output could not be written.
struct OutputError: Error, Equatable {
  /// The value of errno.
  let code: Int32

  var message: String {
    // strerror's text is copied before another call can replace it.
    "cannot write to standard output: " + (unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)")
  }
}

/// Writes what the program prints.
struct OutputWriter: Sendable {
  /// Where to write; standard output but in tests.
  let descriptor: Int32

  init(descriptor: Int32 = 1) {
    self.descriptor = descriptor
  }

  /// Writes all of `bytes`. Waits where the reader is slow, also on a descriptor that somebody made non-blocking. Where
  /// the reader is gone the process ends by SIGPIPE and this does not return.
  func write(_ bytes: Span<UInt8>) throws(OutputError) {
    let code = StandardStreams.writeAll(bytes, to: descriptor)
    if code == EPIPE { Signals.endByBrokenPipe() }
    if code != 0 { throw OutputError(code: code) }
  }

  /// Writes a text as UTF-8.
  func write(_ text: String) throws(OutputError) {
    try write(Array(text.utf8).span)
  }

  /// What a writer can know of its reader.
  enum Reader: Sendable {
    /// There is none that could be slow: a file, /dev/null.
    case none
    /// It takes bytes out of a pipe.
    case pipe
    /// A terminal, a socket.
    case other
  }

  var reader: Reader {
    var information = stat()
    guard unsafe fstat(descriptor, &information) == 0 else { return .none }
    switch information.st_mode & S_IFMT {
    case S_IFIFO: return .pipe
    case S_IFSOCK: return .other
    case S_IFCHR: return isatty(descriptor) == 1 ? .other : .none
    default: return .none
    }
  }

  /// Whether the reader has taken all that was written before the last write of so many bytes. A pipe that merely has room
  /// would not tell, as it takes many pages for a reader that sleeps.
  func readerKeepsUp(afterWriting count: Int, to reader: Reader) -> Bool {
    var unread: Int32 = 0
    // FIONREAD; on Linux it answers at both ends of a pipe.
    if reader == .pipe, unsafe ioctl(descriptor, 0x541B, &unread) == 0 { return Int(unread) < count }
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    // What is wrong with the descriptor is for the write to say.
    return unsafe poll(&request, 1, 0) != 0
  }

  /// Whether the reader has nothing left to read of what was written, and waits for more if it is not busy with the last of
  /// it. Where nothing tells, as of a terminal, it is taken to wait.
  func isReaderWaiting(_ reader: Reader) -> Bool {
    var unread: Int32 = 0
    // FIONREAD of a pipe, SIOCOUTQ of a socket, which is also a terminal's number of bytes on the way.
    guard unsafe ioctl(descriptor, reader == .pipe ? 0x541B : 0x5411, &unread) == 0 else { return true }
    return unread == 0
  }

  /// Waits until the reader of a pipe has taken everything, and ends the process where it goes without asking for more: what
  /// is wrong further on is none of its business. Nothing tells of a pipe that got empty, so this looks now and then.
  func waitUntilRead() {
    guard reader == .pipe else { return }
    var pause: Int32 = 10
    while true {
      var unread: Int32 = 0
      let isRead = unsafe ioctl(descriptor, 0x541B, &unread) != 0 || unread == 0
      // Who has just read the last of it may be about to go.
      var request = pollfd(fd: descriptor, events: 0, revents: 0)
      let count = unsafe poll(&request, 1, isRead ? 50 : pause)
      if count > 0 && request.revents & Int16(POLLERR) != 0 { Signals.endByBrokenPipe() }
      if isRead { return }
      pause = min(pause * 2, 200)
    }
  }

  /// Closes the descriptor, which is when some file systems tell that earlier writes failed. Nothing can be written
  /// after it.
  func close() throws(OutputError) {
    // Linux closes the descriptor even if it reports EINTR. EBADF: closed from the start, and nothing was written.
    if Glibc.close(descriptor) != 0 && errno != EBADF && errno != EINTR { throw OutputError(code: errno) }
  }
}

enum StandardStreams {
  /// Occupies those of the descriptors 0, 1 and 2 that were closed when the process began. Else the first file opened
  /// would get such a number, and output or messages would be written into it. Each is opened the wrong way round, so
  /// that using it still fails.
  static func reserveDescriptors() {
    for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 {
      // open gives the lowest free number, which is this one as the lower ones are in use.
      _ = unsafe open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
  }

  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Writes all of `bytes` and returns 0, or what errno says about why not.
  static func writeAll(_ bytes: Span<UInt8>, to descriptor: Int32) -> Int32 {
    unsafe bytes.withUnsafeBytes { buffer in
      var rest = unsafe buffer[...]
      while unsafe !rest.isEmpty {
        let count = unsafe write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 {
          unsafe rest = rest.dropFirst(count)
          continue
        }
        // No device should take nothing and call it success; trying for ever is no answer to one that does.
        if count == 0 { return EIO }
        switch errno {
        case EINTR:
          continue
        case EAGAIN:
          var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          if unsafe poll(&request, 1, -1) == -1 && errno != EINTR { return errno }
        default:
          return errno
        }
      }
      return 0
    }
  }
}
