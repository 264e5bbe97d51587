// A window over an input: bytes are read behind it and discarded before it, and what a scanner has not finished with
// stays in between. One array, reused; a record that does not fit makes it grow.

package struct ChunkBuffer: Sendable {
  package private(set) var source: ByteSource
  package private(set) var storage: [UInt8]
  /// The bytes of the window, as positions of `storage`.
  package private(set) var window: Range<Int>
  /// Where the window begins, in bytes from the beginning of the input.
  package private(set) var offset: Int
  /// Whether the input ends with the window.
  package private(set) var isFinal = false
  /// Bytes read so far.
  package private(set) var bytesRead = 0
  /// The most bytes of a record. A window may hold more of them, and always what finding out the format may need.
  let recordLimit: Int
  private let windowLimit: Int
  private var readSize: Int
  /// Whether `storage` is a piece of a stream that others look at too, and its own memory meanwhile.
  private var isPiece = false
  private var ownStorage: [UInt8] = []
  /// Who may give up waiting for a stream.
  var monitor: ScanMonitor?
  /// Lines before the window, kept for streams, which cannot be read again to count them.
  private var lines = LineCounter()

  /// - Parameters:
  ///   - offset: where to begin, in bytes from the beginning of the input; 0 for a stream.
  ///   - firstReadSize: bytes of the first read; later ones grow to `ReadingLimits.chunkSize`.
  ///   - recordLimit: the most bytes of a record.
  package init(
    source: ByteSource, offset: Int = 0, firstReadSize: Int = ReadingLimits.firstChunkSize,
    recordLimit: Int = ReadingLimits.recordSize
  ) {
    self.source = source
    self.offset = offset
    self.recordLimit = recordLimit
    windowLimit = max(recordLimit, ReadingLimits.leastWindowLimit)
    readSize = max(1, firstReadSize)
    storage = []
    window = 0..<0
  }

  /// A buffer over the same file that begins at a place of it.
  ///
  /// - Parameter firstReadSize: bytes of the first read.
  package func restarted(at offset: Int, firstReadSize: Int = ReadingLimits.firstChunkSize) -> ChunkBuffer {
    ChunkBuffer(source: source, offset: offset, firstReadSize: firstReadSize, recordLimit: recordLimit)
  }

  /// Calls `body` with the bytes of the window.
  package func withWindow<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
    try body(storage.span.extracting(window))
  }

  /// Drops bytes from the window's beginning.
  package mutating func discard(_ count: Int) {
    let count = max(0, min(count, window.count))
    if !source.isSeekable && source.passWindow == nil {
      var counter = lines
      counter.feed(storage.span.extracting(window.lowerBound..<(window.lowerBound + count)))
      lines = counter
    }
    window = (window.lowerBound + count)..<window.upperBound
    offset += count
  }

  /// Reads more bytes behind the window: a chunk, or from a stream what is there, after waiting for the first byte.
  ///
  /// - Parameter expected: bytes that are sure to be wanted, which are asked for at once where they are more.
  /// - Throws: `ReadError` where reading fails, a file has become shorter, or the window may grow no more.
  package mutating func fill(expecting expected: Int = 0) throws(ReadError) {
    guard !isFinal else { return }
    if let shared = source.passWindow {
      if window.isEmpty { _ = shared.hasByte(at: offset) }
      if adoptPiece(of: shared) { return }
      takeOwnStorage()
    }
    let readSize = max(self.readSize, expected)
    if window.upperBound + readSize > storage.count {
      if window.count + readSize <= storage.count {
        SystemCall.moveBytes(in: &storage, from: window.lowerBound, to: 0, count: window.count)
      } else {
        guard window.count < windowLimit else {
          throw ReadError(
            inputName: source.name, problem: .recordTooLarge(limit: recordLimit), place: place(at: 0))
        }
        // Twice the size each time, so that a large record is moved and scanned again only a few times.
        grow(to: max(window.count + readSize, min(storage.count * 2, windowLimit + readSize)))
      }
      window = 0..<window.count
    }
    let room = storage.count - window.upperBound
    // A window that had to grow is filled: otherwise a large record would be scanned again for every chunk of it.
    let count = min(room, max(readSize, window.count))
    if let monitor, !source.waitUntilReadable(at: offset + window.count, for: monitor) {
      throw ReadError(inputName: source.name, problem: .cancelled)
    }
    var got = 0
    do throws(ReadError) {
      repeat {
        let more = try source.read(
          into: &storage, at: window.upperBound + got, count: count - got, offset: offset + window.count + got)
        got += more
        if more == 0 { break }
        // The same, where a pipe gives little at a time: it is waited for about as long as looking at the window again takes.
      } while got < min(count, window.count) && source.hasMore(within: Int32(window.count >> 20))
    } catch  where got == 0 {
      throw placed(error)
    } catch {
      // It is met again behind what was read.
    }
    bytesRead += got
    if got == 0 {
      // Before the end is noted: who reads on meets this again, and never takes it for the end.
      if let size = source.size, offset + window.count < size {
        throw ReadError(inputName: source.name, problem: .shrunk, place: source.endPlace())
      }
      isFinal = true
    }
    window = window.lowerBound..<(window.upperBound + got)
    // The end of a file is known by its size, which saves a read that brings nothing; one that somebody writes to has its end
    // where it is when that is reached.
    let end = offset + window.count
    if got > 0, let size = source.size, end >= size {
      isFinal = !source.isGrown(beyond: end)
      source.noteReached(end)
    }
    self.readSize = max(self.readSize, min(self.readSize * 2, ReadingLimits.chunkSize))
  }

  /// Puts the window at the beginning of a larger array. Memory that is touched for the first time is what costs, so none
  /// is touched but that of the new array.
  private mutating func grow(to size: Int) {
    let (before, window) = (storage, window)
    storage = unsafe [UInt8](unsafeUninitializedCapacity: size) { target, count in
      let filled = unsafe target.extracting(..<window.count).initialize(fromContentsOf: before[window])
      unsafe target.extracting(filled...).initialize(repeating: 0)
      count = target.count
    }
  }

  /// Makes a piece of a stream the window, without copying it, where it has more than the window has now.
  ///
  /// - Returns: whether there is one.
  private mutating func adoptPiece(of shared: StreamWindow) -> Bool {
    guard let piece = shared.piece(at: offset), piece.end > offset + window.count else { return false }
    bytesRead += piece.end - (offset + window.count)
    if !isPiece { swap(&storage, &ownStorage) }
    isPiece = true
    storage = piece.bytes
    window = (offset - piece.offset)..<piece.count
    return true
  }

  /// Puts what is left of a piece into memory of its own, to have what follows behind it: mostly a piece of a record, after which the
  /// next piece is the window.
  private mutating func takeOwnStorage() {
    guard isPiece else { return }
    isPiece = false
    readSize = ReadingLimits.seamSize
    var own: [UInt8] = []
    swap(&own, &ownStorage)
    if own.count < window.count + readSize { own = [UInt8](repeating: 0, count: window.count + readSize) }
    SystemCall.copyBytes(from: storage.span, at: window.lowerBound, to: &own, at: 0, count: window.count)
    storage = own
    window = 0..<window.count
  }

  /// An error of a stage, with its place in the text that came before it. A byte offset that the stage gives is one of
  /// the file and stays.
  private func placed(_ error: ReadError) -> ReadError {
    guard case .damage = error.problem else { return error }
    var error = error
    var end = place(at: window.count)
    if let offset = error.place?.offset { end.offset = offset }
    error.place = end
    return error
  }

  /// The window and everything behind it, for a stage that reads on from here.
  func tail() -> ByteTail {
    ByteTail(source: source, pending: Array(storage[window]), offset: offset, isFinal: isFinal)
  }

  /// A buffer over what a stage makes of the window and everything behind it.
  func staged(_ stage: any ByteStream) -> ChunkBuffer {
    ChunkBuffer(
      source: ByteSource(stage: stage, name: source.name), firstReadSize: ReadingLimits.firstChunkSize,
      recordLimit: recordLimit)
  }

  /// The place of a byte of the window, for a message.
  package func place(at index: Int, recordNumber: Int? = nil) -> Place {
    let position = offset + index
    if let found = source.place(ofOffset: position) {
      return Place(
        recordNumber: recordNumber, lineNumber: found.lineNumber, column: found.column, offset: position)
    }
    var counter = lines
    counter.feed(storage.span.extracting(window.lowerBound..<min(window.upperBound, window.lowerBound + max(0, index))))
    return Place(
      recordNumber: recordNumber, lineNumber: counter.lineNumber, column: counter.column, offset: position)
  }

  /// The same buffer over a stream that is kept from here on, so that buffers which begin here can read it again.
  consuming func replayable() throws(ReadError) -> ChunkBuffer {
    let spool = try StreamSpool(source, beginning: storage.span.extracting(window), origin: offset, isEnded: isFinal)
    source = ByteSource(replaying: spool, name: source.name, linesBefore: lines)
    return self
  }

  /// The same buffer over a stream that several threads read in from here on.
  consuming func sharedInPass(pieceSize: Int, monitor: ScanMonitor?) -> ChunkBuffer {
    let shared = StreamWindow(
      source, beginning: Array(storage[window]), origin: offset, lines: lines, pieceSize: pieceSize, monitor: monitor)
    source = ByteSource(passWindow: shared, name: source.name)
    return self
  }

  /// A buffer over a file that holds the window and everything behind it, at the same offsets.
  consuming func spooled() throws(ReadError) -> ChunkBuffer {
    let name = source.name
    let origin = offset
    let linesBefore = lines
    func failure(_ error: Errno) -> ReadError {
      ReadError(inputName: name, problem: .system("cannot keep it in a temporary file", error.code))
    }
    let descriptor: Int32
    switch SystemCall.openUnlinkedFile() {
    case .success(let opened): descriptor = opened
    case .failure(let error): throw failure(error)
    }
    var size = 0
    do throws(ReadError) {
      while true {
        if let error = SystemCall.writeAll(descriptor, storage.span.extracting(window)) { throw failure(error) }
        size += window.count
        if isFinal { break }
        discard(window.count)
        try fill()
      }
    } catch {
      SystemCall.close(descriptor)
      throw error
    }
    let file = ByteSource(spool: descriptor, name: name, origin: origin, size: origin + size, linesBefore: linesBefore)
    return ChunkBuffer(source: file, offset: origin, recordLimit: recordLimit)
  }
}
