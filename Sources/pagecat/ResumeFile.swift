// The file that --resume keeps its position in. It is replaced as a whole: written beside the old one under another name,
// put on the disk, and renamed. Signals wait meanwhile, so that neither half a file nor a left over one remains.

import Fetching
import Glibc

struct ResumeFile: Sendable {
  /// The file could not be read or written.
  struct FileError: Error {
    let name: String
    let action: String
    let code: Int32

    var message: String {
      let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
      return "--resume: cannot \(action) \(name): \(reason)"
    }
  }

  /// A position is a few kilobytes; anything larger is another file.
  private static let largestSize = 1024 * 1024

  let name: String
  /// The path, with symbolic links followed: the file they lead to is replaced and not they.
  private let path: String
  private let folder: String

  /// - Throws: `FileError` where a position could not be written later.
  init(_ path: [UInt8]) throws(FileError) {
    name = Diagnostics.fileName(path)
    let given = String(decoding: path, as: UTF8.self)
    var resolved = given
    if let real = unsafe realpath(given, nil) {
      resolved = unsafe String(cString: real)
      unsafe free(real)
    }
    self.path = resolved
    let slash = resolved.lastIndex(of: "/")
    folder = slash.map { $0 == resolved.startIndex ? "/" : String(resolved[..<$0]) } ?? "."
    var information = stat()
    if unsafe lstat(resolved, &information) == 0 {
      guard information.st_mode & S_IFMT == S_IFREG else {
        throw error("use", information.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
      }
      if unsafe access(resolved, R_OK) != 0 { throw error("read", errno) }
      if unsafe access(resolved, W_OK) != 0 { throw error("write", errno) }
    } else if errno != ENOENT {
      throw error("read", errno)
    }
    if path.isEmpty { throw error("write", ENOENT) }
    if unsafe access(folder, W_OK | X_OK) != 0 { throw error("write", errno) }
  }

  private func error(_ action: String, _ code: Int32) -> FileError {
    FileError(name: name, action: action, code: code)
  }

  /// The position; nil where there is no file yet.
  ///
  /// - Throws: `FileError`, or `ResumeError` where it is something else.
  func read() throws -> ResumePosition? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 {
      if errno == ENOENT { return nil }
      throw error("read", errno)
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4 * 1024)
    while bytes.count <= Self.largestSize {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count == 0 { break }
      if count < 0 {
        if errno == EINTR { continue }
        throw error("read", errno)
      }
      bytes += buffer[..<count]
    }
    return try ResumePosition(String(decoding: bytes, as: UTF8.self))
  }

  /// Puts a position in the place of the one before.
  func write(_ position: ResumePosition) throws(FileError) {
    var blocked = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&blocked)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE] { unsafe sigaddset(&blocked, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &blocked, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    try replace(Array(position.text.utf8))
  }

  private func replace(_ bytes: [UInt8]) throws(FileError) {
    let temporary = "\(path).\(getpid()).tmp"
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
    var descriptor = unsafe open(temporary, flags, 0o666)
    if descriptor < 0 && errno == EEXIST {
      // It is from a process of the same number that was killed.
      unsafe _ = unlink(temporary)
      descriptor = unsafe open(temporary, flags, 0o666)
    }
    if descriptor < 0 { throw error("write", errno) }
    var information = stat()
    if unsafe stat(path, &information) == 0 { _ = fchmod(descriptor, information.st_mode & 0o777) }
    var code = StandardStreams.writeAll(bytes.span, to: descriptor)
    if code == 0 && fsync(descriptor) != 0 { code = errno }
    if Glibc.close(descriptor) != 0 && code == 0 && errno != EINTR { code = errno }
    if code == 0, unsafe rename(temporary, path) != 0 { code = errno }
    if code != 0 {
      unsafe _ = unlink(temporary)
      throw error("write", code)
    }
    // The name is on the disk once its folder is.
    let directory = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if directory >= 0 {
      _ = fsync(directory)
      Glibc.close(directory)
    }
  }
}
