// A stream that several threads read in at the same time: what was read of it and is not done with yet stays in memory, in pieces,
// and every thread reads at its own place. Whoever needs more than there is reads the next piece. Nothing is kept of what is
// done with but the number of its lines.

import Synchronization

/// The part of a stream that a pass is busy with.
final class StreamWindow: Sendable {
  private struct Piece: Sendable {
    /// Where it begins, in bytes from the beginning of the stream.
    var offset: Int
    var bytes: [UInt8]
    /// How many of the bytes count.
    var count: Int
  }

  private struct Pieces: Sendable {
    var held: [Piece] = []
    /// Memory of pieces that are done with.
    var spare: [[UInt8]] = []
    var end: Int
  }

  /// How far the stream is done with, and the lines up to there.
  private struct Base: Sendable {
    var offset: Int
    var lines: LineCounter
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
  private let base: Mutex<Base>
  /// Held by who reads from the stream.
  private let ending: Mutex<Ending>

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
    base = Mutex(Base(offset: origin, lines: lines))
    ending = Mutex(.open)
    var pieces = Pieces(end: origin + beginning.count)
    pieces.held.append(Piece(offset: origin, bytes: beginning, count: beginning.count))
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

  private func piece(at offset: Int) -> Piece? {
    pieces.withLock { pieces in
      guard offset < pieces.end else { return nil }
      return pieces.held.last { $0.offset <= offset }
    }
  }

  /// Reads the next piece; false at the end.
  private func advance(to offset: Int) throws(ReadError) -> Bool {
    try ending.withLock { ending throws(ReadError) -> Bool in
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
        // What is there is handed on; more is waited for only where there is nothing.
        while count < bytes.count && (count == 0 || source.isReadable(within: 0)) {
          guard source.waitUntilReadable(at: end + count, unless: isOver) else {
            throw ReadError(inputName: source.name, problem: .cancelled)
          }
          let got = try source.read(into: &bytes, at: count, count: bytes.count - count, offset: end + count)
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
        let isFull = count == bytes.count
        let piece = Piece(offset: end, bytes: isFull ? bytes : Array(bytes[..<count]), count: count)
        pieces.withLock { pieces in
          pieces.held.append(piece)
          pieces.end += count
          if !isFull { pieces.spare.append(bytes) }
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
    base.withLock { base in
      let done = pieces.withLock { pieces in
        let count = pieces.held.prefix { $0.offset + $0.count <= offset }.count
        let done = Array(pieces.held.prefix(count))
        pieces.held.removeFirst(count)
        return done
      }
      for piece in done {
        base.lines.feed(piece.bytes.span.extracting((base.offset - piece.offset)..<piece.count))
        base.offset = piece.offset + piece.count
      }
      let spare = done.map(\.bytes).filter { $0.count == pieceSize }
      pieces.withLock { $0.spare.append(contentsOf: spare) }
    }
  }

  /// Line and column of a place that was not released.
  func place(ofOffset offset: Int) -> (lineNumber: Int, column: Int) {
    base.withLock { base in
      var counter = base.lines
      var position = base.offset
      while position < offset, let piece = piece(at: position) {
        let end = min(piece.count, offset - piece.offset)
        counter.feed(piece.bytes.span.extracting((position - piece.offset)..<end))
        position = piece.offset + end
      }
      return (counter.lineNumber, counter.column)
    }
  }
}
