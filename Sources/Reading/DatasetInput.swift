// One input of a dataset, opened: its format, its header or layout, and where its records begin. What was read to find
// that out stays in the buffer, so that a pipe is read from where it is.

/// What the person says about the inputs.
package struct ReadingOptions: Sendable {
  /// `--from`; nil: found out.
  package var format: InputFormat?
  /// `--delimiter`.
  package var delimiter: UInt8?
  /// False with `--no-header-row`.
  package var hasHeaderRow = true
  /// `--encoding`; nil: UTF-8, or what a byte order mark says.
  package var encoding: String?
  /// `--records`: the names that lead to the array of records, empty for the object itself; nil: it is looked for.
  package var recordsPath: [String]?
  /// `--on-error skip`: whether damaged records of JSON are left out.
  package var skipsDamage = false
  /// With `--resume`: whether an object that does not close at the very end is left for another run, whatever is in it.
  package var leavesUnclosedEnd = false
  /// The most bytes of a record.
  package var recordLimit = ReadingLimits.recordSize
  /// Bytes of the first read: fewer where only the beginning is wanted, because the rows are elsewhere.
  package var firstReadSize = ReadingLimits.firstChunkSize

  package init() {}
}

/// An opened input.
package struct DatasetInput: Sendable {
  package enum Content: Sendable {
    /// No byte, or white space alone.
    case empty
    case csv(Dialect, CSVHeader)
    case json(JSONLayout)
  }

  package let location: InputLocation
  package let format: InputFormat
  package let content: Content
  /// The buffer, standing where the records begin.
  package private(set) var buffer: ChunkBuffer
  /// Whether damaged records are left out.
  package let skipsDamage: Bool
  /// What the person should know of how it is read.
  package let notes: [String]

  package var name: String { location.name }
  package var source: ByteSource { buffer.source }

  /// Opens an input and finds out what it is.
  ///
  /// - Throws: `ReadError` where it cannot be opened or read, its beginning is damaged, or it is of a kind that is not
  ///   read.
  package init(opening location: InputLocation, options: ReadingOptions) throws(ReadError) {
    try self.init(reading: try ByteSource.open(location), at: location, options: options)
  }

  init(reading source: ByteSource, at location: InputLocation, options: ReadingOptions) throws(ReadError) {
    self.location = location
    skipsDamage = options.skipsDamage
    var buffer = ChunkBuffer(
      source: source, firstReadSize: options.firstReadSize, recordLimit: options.recordLimit)
    try Self.unwrap(&buffer, encoding: options.encoding)
    let path: [UInt8] = if case .file(let path) = location { path } else { [] }

    guard let firstIndex = try Self.firstContent(&buffer) else {
      format = options.format ?? .csv
      content = .empty
      self.buffer = buffer
      notes = []
      return
    }
    while buffer.window.count < firstIndex + ReadingLimits.sniffSize && !buffer.isFinal
      && options.format == nil && Self.wantsMore(buffer, firstIndex: firstIndex, path: path)
    {
      try buffer.fill()
    }
    let format =
      options.format
      ?? buffer.withWindow { FormatDetector.format(name: path, bytes: $0, firstIndex: firstIndex) }
    self.format = format
    switch format {
    case .csv, .tsv:
      (content, notes) = (try Self.openCSV(&buffer, format: format, options: options), [])
    case .json, .jsonl:
      (content, notes) = try Self.openJSON(
        &buffer, prefersLines: format == .jsonl, recordsPath: options.recordsPath,
        leavesUnclosedEnd: options.leavesUnclosedEnd)
    }
    self.buffer = buffer
  }

  /// Only a file that looks like JSON under a text's name needs more bytes than the first: a pipe that is slow to go on
  /// is not waited for without need.
  private static func wantsMore(_ buffer: ChunkBuffer, firstIndex: Int, path: [UInt8]) -> Bool {
    let first = buffer.withWindow { $0[firstIndex] }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == 0x1E else { return false }
    return ["csv", "tsv", "tab", "txt"].contains(FormatDetector.ending(of: path))
  }

  /// Puts the stages over the buffer that its first bytes ask for, and drops a byte order mark.
  ///
  /// What a stage makes goes through the same detection. A byte order mark says more than `--encoding`, which is for all
  /// inputs of a dataset.
  private static func unwrap(_ buffer: inout ChunkBuffer, encoding: String?) throws(ReadError) {
    let name = buffer.source.name
    var encoding = encoding
    var isUnpacked = false
    var isTranscoded = false
    while true {
      let isFinal = buffer.isFinal
      guard let signature = buffer.withWindow({ FormatDetector.signature(of: $0, isFinal: isFinal) }) else {
        try buffer.fill()
        continue
      }
      switch signature {
      case .compressed(let decompressor):
        if isUnpacked || isTranscoded {
          throw ReadError(
            inputName: name,
            problem: .unsupported("is compressed twice, with \(decompressor.program) inside; decompress it first"))
        }
        buffer = buffer.staged(try Decompression(buffer.tail(), by: decompressor))
        isUnpacked = true
        continue
      case .utf8ByteOrderMark:
        buffer.discard(3)
        return
      case .byteOrderMark(let found, let count):
        if isTranscoded { return }
        buffer.discard(count)
        encoding = found
      case .utf16WithoutMark(let likely):
        if isTranscoded { return }
        if encoding == nil {
          throw ReadError(
            inputName: name,
            problem: .unsupported(
              "looks like UTF-16 without a byte order mark, and UTF-8 was expected; try --encoding \(likely)"))
        }
      case .none: break
      }
      guard !isTranscoded, let encoding, !Transcoding.isUTF8(encoding) else { return }
      buffer = buffer.staged(try Transcoding(buffer.tail(), from: encoding))
      isTranscoded = true
    }
  }

  /// The first byte that is no white space; nil where there is none. Lines without a byte are dropped on the way.
  private static func firstContent(_ buffer: inout ChunkBuffer) throws(ReadError) -> Int? {
    while true {
      let found = buffer.withWindow { window -> (first: Int?, ends: Int) in
        var ends = 0
        var onlyEnds = true
        for position in 0..<window.count {
          switch window[position] {
          case 0x0A, 0x0D: if onlyEnds { ends = position + 1 }
          case 0x20, 0x09: onlyEnds = false
          default: return (position, ends)
          }
        }
        return (nil, ends)
      }
      if let first = found.first { return first }
      if buffer.isFinal { return nil }
      if found.ends == buffer.window.count { buffer.discard(found.ends) }
      try buffer.fill()
    }
  }

  /// The first records, without going on from where the buffer stands.
  ///
  /// - Parameters:
  ///   - count: how many records at most.
  ///   - size: how many bytes are read for them at most, besides those that are there.
  ///   - waits: whether a stream is waited for once a record of it is there.
  /// - Returns: their ranges in the buffer's window, as far as they are sound.
  package mutating func sample(
    records count: Int, bytes size: Int, waits: Bool = true
  ) throws(ReadError) -> [RecordRange] {
    let selection = FieldSelection([], of: self)
    while true {
      guard var scanner = selection.makeScanner() else { return [] }
      var batch = RecordBatch(fieldsPerRecord: 0, recordLimit: max(16, count))
      let isFinal = buffer.isFinal
      let result = buffer.withWindow { scanner.scan($0, from: 0, limit: size, isFinal: isFinal, into: &batch) }
      if result.stop != .windowEnd || isFinal || buffer.window.count >= size || batch.records.count >= count {
        return Array(batch.records.prefix(count))
      }
      if !waits && !source.isSeekable && !batch.records.isEmpty { return batch.records }
      // As many bytes as the records so far let expect, so that a file is read, and scanned again, once.
      let found = batch.records.count
      let most = size + ReadingLimits.chunkSize
      let likely = found == 0 ? 0 : min(most, (buffer.window.count / found + 1) * (count + count / 16))
      repeat {
        // An error is met again, and has its turn, after the records before it.
        guard (try? buffer.fill(expecting: likely - buffer.window.count)) != nil else {
          return Array(batch.records.prefix(count))
        }
      } while source.isSeekable && !buffer.isFinal && buffer.window.count < likely
    }
  }

  private static func openCSV(
    _ buffer: inout ChunkBuffer, format: InputFormat, options: ReadingOptions
  ) throws(ReadError) -> Content {
    while true {
      let given = options.delimiter ?? (format == .tsv ? UInt8(ascii: "\t") : nil)
      let isFinal = buffer.isFinal
      let result = buffer.withWindow { window -> (Dialect, CSVHeaderResult)? in
        let found = given.map { Dialect(delimiter: $0) } ?? Dialect.detect(header: window, isFinal: isFinal)
        guard var dialect = found else { return nil }
        dialect.hasHeaderRow = options.hasHeaderRow
        return (dialect, CSVHeader.read(window, isFinal: isFinal, dialect: dialect))
      }
      guard let result else {
        try buffer.fill()
        continue
      }
      switch result.1 {
      case .needsMoreBytes: try buffer.fill()
      case .noRecords: return .empty
      case .header(let header, let consumed):
        buffer.discard(consumed)
        return .csv(result.0, header)
      case .damage(let damage):
        throw ReadError(
          inputName: buffer.source.name, problem: .damage(damage.reason), place: buffer.place(at: damage.offset))
      }
    }
  }

  private static func openJSON(
    _ buffer: inout ChunkBuffer, prefersLines: Bool, recordsPath: [String]?, leavesUnclosedEnd: Bool
  ) throws(ReadError) -> (Content, [String]) {
    func detect(isFinal: Bool) -> JSONLayoutDetection {
      buffer.withWindow {
        JSONLayoutDetector.detect($0, isFinal: isFinal, prefersLines: prefersLines, recordsPath: recordsPath)
      }
    }
    while true {
      let result = detect(isFinal: buffer.isFinal)
      switch result {
      case .needsMoreBytes: try buffer.fill()
      case .found(let layout, let note): return (.json(layout), note.map { [$0] } ?? [])
      case .missing(let arrays):
        throw ReadError(
          inputName: buffer.source.name,
          problem: .noRecords(path: (recordsPath ?? []).joined(separator: "."), arrays: arrays))
      case .damage(let damage):
        // The array that was asked for may still be written.
        if leavesUnclosedEnd && detect(isFinal: false) == .needsMoreBytes { return (.json(.values), []) }
        throw ReadError(
          inputName: buffer.source.name, problem: .damage(damage.reason),
          place: buffer.place(at: damage.offset, recordNumber: 1))
      }
    }
  }
}

extension DatasetInput {
  /// The bytes of a range of a regular file, as far as it has them; they need no read where they are in the buffer.
  package func bytes(in range: Range<Int>) throws(ReadError) -> [UInt8] {
    let start = range.lowerBound - buffer.offset
    guard start >= 0, start + range.count <= buffer.window.count else { return try source.bytes(in: range) }
    let first = buffer.window.lowerBound + start
    return Array(buffer.storage[first..<(first + range.count)])
  }

  /// Lets what is read of a stream be read again, by buffers that begin where this one stands, while the stream goes on.
  package mutating func makeReplayable() throws(ReadError) {
    guard !source.isReplayable else { return }
    buffer = try buffer.replayable()
  }

  /// The same input for one pass over it by several threads; who has a stream from before has its rest no more.
  ///
  /// - Parameters:
  ///   - pieceSize: bytes that are read of it at a time.
  ///   - monitor: who may end the pass.
  func sharedInPass(pieceSize: Int, monitor: ScanMonitor?) -> DatasetInput {
    var shared = self
    shared.buffer = buffer.sharedInPass(pieceSize: pieceSize, monitor: monitor)
    return shared
  }

  /// Makes sure that records can be read again: what a stream still has goes to a file without a name in the folder for
  /// temporary files. A file stays as it is.
  package mutating func makeSeekable() throws(ReadError) {
    guard !source.isSeekable else { return }
    buffer = try buffer.spooled()
  }
}
