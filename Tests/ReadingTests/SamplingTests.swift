// Looking at the first records, for their columns, never swallows what reading would have failed by.

import Glibc
import TestSupport
import Testing

@testable import Reading

struct SamplingTests {
  /// The records of an input after its first ones were looked at, and what it ended with.
  private func readAfterSampling(_ input: DatasetInput) -> (count: Int, error: ReadError?) {
    var input = input
    var count = 0
    do throws(ReadError) {
      _ = try input.sample(records: 1000, bytes: ReadingLimits.sampleSize)
      guard let scanner = FieldSelection([], of: input).makeScanner() else { return (0, nil) }
      var stream = RecordStream(buffer: input.buffer, scanner: scanner)
      var batch = RecordBatch(fieldsPerRecord: 0)
      while try stream.next(&batch) { count += batch.records.count }
    } catch {
      return (count, error)
    }
    return (count, nil)
  }

  private static let lines = (0..<20_000).map { "{\"id\":\($0 &* 2_654_435_761 % 1_000_003),\"x\":\"\($0)\"}\n" }
    .joined()

  @Test func `an archive that is cut`() throws {
    guard let bytes = try SystemProgram.run("gzip", ["-c"], on: Array(Self.lines.utf8)) else { return }
    let file = try TemporaryFile(Array(bytes[..<(bytes.count / 2)]))
    let input = try DatasetInput(opening: .file(Array(file.path.utf8)), options: ReadingOptions())
    let found = readAfterSampling(input)
    #expect(found.count > 100 && found.count < 20_000)
    #expect(found.error?.message.contains("'gzip' failed with status 1") == true)
  }

  @Test func `text that breaks off in its encoding`() throws {
    var bytes: [UInt8] = [0xFF, 0xFE]
    // Long enough that the first chunk does not hold it all, short enough that sampling comes to its end.
    for byte in Self.lines.utf8.prefix(300_000) { bytes += [byte, 0] }
    bytes += [0x00, 0xDC, 0x0A, 0]
    let file = try TemporaryFile(bytes)
    let found = readAfterSampling(
      try DatasetInput(opening: .file(Array(file.path.utf8)), options: ReadingOptions()))
    #expect(found.count > 100)
    #expect(found.error?.problem == .damage("bytes that are no text in UTF-16LE"))
  }

  @Test func `a file that has become shorter`() throws {
    let file = try TemporaryFile(Self.lines)
    let input = try DatasetInput(opening: .file(Array(file.path.utf8)), options: ReadingOptions())
    // More than was read to find out the format, less than what is sampled.
    #expect(unsafe truncate(file.path, 100_000) == 0)
    let found = readAfterSampling(input)
    #expect(found.error?.problem == .shrunk)
    #expect(found.count > 100)
  }

  @Test func `what reading failed by is met again by whoever reads on`() throws {
    let file = try TemporaryFile(Self.lines)
    let source = try ByteSource.open(.file(Array(file.path.utf8)))
    var buffer = ChunkBuffer(source: source)
    try buffer.fill()
    #expect(unsafe truncate(file.path, 100) == 0)
    for _ in 0..<3 {
      let error = #expect(throws: ReadError.self) { try buffer.fill() }
      #expect(error?.problem == .shrunk)
      #expect(!buffer.isFinal)
    }
    var tail = ByteTail(source: source, pending: [], offset: 100, isFinal: false)
    for _ in 0..<3 {
      var storage = [UInt8](repeating: 0, count: 64)
      let error = #expect(throws: ReadError.self) { try tail.read(into: &storage, at: 0, count: 64) }
      #expect(error?.problem == .shrunk)
    }
  }
}
