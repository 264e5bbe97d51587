// A stream that can be read again: whatever is read of it goes to a file without a name too, and who asks for a place that
// was read already gets it from there. Any number of readers, each at its own place; only one at a time waits for the stream,
// and those who are behind do not wait for it.

import Synchronization

/// Keeps what a stream gives.
final class StreamSpool: Sendable {
  /// The offset in the stream of the file's first byte.
  let origin: Int
  private let source: ByteSource
  private let descriptor: Int32
  /// The offset in the stream up to which it is kept.
  private let kept: Atomic<Int>
  /// Held by who reads from the stream; whether its end was met.
  private let isEnded: Mutex<Bool>

  /// - Parameters:
  ///   - source: the stream.
  ///   - beginning: bytes that were read of it already.
  ///   - origin: the offset in the stream of the first of these.
  ///   - isEnded: whether the stream ends with them.
  init(_ source: ByteSource, beginning: Span<UInt8>, origin: Int, isEnded: Bool) throws(ReadError) {
    switch SystemCall.openUnlinkedFile() {
    case .success(let opened): descriptor = opened
    case .failure(let error): throw StreamSpool.failure(source, error)
    }
    if let error = SystemCall.writeAll(descriptor, beginning) {
      SystemCall.close(descriptor)
      throw StreamSpool.failure(source, error)
    }
    self.origin = origin
    self.source = source
    self.isEnded = Mutex(isEnded)
    kept = Atomic(origin + beginning.count)
  }

  deinit { SystemCall.close(descriptor) }

  private static func failure(_ source: ByteSource, _ error: Errno) -> ReadError {
    ReadError(inputName: source.name, problem: .system("cannot keep it in a temporary file", error.code))
  }

  /// Whether a place is kept, or the stream has something to read.
  func isAtHand(_ offset: Int, within milliseconds: Int32) -> Bool {
    offset < kept.load(ordering: .acquiring) || source.isReadable(within: milliseconds)
  }

  /// Reads bytes from a place on: what is kept of it, or else what the stream gives next.
  ///
  /// - Returns: the number of bytes, 0 at the end.
  func read(into storage: inout [UInt8], at index: Int, count: Int, offset: Int) throws(ReadError) -> Int {
    while true {
      let end = kept.load(ordering: .acquiring)
      if offset < end {
        switch SystemCall.read(
          descriptor, at: offset - origin, into: &storage, at: index, count: min(count, end - offset))
        {
        case .success(let got): return got
        case .failure(let error): throw StreamSpool.failure(source, error)
        }
      }
      if let got = try advance(from: end, into: &storage, at: index, count: count) { return got }
    }
  }

  /// Reads from the stream and keeps it; nil where somebody else has done so meanwhile.
  private func advance(
    from end: Int, into storage: inout [UInt8], at index: Int, count: Int
  ) throws(ReadError) -> Int? {
    try isEnded.withLock { isEnded throws(ReadError) -> Int? in
      if kept.load(ordering: .acquiring) != end { return nil }
      if isEnded { return 0 }
      let got = try source.read(into: &storage, at: index, count: count, offset: end)
      if got == 0 {
        isEnded = true
        return 0
      }
      if let error = SystemCall.writeAll(descriptor, storage.span.extracting(index..<(index + got))) {
        throw StreamSpool.failure(source, error)
      }
      kept.store(end + got, ordering: .releasing)
      return got
    }
  }
}
