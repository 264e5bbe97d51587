// The file that --resume keeps its position in. It is replaced as a whole: written beside the old one without a name (or under another
// one, where file systems know no better), put on the disk, named and renamed. Signals wait meanwhile, so that neither half a file nor a
// left over one remains.

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
  /// The path as a C string, with symbolic links followed: the file they lead to is replaced and not they.
  private let path: [CChar]
  private let folder: [CChar]
  /// The new file's name until it takes the place of the old one.
  private let temporary: [CChar]

  /// - Throws: `FileError` where a position could not be written later.
  init(_ path: [UInt8]) throws(FileError) {
    name = Diagnostics.fileName(path)
    var resolved = path
    if let real = unsafe realpath(Self.terminated(path), nil) {
      resolved = unsafe UnsafeBufferPointer(start: real, count: strlen(real)).map { UInt8(bitPattern: $0) }
      unsafe free(real)
    }
    let slash = resolved.lastIndex(of: UInt8(ascii: "/"))
    // Up to the slash and with it, which is also right for that of the root.
    let beginning = slash.map { Array(resolved[...$0]) } ?? []
    let ending = Array(".\(getpid()).tmp".utf8)
    let isLong = resolved.count - beginning.count + ending.count > Self.longestName
    self.path = Self.terminated(resolved)
    folder = Self.terminated(beginning.isEmpty ? Array(".".utf8) : beginning)
    temporary = Self.terminated((isLong ? beginning + Array(".pagecat".utf8) : resolved) + ending)
    var information = stat()
    if unsafe lstat(self.path, &information) == 0 {
      guard information.st_mode & S_IFMT == S_IFREG else {
        throw error("use", information.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
      }
      if unsafe access(self.path, R_OK) != 0 { throw error("read", errno) }
      if unsafe access(self.path, W_OK) != 0 { throw error("write", errno) }
    } else if errno != ENOENT {
      throw error("read", errno)
    }
    // Of a path that ends with a slash a folder is expected.
    if resolved.count == beginning.count { throw error("write", path.isEmpty ? ENOENT : EISDIR) }
    if unsafe access(folder, W_OK | X_OK) != 0 { throw error("write", errno) }
  }

  private static func terminated(_ path: [UInt8]) -> [CChar] { path.map { CChar(bitPattern: $0) } + [0] }

  /// NAME_MAX of nearly all file systems.
  private static let longestName = 255

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

  /// Signals that wait while there is something to be removed.
  private static let heldSignals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE]

  private static func holdSignals() -> sigset_t {
    var blocked = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&blocked)
    for signal in heldSignals { unsafe sigaddset(&blocked, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &blocked, &before)
    return before
  }

  private static func letSignalsCome(_ before: sigset_t) {
    var before = before
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// Makes the file for the next position before anything is printed, so that what stands against it is said first. It has
  /// no name until it has its bytes, so nothing is left of it, whatever ends the process.
  ///
  /// - Returns: the file; nil where the file system gives every file a name.
  func reserve() throws(FileError) -> ReservedFile? {
    // open(2): O_TMPFILE, which Swift does not import.
    let descriptor = unsafe open(folder, 0o20_000_000 | O_DIRECTORY | O_WRONLY | O_CLOEXEC, 0o666)
    if descriptor >= 0 {
      let reserved = ReservedFile(descriptor: descriptor)
      // Whatever else it says, the position may be smaller, and the write has to tell.
      let code = posix_fallocate(descriptor, 0, Self.reservedSize)
      if code == ENOSPC || code == EDQUOT { throw error("write", code) }
      return reserved
    }
    guard [EOPNOTSUPP, EISDIR, EINVAL, ENOENT].contains(errno) else { throw error("write", errno) }
    let before = Self.holdSignals()
    defer { Self.letSignalsCome(before) }
    let trial = try create()
    unsafe _ = unlink(temporary)
    Glibc.close(trial)
    return nil
  }

  /// Bytes that a position takes on a disk at least.
  private static let reservedSize: off_t = 4096

  /// Puts a position in the place of the one before.
  ///
  /// - Parameter reserved: a file for it, which is used up.
  func write(_ position: ResumePosition, into reserved: inout ReservedFile?) throws(FileError) {
    let before = Self.holdSignals()
    defer { Self.letSignalsCome(before) }
    let bytes = Array(position.text.utf8)
    if let file = reserved {
      reserved = nil
      try fill(file.descriptor, bytes)
      // Without /proc it can get no name.
      if name(file.descriptor) { return try putInPlace() }
    }
    let descriptor = try create()
    do throws(FileError) {
      defer { Glibc.close(descriptor) }
      try fill(descriptor, bytes)
    } catch {
      unsafe _ = unlink(temporary)
      throw error
    }
    try putInPlace()
  }

  private func create() throws(FileError) -> Int32 {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
    var descriptor = unsafe open(temporary, flags, 0o666)
    if descriptor < 0 && errno == EEXIST {
      // It is from a process of the same number that was killed.
      unsafe _ = unlink(temporary)
      descriptor = unsafe open(temporary, flags, 0o666)
    }
    if descriptor < 0 { throw error("write", errno) }
    return descriptor
  }

  private func fill(_ descriptor: Int32, _ bytes: [UInt8]) throws(FileError) {
    var information = stat()
    if unsafe stat(path, &information) == 0 { _ = fchmod(descriptor, information.st_mode & 0o777) }
    let code = StandardStreams.writeAll(bytes.span, to: descriptor)
    if code != 0 { throw error("write", code) }
    if ftruncate(descriptor, off_t(bytes.count)) != 0 { throw error("write", errno) }
    if fsync(descriptor) != 0 { throw error("write", errno) }
  }

  /// Gives the temporary name to a file that has none.
  private func name(_ descriptor: Int32) -> Bool {
    let file = "/proc/self/fd/\(descriptor)"
    for _ in 0..<2 {
      if unsafe linkat(AT_FDCWD, file, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW) == 0 { return true }
      if errno != EEXIST { return false }
      unsafe _ = unlink(temporary)
    }
    return false
  }

  private func putInPlace() throws(FileError) {
    if unsafe rename(temporary, path) != 0 {
      let code = errno
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

/// A file that has no name yet; it goes with the last who refers to it.
final class ReservedFile: Sendable {
  fileprivate let descriptor: Int32

  fileprivate init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }
}
