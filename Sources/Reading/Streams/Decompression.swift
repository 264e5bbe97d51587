// The stage that unpacks compressed input, by the system's own program as a child process. The program reads the
// opened descriptor itself where that is a file; from a pipe, what was read already is fed to it before the rest.

import Synchronization

/// A program that unpacks.
package struct Decompressor: Sendable, Equatable {
  package let program: String
  let arguments: [String]

  static let gzip = Decompressor(program: "gzip", arguments: ["-dc"])
  static let zstd = Decompressor(program: "zstd", arguments: ["-dcq"])
  static let xz = Decompressor(program: "xz", arguments: ["-dcq"])
  static let bzip2 = Decompressor(program: "bzip2", arguments: ["-dc"])
  static let lz4 = Decompressor(program: "lz4", arguments: ["-dcq"])
}

/// Compressed bytes, unpacked.
final class Decompression: ByteStream {
  private let source: ByteSource
  private let child: ChildProcess
  private let feeder: Feeder?
  private let failure = Mutex<ReadError?>(nil)
  private let isAtEnd = Mutex(false)

  /// - Parameters:
  ///   - tail: the compressed bytes.
  ///   - decompressor: what unpacks them.
  /// - Throws: `ReadError` where the program is not there or cannot be started.
  init(_ tail: ByteTail, by decompressor: Decompressor) throws(ReadError) {
    source = tail.source
    let program = decompressor.program
    func failed(_ error: Errno) -> ReadError {
      if error.isNotFound {
        return ReadError(
          inputName: tail.source.name,
          problem: .unsupported("cannot run '\(program)': not found; install it or decompress first"))
      }
      return ReadError(inputName: tail.source.name, problem: .system("cannot run '\(program)'", error.code))
    }
    if let descriptor = tail.source.descriptor(at: tail.offset) {
      feeder = nil
      switch ChildProcess.start(program, arguments: decompressor.arguments, input: descriptor) {
      case .success(let started): child = started
      case .failure(let error): throw failed(error)
      }
      return
    }
    let ends: (read: Int32, write: Int32)
    switch SystemCall.makePipe() {
    case .success(let made): ends = made
    case .failure(let error): throw failed(error)
    }
    defer { SystemCall.close(ends.read) }
    switch ChildProcess.start(program, arguments: decompressor.arguments, input: ends.read) {
    case .success(let started): child = started
    case .failure(let error):
      SystemCall.close(ends.write)
      throw failed(error)
    }
    do throws(Errno) {
      feeder = try Feeder(tail, into: ends.write)
    } catch {
      SystemCall.close(ends.write)
      child.stop()
      throw failed(error)
    }
  }

  deinit {
    // The feeder's writing fails once the child is gone; its reading has to be woken.
    child.stop()
    feeder?.stop()
  }

  func read(into storage: inout [UInt8], at index: Int, count: Int) throws(ReadError) -> Int {
    if isAtEnd.withLock({ $0 }) {
      if let error = failure.withLock({ $0 }) { throw error }
      return 0
    }
    switch child.read(into: &storage, at: index, count: count) {
    case .success(let got) where got > 0: return got
    case .success:
      let error = end()
      isAtEnd.withLock { $0 = true }
      failure.withLock { $0 = error }
      if let error { throw error }
      return 0
    case .failure(let error): throw ReadError(inputName: source.name, problem: .system("cannot read it", error.code))
    }
  }

  /// What there is to say at the end of the program's output.
  private func end() -> ReadError? {
    let ending = child.wait()
    // What failed while feeding is the cause of whatever the program said.
    if let error = feeder?.error { return error }
    var text: String
    switch ending {
    case .status(0): return nil
    case .status(let status): text = "'\(child.program)' failed with status \(status)"
    case .signal(let signal): text = "'\(child.program)' was ended by signal \(signal)"
    }
    let message = SafeName.text(child.lastMessage())
    if !message.isEmpty { text += ": \(message)" }
    return ReadError(inputName: source.name, problem: .damage(text))
  }
}

/// A thread that moves the bytes of a stream into a pipe, and closes it.
private final class Feeder: Sendable {
  private let wake: WakeSignal
  private let failure = Mutex<ReadError?>(nil)

  init(_ tail: ByteTail, into descriptor: Int32) throws(Errno) {
    wake = try WakeSignal()
    let isStarted = WorkerThreads.start { [self] in
      run(tail, into: descriptor)
      SystemCall.close(descriptor)
    }
    if !isStarted { throw Errno.noThread }
  }

  var error: ReadError? { failure.withLock { $0 } }

  func stop() { wake.raise() }

  private func run(_ tail: ByteTail, into descriptor: Int32) {
    var tail = tail
    var storage = [UInt8](repeating: 0, count: StreamLimits.feedSize)
    do throws(ReadError) {
      while tail.waitUntilReadable(or: wake) {
        let got = try tail.read(into: &storage, at: 0, count: storage.count)
        // A child that has ended takes no more: what it said counts.
        if got == 0 || SystemCall.writeAll(descriptor, storage.span.extracting(0..<got)) != nil { return }
      }
    } catch {
      failure.withLock { $0 = error }
    }
  }
}
