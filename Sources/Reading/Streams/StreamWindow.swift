// A stream that several threads read in at the same time: what was read of it and is not done with yet stays in memory, in pieces,
// and every thread looks at its own place. Whoever needs more than there is reads the next piece, and counts its lines while it is
// still in the cache. Nothing is kept of what is done with.

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

  private struct Pieces: Sendable {
    var held: [Piece] = []
    /// Memory of pieces that are done with.
    var spare: [[UInt8]] = []
    var end: Int
  }

  private enum Ending: Sendable {
    case open
    case ended
    case failed(ReadError)
  }

  /// What whoever reads from the stream goes on with.
  private struct Reader: Sendable {
    var ending = Ending.open
    /// The lines of what was read.
    var lines: LineCounter
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
  private let reader: Mutex<Reader>

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
    reader = Mutex(Reader(lines: after))
    var pieces = Pieces(end: origin + beginning.count)
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

  /// Reads the next piece; false at the end.
  private func advance(to offset: Int) throws(ReadError) -> Bool {
    turn.wait()
    defer { turn.signal() }
    return try reader.withLock { reader throws(ReadError) -> Bool in
      // Somebody else may have read it meanwhile, and the end of the stream with it.
      let end = pieces.withLock { $0.end }
      if end > offset { return true }
      switch reader.ending {
      case .ended: return false
      case .failed(let error): throw error
      case .open: break
      }
      var bytes = pieces.withLock { $0.spare.popLast() } ?? []
      if bytes.isEmpty { bytes = [UInt8](repeating: 0, count: pieceSize) }
      var count = 0
      do throws(ReadError) {
        // What is there is handed on; more is waited for only where there is nothing.
        while count < bytes.count && (count == 0 || source.isReadable(within: 0)) {
          guard source.waitUntilReadable(at: end + count, unless: isOver) else {
            throw ReadError(inputName: source.name, problem: .cancelled)
          }
          let got = try source.read(into: &bytes, at: count, count: bytes.count - count, offset: end + count)
          if got == 0 {
            reader.ending = .ended
            break
          }
          count += got
        }
      } catch {
        reader.ending = .failed(error)
      }
      if count > 0 {
        // A small one does not keep the memory of a large one.
        let isFull = count > bytes.count / 2
        let piece = Piece(
          offset: end, bytes: isFull ? bytes : Array(bytes[..<count]), count: count, lines: reader.lines)
        var lines = reader.lines
        lines.feed(bytes.span.extracting(0..<count))
        reader.lines = lines
        pieces.withLock { pieces in
          pieces.held.append(piece)
          pieces.end += count
          if !isFull { pieces.spare.append(bytes) }
        }
        return true
      }
      if case .failed(let error) = reader.ending { throw error }
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
    // At the end of the stream there is no byte, but one before.
    guard let piece = piece(at: offset) ?? piece(at: offset - 1) else { return nil }
    var counter = piece.lines
    counter.feed(piece.bytes.span.extracting(0..<(offset - piece.offset)))
    return (counter.lineNumber, counter.column)
  }
}
