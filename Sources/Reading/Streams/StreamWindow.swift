// A stream that several threads read in at the same time: what was read of it and is not done with yet stays in memory, in pieces,
// and every thread looks at its own place. Who wants work reads the next piece and has it for itself, so that its bytes are in the
// cache of the core that looks at them; its lines are counted on the way. Nothing is kept of what is done with.

import Dispatch
import Synchronization

/// The part of a stream that a pass is busy with.
final class StreamWindow: Sendable {
  struct Piece: Sendable {
    /// Where it begins, in bytes from the beginning of the stream.
    fileprivate(set) var offset: Int
    fileprivate(set) var bytes: [UInt8]
    /// How many of the bytes count.
    fileprivate(set) var count: Int
    /// The lines before it.
    fileprivate var lines: LineCounter

    /// The offset of what comes after it.
    var end: Int { offset + count }
  }

  /// What a thread takes upon itself; pieces are counted from 0.
  enum Claim: Sendable {
    case piece(index: Int, Range<Int>)
    /// All pieces are taken: what is left is to see how the stream ends, behind so many of them.
    case end(index: Int)
  }

  private struct Pieces: Sendable {
    var held: [Piece] = []
    /// Memory of pieces that are done with.
    var spare: [[UInt8]] = []
    var end: Int
    /// The lines up to there.
    var lines: LineCounter
    /// How many were read, and how many of these somebody has taken.
    var count = 1
    var claimed = 0
    var endIsClaimed = false
  }

  private enum Ending: Sendable {
    case open
    case ended
    case failed(ReadError)
  }

  private let source: ByteSource
  private let pieceSize: Int
  /// Who may end the pass while the stream gives nothing.
  private let monitor: ScanMonitor?
  /// Whether nobody needs more of the stream.
  private let isGivenUp = Atomic(false)
  private let pieces: Mutex<Pieces>
  /// Whose turn it is to read from the stream. A mutex alone would make those who wait spin, and take the processor from who writes.
  private let turn = DispatchSemaphore(value: 1)
  /// How reading from it has ended; held by who reads.
  private let ending = Mutex(Ending.open)

  /// - Parameters:
  ///   - source: the stream.
  ///   - beginning: bytes that were read of it already.
  ///   - origin: the offset in the stream of the first of these.
  ///   - lines: the lines before.
  ///   - pieceSize: bytes that are read at a time.
  ///   - monitor: who may end the pass while the stream gives nothing.
  init(
    _ source: ByteSource, beginning: [UInt8], origin: Int, lines: LineCounter, pieceSize: Int, monitor: ScanMonitor?
  ) {
    self.source = source
    self.monitor = monitor
    self.pieceSize = max(1, pieceSize)
    var after = lines
    after.feed(beginning.span)
    var pieces = Pieces(end: origin + beginning.count, lines: after)
    pieces.held.append(Piece(offset: origin, bytes: beginning, count: beginning.count, lines: lines))
    self.pieces = Mutex(pieces)
  }

  /// Reads bytes from a place on.
  ///
  /// - Parameter offset: a place that was not released.
  /// - Returns: the number of bytes, 0 at the end.
  func read(into storage: inout [UInt8], at index: Int, count: Int, offset: Int) throws(ReadError) -> Int {
    while true {
      if let piece = piece(at: offset) {
        let start = offset - piece.offset
        let got = min(count, piece.count - start)
        SystemCall.copyBytes(from: piece.bytes.span, at: start, to: &storage, at: index, count: got)
        return got
      }
      if try !advance(to: offset) { return 0 }
      if pieces.withLock({ offset < $0.held.first?.offset ?? $0.end }) {
        throw ReadError(
          inputName: source.name, problem: .unsupported("cannot be read again from where it is done with"))
      }
    }
  }

  /// Whether the stream goes on up to a place, which is waited for. What the stream fails by is left to who reads there.
  func hasByte(at offset: Int) -> Bool {
    while pieces.withLock({ $0.end <= offset }) {
      guard (try? advance(to: offset)) == true else { return false }
    }
    return true
  }

  /// The piece that has the byte at a place; nil where it was not read yet.
  func piece(at offset: Int) -> Piece? {
    pieces.withLock { pieces in
      guard offset < pieces.end else { return nil }
      return pieces.held.last { $0.offset <= offset }
    }
  }

  /// Takes the next piece that nobody has, which is read if need be, or after the last of them, once, the end.
  func claim() -> Claim? {
    while true {
      let (found, end) = pieces.withLock { pieces -> (Claim?, Int) in
        // Those that nobody has are the last ones, and none of them was let go of.
        guard let piece = pieces.held.suffix(pieces.count - pieces.claimed).first else { return (nil, pieces.end) }
        defer { pieces.claimed += 1 }
        return (.piece(index: pieces.claimed, piece.offset..<piece.end), pieces.end)
      }
      if let found { return found }
      // What the stream fails by is left to who looks at its end.
      if (try? advance(to: end)) != true { break }
    }
    return pieces.withLock { pieces in
      if pieces.endIsClaimed { return nil }
      pieces.endIsClaimed = true
      return .end(index: pieces.count)
    }
  }

  /// Reads the next piece; false at the end.
  private func advance(to offset: Int) throws(ReadError) -> Bool {
    // Another may have read what is wanted and have the turn again, waiting for what comes after it.
    while turn.wait(timeout: .now() + .milliseconds(Int(StreamLimits.lookMilliseconds))) == .timedOut {
      if pieces.withLock({ $0.end > offset }) { return true }
    }
    var hasRead = false
    defer {
      turn.signal()
      // Who writes was woken by the room that a read made, and would have to wait until this thread has looked at all of its piece.
      if hasRead { SystemCall.yield() }
    }
    return try ending.withLock { ending throws(ReadError) -> Bool in
      // Somebody else may have read it meanwhile, and the end of the stream with it.
      let end = pieces.withLock { $0.end }
      if end > offset { return true }
      switch ending {
      case .ended: return false
      case .failed(let error): throw error
      case .open: break
      }
      var bytes = pieces.withLock { $0.spare.popLast() } ?? []
      if bytes.isEmpty { bytes = [UInt8](repeating: 0, count: pieceSize) }
      var count = 0
      do throws(ReadError) {
        // Whole pieces are the best work, but what is wrong with the little that a slow writer has sent is not to wait for the rest.
        var patience: DispatchTime?
        while count < bytes.count {
          if count > 0 {
            let now = DispatchTime.now()
            let until = patience ?? now + .milliseconds(Int(StreamLimits.lookMilliseconds))
            patience = until
            if now > until || !source.isReadable(within: StreamLimits.lookMilliseconds) { break }
          } else if !source.waitUntilReadable(at: end, unless: isOver) {
            throw ReadError(inputName: source.name, problem: .cancelled)
          }
          let got = try source.read(into: &bytes, at: count, count: bytes.count - count, offset: end + count)
          hasRead = true
          if got == 0 {
            ending = .ended
            break
          }
          count += got
        }
      } catch {
        ending = .failed(error)
      }
      if count > 0 {
        let before = pieces.withLock { $0.lines }
        var after = before
        after.feed(bytes.span.extracting(0..<count))
        // A small one does not keep the memory of a large one.
        let isLarge = count > bytes.count / 2
        let kept = isLarge ? bytes : Array(bytes[..<count])
        pieces.withLock { pieces in
          pieces.held.append(Piece(offset: end, bytes: kept, count: count, lines: before))
          pieces.count += 1
          pieces.end += count
          pieces.lines = after
          if !isLarge { pieces.spare.append(bytes) }
        }
        return true
      }
      if case .failed(let error) = ending { throw error }
      return false
    }
  }

  /// Nobody needs more of the stream, and whoever waits for it goes away.
  func giveUp() { isGivenUp.store(true, ordering: .relaxed) }

  private func isOver() -> Bool { isGivenUp.load(ordering: .relaxed) || monitor?.isCancelled == true }

  /// Lets go of what comes before a place.
  func release(before offset: Int) {
    pieces.withLock { pieces in
      let done = pieces.held.prefix { $0.end <= offset }
      for piece in done where piece.bytes.count == pieceSize { pieces.spare.append(piece.bytes) }
      pieces.held.removeFirst(done.count)
    }
  }

  /// Line and column of a place that was not released.
  func place(ofOffset offset: Int) -> (lineNumber: Int, column: Int)? {
    if let piece = piece(at: offset) {
      var counter = piece.lines
      counter.feed(piece.bytes.span.extracting(0..<(offset - piece.offset)))
      return (counter.lineNumber, counter.column)
    }
    return pieces.withLock { $0.end == offset ? ($0.lines.lineNumber, $0.lines.column) : nil }
  }
}
