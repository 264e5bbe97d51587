// The stages between a descriptor and a buffer. A regular file stays seekable; every stage makes it a stream:
//
//     ByteSource (descriptor) → Decompression? → Transcoding? → ChunkBuffer
//
// A stage is read from front to back, by one caller at a time. What fails once fails again: rows are handed over before
// an error, and whoever reads on meets it then.

/// Bytes from front to back.
protocol ByteStream: AnyObject, Sendable {
  /// Reads bytes into part of an array, waiting for the first of them.
  ///
  /// - Returns: the number of bytes, 0 at the end.
  func read(into storage: inout [UInt8], at index: Int, count: Int) throws(ReadError) -> Int
}

/// What is left of a source behind some place: bytes that were looked at, then the rest.
struct ByteTail: Sendable {
  let source: ByteSource
  /// Bytes that were read already, from `pendingIndex` on.
  private(set) var pending: [UInt8]
  private var pendingIndex = 0
  /// Where the next byte stands, from the beginning of the source.
  private(set) var offset: Int
  /// Whether the source has no more than what is pending.
  private var isFinal: Bool

  init(source: ByteSource, pending: [UInt8], offset: Int, isFinal: Bool) {
    self.source = source
    self.pending = pending
    self.offset = offset
    self.isFinal = isFinal
  }

  /// The number of bytes that can be had without reading.
  var pendingCount: Int { pending.count - pendingIndex }

  mutating func read(into storage: inout [UInt8], at index: Int, count: Int) throws(ReadError) -> Int {
    var got = min(count, pendingCount)
    if got > 0 {
      SystemCall.copyBytes(from: pending.span, at: pendingIndex, to: &storage, at: index, count: got)
      pendingIndex += got
    } else if !isFinal {
      got = try source.read(into: &storage, at: index, count: count, offset: offset)
      if got == 0 {
        if let size = source.size, offset < size { throw ReadError(inputName: source.name, problem: .shrunk) }
        isFinal = true
      }
    }
    offset += got
    return got
  }

  /// Waits until there is something to read, or until somebody wakes it.
  ///
  /// - Returns: whether there is something to read.
  func waitUntilReadable(or wake: WakeSignal) -> Bool {
    if pendingCount > 0 || isFinal { return !wake.isRaised }
    return source.waitUntilReadable(or: wake)
  }
}

/// Ends the waiting of another thread: a pipe of which one end is closed to wake it.
final class WakeSignal: Sendable {
  let descriptor: Int32
  private let writeEnd: Int32

  init() throws(Errno) {
    switch SystemCall.makePipe() {
    case .success(let ends): (descriptor, writeEnd) = (ends.read, ends.write)
    case .failure(let error): throw error
    }
  }

  /// Wakes who waits, now and from now on.
  func raise() {
    let byte: [UInt8] = [0]
    _ = SystemCall.writeAll(writeEnd, byte.span)
  }

  var isRaised: Bool { SystemCall.isReadable(descriptor) }

  deinit {
    SystemCall.close(descriptor)
    SystemCall.close(writeEnd)
  }
}
