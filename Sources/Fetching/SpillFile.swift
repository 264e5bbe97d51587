// A file without a name in the folder for temporary files, to which sorted runs go that memory does not hold. Runs of all
// threads share one file, each in a piece of its own, so that any number of runs needs one descriptor.

import Reading
import Synchronization

/// Takes pieces from any thread; closed when nothing refers to it any more.
final class SpillFile: Sendable {
  static let name = "a temporary file (see TMPDIR)"

  private let descriptor: Int32
  private let end = Atomic<Int>(0)

  init() throws(ReadError) {
    switch SystemCall.openUnlinkedFile() {
    case .success(let opened): descriptor = opened
    case .failure(let error): throw ReadError(inputName: Self.name, problem: .system("cannot make it", error.code))
    }
  }

  deinit { SystemCall.close(descriptor) }

  /// Sets a piece of the file aside.
  ///
  /// - Returns: where it begins.
  func reserve(_ count: Int) -> Int { end.add(count, ordering: .relaxed).oldValue }

  func write(_ bytes: Span<UInt8>, at offset: Int) throws(ReadError) {
    if let error = SystemCall.writeAll(descriptor, bytes, at: offset) {
      throw ReadError(inputName: Self.name, problem: .system("cannot write it", error.code))
    }
  }

  /// Reads up to `count` bytes into an array, from `index` on; fewer only at the end.
  func read(_ count: Int, at offset: Int, into bytes: inout [UInt8], at index: Int) throws(ReadError) {
    var done = 0
    while done < count {
      switch SystemCall.read(descriptor, at: offset + done, into: &bytes, at: index + done, count: count - done) {
      case .failure(let error): throw ReadError(inputName: Self.name, problem: .system("cannot read it", error.code))
      case .success(0): throw ReadError(inputName: Self.name, problem: .shrunk)
      case .success(let got): done += got
      }
    }
  }
}

/// A sorted run in a file: of each row the first eight bytes of its key, then the row as `StoredRow` has it.
struct SpilledRun: Sendable {
  var file: SpillFile
  /// Its bytes in the file.
  var range: Range<Int>
}

/// Writes the rows of one run.
struct SpillWriter: Sendable {
  private let file: SpillFile
  private let start: Int
  private let size: Int
  private var written = 0
  private var buffer: [UInt8] = []
  private let bufferSize: Int

  /// - Parameter size: the bytes of the whole run.
  init(_ file: SpillFile, size: Int, bufferSize: Int) {
    self.file = file
    self.size = size
    self.bufferSize = bufferSize
    start = file.reserve(size)
  }

  /// Adds a row.
  mutating func append(prefix: UInt64, row: Span<UInt8>) throws(ReadError) {
    buffer.append(addingCapacity: 8 &+ row.count) { output in
      StoredRow.append(prefix, to: &output)
      StoredRow.append(row, to: &output)
    }
    if buffer.count >= bufferSize { try flush() }
  }

  private mutating func flush() throws(ReadError) {
    try file.write(buffer.span, at: start + written)
    written += buffer.count
    buffer.removeAll(keepingCapacity: true)
  }

  /// The run, once all its rows are here.
  consuming func finish() throws(ReadError) -> SpilledRun {
    try flush()
    return SpilledRun(file: file, range: start..<(start + min(size, written)))
  }
}
