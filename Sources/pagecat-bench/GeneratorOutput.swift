// Where generated records go: a file that appears under its name only when complete, or standard output.

import Glibc

/// Something the system refused, or a command line that makes no sense: what to say and how to end.
struct BenchError: Error {
  let message: String
  let exitStatus: Int32

  static func usage(_ message: String) -> BenchError {
    BenchError(message: message, exitStatus: 2)
  }

  /// The failure of the last system call.
  static func system(_ what: String) -> BenchError {
    let code = errno
    let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    return BenchError(message: "\(what): \(reason)", exitStatus: 3)
  }
}

/// Generates `recordCount` records into `path`, or to standard output for `-`.
///
/// A file is written beside its place and renamed, so that a run that was stopped leaves no half file to be measured.
func generate(format: GeneratedFormat, recordCount: UInt64, seed: UInt64, to path: String) throws(BenchError) {
  if path == "-" {
    try generate(format: format, recordCount: recordCount, seed: seed, to: STDOUT_FILENO, named: "standard output")
    return
  }
  let partial = path + ".partial"
  let descriptor = unsafe open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
  guard descriptor >= 0 else { throw .system(partial) }
  do throws(BenchError) {
    try generate(format: format, recordCount: recordCount, seed: seed, to: descriptor, named: partial)
    guard close(descriptor) == 0 else { throw .system(partial) }
    guard unsafe rename(partial, path) == 0 else { throw .system(path) }
  } catch {
    unsafe unlink(partial)
    throw error
  }
}

private func generate(
  format: GeneratedFormat, recordCount: UInt64, seed: UInt64, to descriptor: Int32, named name: String
) throws(BenchError) {
  // A write of this size costs little beside the copying, and the process stays small: see Measurement.swift.
  let flushThreshold = 256 << 10
  let generator = Generator(seed: seed)
  var writer = ActivityWriter(format: format, words: generator.words)
  var activity = Activity()
  writer.open()
  for recordIndex in 0..<recordCount {
    generator.fill(&activity, recordIndex: recordIndex)
    writer.write(activity)
    if writer.buffer.count >= flushThreshold {
      try writeAll(writer.buffer.span, to: descriptor, named: name)
      writer.removeAll()
    }
  }
  writer.close()
  try writeAll(writer.buffer.span, to: descriptor, named: name)
}

/// Writes every byte, going on after short writes and interruptions.
private func writeAll(_ bytes: Span<UInt8>, to descriptor: Int32, named name: String) throws(BenchError) {
  var writtenCount = 0
  while writtenCount < bytes.count {
    let count = unsafe bytes.extracting(writtenCount...).withUnsafeBufferPointer {
      unsafe write(descriptor, $0.baseAddress, $0.count)
    }
    if count < 0 {
      if errno == EINTR { continue }
      throw .system(name)
    }
    writtenCount += count
  }
}
