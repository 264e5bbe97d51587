// Where an input's bytes come from: a regular file, read with pread at any place and by any thread, or a stream (pipe,
// FIFO, terminal, /proc file, or a stage over one of these), read once from front to back. Nothing is opened twice, and a file is never mapped: one
// that shrinks must give an error and not a signal.

import Synchronization

/// What an input is asked for by.
package enum InputLocation: Sendable, Equatable {
  case standardInput
  /// A path as the bytes that were given.
  case file([UInt8])

  /// The name for messages.
  package var name: String {
    switch self {
    case .standardInput: "standard input"
    case .file(let path): path.isEmpty ? "''" : SafeName.text(path)
    }
  }
}

/// Which file it is and when it was changed: one of the same stamp holds the same bytes.
package struct FileStamp: Sendable, Equatable {
  package var changed: Int
  package var size: Int
  package var device: Int
  package var inode: Int

  package init(changed: Int, size: Int, device: Int, inode: Int) {
    self.changed = changed
    self.size = size
    self.device = device
    self.inode = inode
  }
}

/// A descriptor that is read from.
package final class ByteSource: Sendable {
  package let name: String
  private let descriptor: Int32
  /// Bytes read of a stream.
  private let streamed = Atomic(0)
  /// What makes the bytes, where they do not come from the descriptor.
  private let stage: (any ByteStream)?
  /// Offset in the file that counts as 0: where standard input stood.
  private let base: Int
  /// The number of bytes when it was opened; nil for a stream.
  package let size: Int?
  /// When a file was last written to when it was opened; nil for what nobody else can write to.
  private let modified: Int?
  /// That of a file with a name, as it was opened; nil for what cannot be told again by it.
  package let stamp: FileStamp?
  /// The first bytes of a file as they were read first.
  private let head = Mutex<[UInt8]>([])
  /// How far the file was read where that is beyond its size when it was opened.
  private let reached = Atomic(0)
  private let closes: Bool
  /// The lines before `origin`, where a spooled stream begins.
  private let linesBefore: LineCounter
  private let origin: Int
  /// What a stream has given so far, where that is kept.
  let spool: StreamSpool?
  /// What a pass over a stream is busy with, where several threads take part.
  let passWindow: StreamWindow?

  package var isSeekable: Bool { size != nil }
  /// Whether what was read can be read again.
  package var isReplayable: Bool { isSeekable || spool != nil }

  private init(
    name: String, descriptor: Int32, base: Int, size: Int?, modified: Int? = nil, stamp: FileStamp? = nil, closes: Bool,
    linesBefore: LineCounter = LineCounter(), origin: Int = 0, stage: (any ByteStream)? = nil,
    spool: StreamSpool? = nil, passWindow: StreamWindow? = nil
  ) {
    self.modified = modified
    self.stamp = stamp
    self.spool = spool
    self.passWindow = passWindow
    self.stage = stage
    self.linesBefore = linesBefore
    self.origin = origin
    self.name = name
    self.descriptor = descriptor
    self.base = base
    self.size = size
    self.closes = closes
  }

  /// The rest of a stream, kept in a file.
  ///
  /// - Parameters:
  ///   - descriptor: the file, which is closed with the source.
  ///   - origin: the offset in the stream of the file's first byte.
  ///   - size: the offset in the stream of its end.
  ///   - linesBefore: the lines before `origin`.
  convenience init(spool descriptor: Int32, name: String, origin: Int, size: Int, linesBefore: LineCounter) {
    self.init(
      name: name, descriptor: descriptor, base: -origin, size: size, closes: true, linesBefore: linesBefore,
      origin: origin)
  }

  /// What a stage makes of another source, which it keeps.
  convenience init(stage: any ByteStream, name: String) {
    self.init(name: name, descriptor: -1, base: 0, size: nil, closes: false, stage: stage)
  }

  /// A stream of which everything that is read is kept, and read again by who asks for an earlier place.
  convenience init(replaying spool: StreamSpool, name: String, linesBefore: LineCounter) {
    self.init(
      name: name, descriptor: -1, base: 0, size: nil, closes: false, linesBefore: linesBefore, origin: spool.origin,
      spool: spool)
  }

  /// A stream that several threads read in during a pass.
  convenience init(passWindow: StreamWindow, name: String) {
    self.init(name: name, descriptor: -1, base: 0, size: nil, closes: false, passWindow: passWindow)
  }

  deinit {
    if closes { SystemCall.close(descriptor) }
  }

  /// Opens an input.
  ///
  /// - Throws: `ReadError` where it does not exist, may not be read, or is a directory.
  package static func open(_ location: InputLocation) throws(ReadError) -> ByteSource {
    let name = location.name
    let descriptor: Int32
    switch location {
    case .standardInput: descriptor = 0
    case .file(let path):
      switch SystemCall.openForReading(path) {
      case .success(let opened): descriptor = opened
      case .failure(let error):
        throw ReadError(inputName: name, problem: .system("cannot open it", error.code))
      }
    }
    let closes = location != .standardInput
    switch SystemCall.status(of: descriptor) {
    case .failure(let error):
      if closes { SystemCall.close(descriptor) }
      throw ReadError(inputName: name, problem: .system("cannot read it", error.code))
    case .success(let status):
      if status.isDirectory {
        if closes { SystemCall.close(descriptor) }
        throw ReadError(inputName: name, problem: .unsupported("is a directory, and a file was expected"))
      }
      // A size of 0 says nothing for files such as those under /proc, which are read as streams.
      guard status.isRegular, status.size > 0, let base = SystemCall.position(of: descriptor) else {
        return ByteSource(name: name, descriptor: descriptor, base: 0, size: nil, closes: closes)
      }
      return ByteSource(
        name: name, descriptor: descriptor, base: base, size: max(0, status.size - base), modified: status.modified,
        stamp: closes
          ? FileStamp(changed: status.changed, size: status.size, device: status.device, inode: status.inode) : nil,
        closes: closes)
    }
  }

  /// Reads bytes into part of an array.
  ///
  /// - Parameters:
  ///   - storage: where they go, from `index` on, `count` at most.
  ///   - offset: in bytes from the beginning of the input. A stream ignores it and goes on where it was.
  /// - Returns: the number of bytes read, 0 at the end.
  func read(into storage: inout [UInt8], at index: Int, count: Int, offset: Int) throws(ReadError) -> Int {
    if let passWindow { return try passWindow.read(into: &storage, at: index, count: count, offset: offset) }
    if let spool { return try spool.read(into: &storage, at: index, count: count, offset: offset) }
    if let stage { return try stage.read(into: &storage, at: index, count: count) }
    let result =
      isSeekable
      ? SystemCall.read(descriptor, at: base &+ offset, into: &storage, at: index, count: count)
      : SystemCall.read(descriptor, into: &storage, at: index, count: count)
    switch result {
    case .success(let got):
      if !isSeekable {
        noteStreamed(got)
      } else if offset == 0 && modified != nil {
        head.withLock { if $0.isEmpty { $0 = Array(storage[index..<(index + min(got, ReadingLimits.headSize))]) } }
      }
      return got
    case .failure(let error): throw ReadError(inputName: name, problem: .system("cannot read it", error.code))
    }
  }

  /// Lets a pipe hold more once it is clear that much comes through it: the system then reads ahead for this process, so
  /// that whoever writes need not be waited for at every read, and no thread has to copy bytes. The first page of a
  /// stream leaves the pipe as it was.
  private func noteStreamed(_ count: Int) {
    let before = streamed.load(ordering: .relaxed)
    streamed.store(before + count, ordering: .relaxed)
    if before < StreamLimits.longStream && before + count >= StreamLimits.longStream {
      SystemCall.enlargePipe(descriptor, to: StreamLimits.pipeSize)
    }
  }

  /// The descriptor of a regular file, put at a place in the input, for another program to read on from there.
  func descriptor(at offset: Int) -> Int32? {
    guard isSeekable, SystemCall.setPosition(descriptor, base + offset) else { return nil }
    return descriptor
  }

  /// Waits until a stream has something to read, or until somebody wakes this thread.
  ///
  /// - Returns: whether there is something to read.
  func waitUntilReadable(or wake: WakeSignal) -> Bool {
    if isSeekable || stage != nil { return !wake.isRaised }
    return SystemCall.waitUntilReadable(descriptor, or: wake.descriptor)
  }

  /// Waits until a read at a place need not wait, or nobody wants it any more.
  ///
  /// - Returns: false where it is not wanted.
  func waitUntilReadable(at offset: Int, for monitor: ScanMonitor) -> Bool {
    waitUntilReadable(at: offset) { monitor.isCancelled }
  }

  /// - Parameter isOver: whether nobody wants it any more.
  func waitUntilReadable(at offset: Int, unless isOver: () -> Bool) -> Bool {
    while !isOver() {
      // A stage waits by itself, and so does what several threads read in.
      if isSeekable || stage != nil || passWindow != nil { return true }
      if let spool {
        if spool.isAtHand(offset, within: StreamLimits.lookMilliseconds) { return true }
      } else if SystemCall.isReadable(descriptor, within: StreamLimits.lookMilliseconds) {
        return true
      }
    }
    return false
  }

  /// Whether a stream has something to read.
  func isReadable(within milliseconds: Int32) -> Bool {
    isSeekable || stage != nil || SystemCall.isReadable(descriptor, within: milliseconds)
  }

  /// Whether a stream that is read right from its descriptor has something to read.
  func hasMore(within milliseconds: Int32) -> Bool {
    !isReplayable && stage == nil && passWindow == nil && SystemCall.isReadable(descriptor, within: milliseconds)
  }

  // MARK: Files that are written to meanwhile

  /// What became of a regular file since it was opened. One that another has taken the place of stays open, and is what it
  /// was.
  package enum Change: Sendable, Equatable {
    case none
    /// More was written behind what was there, as far as one can tell from its beginning.
    case grown
    /// It was written to, though size and beginning are the same.
    case touched
    /// It became shorter, or begins differently.
    case rewritten
  }

  /// - Complexity: a system call; where somebody has written to the file, a few.
  package func change() -> Change {
    guard let modified, let size, case .success(let status) = SystemCall.status(of: descriptor) else { return .none }
    let now = status.size - base
    if now < size { return .rewritten }
    if now == size && status.modified == modified { return .none }
    let known = head.withLock { $0 }
    guard let found = try? bytes(in: 0..<known.count), found == known else { return .rewritten }
    return now == size ? .touched : .grown
  }

  /// - Throws: `.rewritten` where what was read, or is read again, need not be of one text.
  package func checkUnchanged() throws(ReadError) {
    if change() == .rewritten { throw ReadError(inputName: name, problem: .rewritten) }
  }

  /// What a person should know of a file that was written to in the middle, or may have been.
  package var changeNote: String? {
    change() == .touched ? "\(name): the file was written to while it was read; rows may be of before or after" : nil
  }

  /// Whether a file goes on behind this place, which is not before its size when it was opened.
  func isGrown(beyond end: Int) -> Bool {
    guard modified != nil, case .success(let status) = SystemCall.status(of: descriptor) else { return false }
    return status.size - base > end && change() == .grown
  }

  /// A file was read up to this place.
  func noteReached(_ end: Int) {
    if let size, end > size { _ = reached.max(end, ordering: .relaxed) }
  }

  /// The number of bytes of a file that were taken into account: what it had when it was opened, or when its end was
  /// reached; nil for a stream.
  package var knownSize: Int? { size.map { max($0, reached.load(ordering: .relaxed)) } }

  /// Where a file that became shorter ends now.
  func endPlace() -> Place? {
    guard isSeekable, case .success(let status) = SystemCall.status(of: descriptor) else { return nil }
    let end = max(0, status.size - base)
    return place(ofOffset: end).map { Place(lineNumber: $0.lineNumber, column: $0.column, offset: end) }
  }

  /// Fills an array with the bytes at a place of a regular file.
  ///
  /// - Throws: `.shrunk` where the file does not have them any more.
  package func readExactly(_ count: Int, at offset: Int, into storage: inout [UInt8], at index: Int) throws(ReadError) {
    var done = 0
    while done < count {
      let got = try read(into: &storage, at: index + done, count: count - done, offset: offset + done)
      if got == 0 { throw ReadError(inputName: name, problem: .shrunk, place: endPlace()) }
      done += got
    }
  }

  /// The bytes of a range of a regular file, as far as it has them.
  package func bytes(in range: Range<Int>) throws(ReadError) -> [UInt8] {
    var storage = [UInt8](repeating: 0, count: range.count)
    var done = 0
    while done < range.count {
      let got = try read(into: &storage, at: done, count: range.count - done, offset: range.lowerBound + done)
      if got == 0 { break }
      done += got
    }
    storage.removeLast(range.count - done)
    return storage
  }

  /// Line and column of a place in a regular file, by reading it again up to there; nil for a stream.
  package func place(ofOffset offset: Int) -> (lineNumber: Int, column: Int)? {
    if let passWindow { return passWindow.place(ofOffset: offset) }
    guard isReplayable else { return nil }
    var counter = linesBefore
    var storage = [UInt8](repeating: 0, count: ReadingLimits.chunkSize)
    var position = origin
    while position < offset {
      guard
        let got = try? read(
          into: &storage, at: 0, count: min(storage.count, offset - position), offset: position), got > 0
      else { break }
      counter.feed(storage.span.extracting(0..<got))
      position += got
    }
    return (counter.lineNumber, counter.column)
  }
}
