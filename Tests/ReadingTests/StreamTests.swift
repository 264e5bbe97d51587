// The stages between a descriptor and the scanners: what goes through them comes out as the plain file would.

import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Reading

/// Counts nothing.
private struct Nothing: RecordAccumulator {
  mutating func finishRange() {}
  func makeSuccessor() -> Nothing { Nothing() }
  mutating func add(
    _ batch: borrowing RecordBatch, fields: Span<Field>, buffer: borrowing ChunkBuffer, scratch: inout Void
  ) {}
  mutating func append(_ later: Nothing) {}
}

/// The records of an input as text, and the message it ended with.
func readAll(_ path: String, _ options: ReadingOptions = ReadingOptions()) -> (records: [String], error: ReadError?) {
  var records: [String] = []
  do throws(ReadError) {
    let input = try DatasetInput(opening: .file(Array(path.utf8)), options: options)
    guard let scanner = FieldSelection([], of: input).makeScanner() else { return ([], nil) }
    var stream = RecordStream(buffer: input.buffer, scanner: scanner)
    var batch = RecordBatch(fieldsPerRecord: 0)
    while try stream.next(&batch) {
      stream.buffer.withWindow { window in
        for record in batch.records {
          records.append(String(decoding: record.range.map { window[$0] }, as: UTF8.self))
        }
      }
    }
  } catch {
    return (records, error)
  }
  return (records, nil)
}

/// The records of a file with these bytes.
func readAll(
  bytes: [UInt8], ending: String = "", _ options: ReadingOptions = ReadingOptions()
) -> (records: [String], error: ReadError?) {
  guard let file = try? TemporaryFile(bytes, ending: ending) else { return ([], nil) }
  return withExtendedLifetime(file) { readAll(file.path, options) }
}

/// Lines of CSV with a header, many enough for several chunks.
private let manyLines: [UInt8] = {
  var text = "id,name\n"
  for number in 0..<9_000 { text += "\(number),name \(number &* 2_654_435_761 % 1_000_003) é漢😀\n" }
  return Array(text.utf8)
}()

struct DecompressionTests {
  static let programs: [(Decompressor, compress: [String])] = [
    (.gzip, ["-c"]), (.zstd, ["-cq"]), (.xz, ["-c0"]), (.bzip2, ["-c"]), (.lz4, ["-cq"]),
  ]

  @Test(arguments: programs.indices)
  func `compressed files are read as plain ones, whatever their name, with all members`(_ index: Int) throws {
    let (decompressor, compress) = Self.programs[index]
    let half = (manyLines.firstIndex(of: 0x0A) ?? 0) + 1
    guard let first = try SystemProgram.run(decompressor.program, compress, on: Array(manyLines[..<half])),
      let second = try SystemProgram.run(decompressor.program, compress, on: Array(manyLines[half...]))
    else {
      print("\(decompressor.program) is not there: not tested")
      return
    }
    let bytes = first + second
    #expect(FormatDetector.signature(of: bytes.span, isFinal: false) == .compressed(decompressor))
    let expected = readAll(bytes: manyLines)
    let found = readAll(bytes: bytes, ending: ".txt")
    #expect(expected.records.count == 9_000)
    #expect(found.records == expected.records)
    #expect(found.error == nil)
  }

  @Test(arguments: programs.indices)
  func `a cut file is an error after the rows before it`(_ index: Int) throws {
    let (decompressor, compress) = Self.programs[index]
    guard let bytes = try SystemProgram.run(decompressor.program, compress, on: manyLines) else { return }
    let found = readAll(bytes: Array(bytes[..<(bytes.count - 5)]))
    #expect(found.error?.message.contains("'\(decompressor.program)' failed") == true)
    #expect(found.records.count <= 9_000)
  }

  @Test func `what was read of a pipe before is fed to the program too`() throws {
    guard let bytes = try SystemProgram.run("gzip", ["-c"], on: manyLines) else { return }
    guard case .success(let ends) = SystemCall.makePipe() else { return }
    let isStarted = WorkerThreads.start {
      // In small pieces, so that the first read gets less than all.
      for start in stride(from: 0, to: bytes.count, by: 1000) {
        _ = SystemCall.writeAll(ends.write, bytes.span.extracting(start..<min(bytes.count, start + 1000)))
      }
      SystemCall.close(ends.write)
    }
    #expect(isStarted)
    let found = readAll("/proc/self/fd/\(ends.read)")
    SystemCall.close(ends.read)
    #expect(found.error == nil)
    #expect(found.records.count == 9_000)
  }

  /// Its thread used to stay in read(2) for as long as the pipe gave nothing.
  @Test func `a pass over a pipe that gives nothing more can be given up`() throws {
    for isKept in [false, true] {
      guard case .success(let ends) = SystemCall.makePipe() else { return }
      let beginning = Array("id\n1\n2\n".utf8)
      #expect(SystemCall.writeAll(ends.write, beginning.span) == nil)
      var input = try DatasetInput(
        opening: .file(Array("/proc/self/fd/\(ends.read)".utf8)), options: ReadingOptions())
      if isKept { try input.makeReplayable() }
      let scanned = input
      let monitor = ScanMonitor()
      let outcome = Mutex<ReadError.Problem?>(nil)
      let ended = DispatchSemaphore(value: 0)
      let isStarted = WorkerThreads.start {
        var nothing = Nothing()
        let scan = RangeScan<Nothing>(
          input: scanned, selection: FieldSelection([], of: scanned), configuration: ScanConfiguration(monitor: monitor)
        )
        do throws(ReadError) {
          _ = try scan.run(into: &nothing)
        } catch {
          outcome.withLock { $0 = error.problem }
        }
        ended.signal()
      }
      #expect(isStarted)
      monitor.cancel()
      #expect(ended.wait(timeout: .now() + 30) == .success)
      #expect(outcome.withLock { $0 } == .cancelled)
      SystemCall.close(ends.read)
      SystemCall.close(ends.write)
    }
  }

  @Test func `a child that is not needed any more is gone with its stage`() throws {
    guard case .success(let ends) = SystemCall.makePipe() else { return }
    guard case .success(let child) = ChildProcess.start("cat", arguments: [], input: ends.read) else {
      Issue.record("cat cannot be started")
      return
    }
    #expect(kill(child.processID, 0) == 0)
    child.stop()
    #expect(kill(child.processID, 0) == -1 && errno == ESRCH)
    #expect(child.wait() == .signal(SIGTERM))
    SystemCall.close(ends.read)
    SystemCall.close(ends.write)
  }

  @Test func `what a child says is quoted by its last line, and too much of it holds nothing up`() throws {
    guard case .success(let ends) = SystemCall.makePipe() else { return }
    SystemCall.close(ends.write)
    let script =
      "i=0; while [ $i -lt 3000 ]; do echo 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' >&2; i=$((i+1)); done; echo 'the end' >&2; exit 7"
    guard case .success(let child) = ChildProcess.start("sh", arguments: ["-c", script], input: ends.read) else {
      return
    }
    #expect(child.wait() == .status(7))
    #expect(child.lastMessage() == Array("the end".utf8))
    SystemCall.close(ends.read)
  }

  @Test func `packed twice is said, not read`() throws {
    guard let once = try SystemProgram.run("gzip", ["-c"], on: manyLines),
      let twice = try SystemProgram.run("gzip", ["-c"], on: once)
    else { return }
    #expect(
      readAll(bytes: twice).error?.message.hasSuffix(
        "compressed twice, with gzip inside; decompress it first") == true)
  }

  @Test func `an empty file in a compressed one has no records`() throws {
    for (decompressor, compress) in Self.programs {
      guard let bytes = try SystemProgram.run(decompressor.program, compress, on: []) else { continue }
      let found = readAll(bytes: bytes)
      #expect(found.records.isEmpty && found.error == nil, "\(decompressor.program)")
    }
  }
}

struct SignatureTests {
  @Test(
    arguments: [
      ([0xEF, 0xBB, 0xBF, 0x61], .utf8ByteOrderMark),
      ([0xFF, 0xFE, 0x61, 0], .byteOrderMark(encoding: "UTF-16LE", count: 2)),
      ([0xFE, 0xFF, 0, 0x61], .byteOrderMark(encoding: "UTF-16BE", count: 2)),
      ([0xFF, 0xFE, 0, 0], .byteOrderMark(encoding: "UTF-32LE", count: 4)),
      ([0, 0, 0xFE, 0xFF], .byteOrderMark(encoding: "UTF-32BE", count: 4)),
      ([0x61, 0, 0x2C, 0], .utf16WithoutMark(encoding: "UTF-16LE")),
      ([0, 0x61, 0, 0x2C], .utf16WithoutMark(encoding: "UTF-16BE")),
      ([0x42, 0x5A, 0x68, 0x6F, 0x75], FormatDetector.Signature.none),
      ([0x61, 0x0A], FormatDetector.Signature.none), ([0x0A, 0x61], FormatDetector.Signature.none),
    ] as [([UInt8], FormatDetector.Signature)])
  func `first bytes say what they begin`(_ bytes: [UInt8], _ signature: FormatDetector.Signature) {
    #expect(FormatDetector.signature(of: bytes.span, isFinal: false) == signature)
  }

  @Test(
    arguments: [[], [0x61], [0xEF, 0xBB], [0xFF, 0xFE], [0x1F], [0x42, 0x5A, 0x68, 0x39], [0x61, 0, 0x62]] as [[UInt8]])
  func `more bytes are asked for only where these may be the beginning of something`(_ bytes: [UInt8]) {
    #expect(FormatDetector.signature(of: bytes.span, isFinal: false) == nil)
    #expect(FormatDetector.signature(of: bytes.span, isFinal: true) != nil)
  }
}

struct StreamFormatTests {
  @Test(arguments: [1, 3, 100])
  func `a stream under a name of other text is judged by as many bytes, however it arrives`(_ step: Int) throws {
    for (text, format) in [
      ("[x],y\n1,2\n", InputFormat.csv), ("{\"a\":1, b\n1,2\n", .csv), ("[1]x,y\n1,2\n", .csv), ("[1]", .json),
      ("{\"a\":\"" + String(repeating: "x", count: 300) + "\" x,y\n", .json),
    ] {
      let source = ByteSource(stage: PiecewiseStream(Array(text.utf8), step: step), name: "x.csv")
      let input = try DatasetInput(reading: source, at: .file(Array("x.csv".utf8)), options: ReadingOptions())
      #expect(input.format == format, "\(text.prefix(20))")
    }
  }
}

struct TranscodingTests {
  @Test(arguments: ["UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"])
  func `a byte order mark says the encoding`(_ encoding: String) throws {
    guard
      let bytes = try SystemProgram.run(
        "iconv", ["-f", "UTF-8", "-t", encoding], on: Array("\u{FEFF}".utf8) + manyLines)
    else { return }
    #expect(readAll(bytes: bytes).records == readAll(bytes: manyLines).records)
  }

  @Test func `compressed text in another encoding is read`() throws {
    let text = Array("\u{FEFF}".utf8) + manyLines
    guard let encoded = try SystemProgram.run("iconv", ["-f", "UTF-8", "-t", "UTF-16LE"], on: text),
      let packed = try SystemProgram.run("gzip", ["-c"], on: encoded)
    else { return }
    let found = readAll(bytes: packed)
    #expect(found.error == nil)
    #expect(found.records.count == 9_000)
  }

  @Test(
    arguments: [
      ("ISO-8859-1", [0x61, 0x0A, 0xE9], "é"), ("windows-1252", [0x61, 0x0A, 0x80], "€"),
      ("SHIFT_JIS", [0x61, 0x0A, 0x8A, 0xBF], "漢"),
      // Stateful: the text goes back to ASCII by an escape at its end.
      ("ISO-2022-JP", [0x61, 0x0A, 0x1B, 0x24, 0x42, 0x34, 0x41, 0x1B, 0x28, 0x42], "漢"),
      ("UTF-16LE", [0x61, 0, 0x0A, 0, 0x62, 0], "b"), ("utf-8", [0x61, 0x0A, 0xC3, 0xA9], "é"),
    ] as [(String, [UInt8], String)])
  func `an encoding by its name`(_ encoding: String, _ bytes: [UInt8], _ record: String) {
    var options = ReadingOptions()
    options.encoding = encoding
    #expect(readAll(bytes: bytes, options).records == [record])
  }

  @Test func `a byte order mark says more than the encoding named for all inputs`() {
    var options = ReadingOptions()
    options.encoding = "ISO-8859-1"
    #expect(readAll(bytes: Array("\u{FEFF}a\né\n".utf8), options).records == ["é"])
    #expect(readAll(bytes: [0xFF, 0xFE, 0x61, 0, 0x0A, 0, 0xE9, 0], options).records == ["é"])
  }

  @Test func `bytes that are no text are damage after the rows before it, with the place in text and file`() {
    // a, line feed, b, line feed, c, and half of a surrogate pair before d.
    let bytes: [UInt8] = [0xFF, 0xFE, 0x61, 0, 0x0A, 0, 0x62, 0, 0x0A, 0, 0x63, 0, 0x3D, 0xD8, 0x64, 0, 0x0A, 0]
    let found = readAll(bytes: bytes)
    #expect(found.records == ["b"])
    #expect(found.error?.place == Place(lineNumber: 3, column: 2, offset: 12))
    #expect(found.error?.problem == .damage("bytes that are no text in UTF-16LE"))
  }

  @Test func `text that ends inside a character is damage`() {
    let found = readAll(bytes: [0xFF, 0xFE, 0x61, 0, 0x0A, 0, 0x62, 0, 0x63])
    #expect(found.error?.place?.offset == 8)
    #expect(found.error?.problem == .damage("the input ends inside a character of UTF-16LE"))
  }

  @Test(arguments: ["", "nosuch", "UTF-8//IGNORE", "../x", "utf\u{0}8"])
  func `names that mean nothing`(_ name: String) {
    #expect(!Transcoding.isKnown(name))
  }

  @Test func `text of any length is cut at no character, however it arrives`() throws {
    guard let bytes = try SystemProgram.run("iconv", ["-f", "UTF-8", "-t", "UTF-16BE"], on: manyLines) else { return }
    for step in [1, 3, 4093, 65_537] {
      let source = PiecewiseStream(Array(bytes[..<min(bytes.count, step * 3000)]), step: step)
      let tail = ByteTail(
        source: ByteSource(stage: source, name: "pieces"), pending: [], offset: 0, isFinal: false)
      let stage = try Transcoding(tail, from: "UTF-16BE")
      var text: [UInt8] = []
      var storage = [UInt8](repeating: 0, count: 64)
      while case let got = try stage.read(into: &storage, at: 7, count: 5), got > 0 { text += storage[7..<(7 + got)] }
      #expect(text.elementsEqual(manyLines[..<text.count]))
    }
  }
}

/// Hands out bytes in pieces of one size.
final class PiecewiseStream: ByteStream {
  static let failure = "breaks"
  private let bytes: [UInt8]
  private let step: Int
  private let position = Position()

  private final class Position: @unchecked Sendable { var value = 0 }

  private let failsAtEnd: Bool

  init(_ bytes: [UInt8], step: Int, failsAtEnd: Bool = false) {
    self.bytes = bytes
    self.step = step
    self.failsAtEnd = failsAtEnd
  }

  func read(into storage: inout [UInt8], at index: Int, count: Int) throws(ReadError) -> Int {
    let got = min(count, step, bytes.count - position.value)
    if got == 0 && failsAtEnd { throw ReadError(inputName: "s", problem: .unsupported(Self.failure)) }
    for place in 0..<got { storage[index + place] = bytes[position.value + place] }
    position.value += got
    return got
  }
}
