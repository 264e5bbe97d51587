// `:w FILE`: all rows on show, printed by the printers to a file beside the one that is meant, which takes its place only when
// it is whole.

import Fetching
import Glibc
import Reading
import Synchronization

/// Files that are being written: who quits meanwhile must not leave them behind.
final class UnfinishedFiles: Sendable {
  private struct State {
    var paths: Set<String> = []
    /// Whether the pager is being left, and nothing is begun any more.
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Creates a file. Whoever leaves waits for that, so that there is none of which nobody knows.
  ///
  /// - Returns: its descriptor; nil where the pager is being left.
  func create(_ path: String) throws(OutputError) -> Int32? {
    try state.withLock { state throws(OutputError) -> Int32? in
      if state.isClosed { return nil }
      unsafe _ = unlink(path)
      let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      if descriptor < 0 { throw OutputError(code: errno) }
      state.paths.insert(path)
      return descriptor
    }
  }

  /// A file is whole or gone.
  func remove(_ path: String) { _ = state.withLock { $0.paths.remove(path) } }

  /// Removes what was not finished, and lets nothing be begun.
  func removeAll() {
    let paths = state.withLock { state in
      state.isClosed = true
      return state.paths
    }
    for path in paths { unsafe _ = unlink(path) }
  }
}

struct ViewFileWriter {
  private let path: String
  private let overwrites: Bool
  private let monitor: ScanMonitor
  private let unfinished: UnfinishedFiles

  /// - Parameter path: `~/` is the home folder, as a shell would have it.
  init(path: String, overwrites: Bool, monitor: ScanMonitor, unfinished: UnfinishedFiles) {
    var path = path
    if path.hasPrefix("~/"), let home = Options.environmentVariable("HOME") {
      path = String(decoding: home, as: UTF8.self) + path.dropFirst()
    }
    self.path = path
    self.overwrites = overwrites
    self.monitor = monitor
    self.unfinished = unfinished
  }

  /// Writes the rows of an invocation.
  func write(_ shown: Invocation, hidden: String, inputs: [DatasetInput]) -> ViewOutcome {
    var information = stat()
    if unsafe stat(path, &information) == 0 {
      guard information.st_mode & S_IFMT == S_IFREG else { return .failed("\(path) is no file to be overwritten") }
      if !overwrites { return .exists(path: path) }
    }
    var invocation = shown.printed(everything: true)
    // The rows before the page that the pager began with are on show too.
    invocation.page = nil
    invocation.outputFormat = format ?? (inputs.contains(where: \.isTabular) ? .csv : .jsonl)
    // What a terminal understands is not for files.
    invocation.color = .never
    invocation.usesColor = false
    if !hidden.isEmpty {
      let more = invocation.hiddenColumns.map { $0 + Array(",".utf8) } ?? []
      invocation.hiddenColumns = more + Array(hidden.utf8)
    }
    let temporary = "\(path).\(getpid()).tmp"
    let descriptor: Int32
    do throws(OutputError) {
      guard let created = try unfinished.create(temporary) else { return .cancelled }
      descriptor = created
    } catch {
      return failure(error.code)
    }
    defer { unfinished.remove(temporary) }
    if information.st_mode != 0 { _ = fchmod(descriptor, information.st_mode & 0o777) }
    do {
      let query = try Query(invocation, reusing: inputs)
      var session = PrintSession(
        query, invocation: invocation, output: OutputWriter(descriptor: descriptor), isTerminal: false, monitor: monitor
      )
      try session.run()
      if monitor.isCancelled { throw CancellationError() }
      if fsync(descriptor) != 0 { throw OutputError(code: errno) }
      if close(descriptor) != 0 && errno != EINTR { throw OutputError(code: errno) }
      if unsafe rename(temporary, path) != 0 { throw OutputError(code: errno) }
      return .written(path: path, rowCount: session.rowCount)
    } catch {
      close(descriptor)
      unsafe _ = unlink(temporary)
      if monitor.isCancelled { return .cancelled }
      if let error = error as? OutputError { return failure(error.code) }
      return .failed(ViewSession.describe(error))
    }
  }

  private func failure(_ code: Int32) -> ViewOutcome {
    .failed("cannot write \(path): \(SystemCall.message(for: code))")
  }

  /// The endings of each format, the usual one first.
  private static let endings: [(format: OutputFormat, names: [String])] = [
    (.csv, ["csv"]), (.tsv, ["tsv", "tab"]), (.json, ["json", "geojson"]), (.jsonl, ["jsonl", "ndjson"]),
    (.markdown, ["md", "markdown"]), (.table, ["txt"]),
  ]

  private static func ending(of path: String) -> String? {
    path.split(separator: "/").last?.split(separator: ".").dropFirst().last.map { $0.lowercased() }
  }

  private static func format(ofEnding ending: String) -> OutputFormat? {
    endings.first { $0.names.contains(ending) }?.format
  }

  /// Why no file of this name is written: its ending promises something else; nil where it may be written.
  static func refusal(of path: String) -> String? {
    guard let ending = ending(of: path), format(ofEnding: ending) == nil else { return nil }
    var information = stat()
    // A folder is refused as such.
    if unsafe stat(path, &information) == 0 && information.st_mode & S_IFMT != S_IFREG { return nil }
    let known = OptionsNearMiss.list(endings.compactMap { $0.names.first.map { "." + $0 } }, last: "and")
    return "no format ends in .\(ending); \(known) are known"
  }

  /// The format by the file's ending.
  private var format: OutputFormat? { ViewFileWriter.ending(of: path).flatMap(ViewFileWriter.format) }
}
