// Passes that nobody wants any more: they end at once, give back what they held, and can be made again.

import Dispatch
import Glibc
import Reading
import Synchronization
import TestSupport
import Testing

@testable import Fetching

struct CancelledPassTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func input(_ path: String) throws -> DatasetInput {
    try DatasetInput(opening: .file(Array(path.utf8)), options: ReadingOptions())
  }

  private var descriptor: FetchDescriptor {
    get throws {
      var descriptor = FetchDescriptor(sortBy: try SortGrammar.parse("text", columns: nil))
      descriptor.memoryLimit = 100_000
      return descriptor
    }
  }

  private func rows(_ range: Range<Int>, width: Int = 60) -> String {
    range.map { "\($0),\(($0 &* 7919) % 100_003) \(String(repeating: "x", count: width))\n" }.joined()
  }

  private func problem(_ body: () throws -> Void) -> ReadError.Problem? {
    do {
      try body()
      return nil
    } catch FetchError.read(let error) {
      return error.problem
    } catch {
      return (error as? ReadError)?.problem
    }
  }

  /// The writer keeps the pipe open, so that nothing but the cancellation ends the pass.
  @Test func `a sort of an open pipe ends with its next bytes, and its file is closed`() throws {
    let path = folder.file("pipe")
    try #require(unsafe mkfifo(path, 0o600) == 0)
    let writing = unsafe open(path, O_RDWR | O_CLOEXEC)
    func write(_ text: String) {
      let bytes = Array(text.utf8)
      var rest = bytes[...]
      while !rest.isEmpty {
        let put = unsafe rest.withUnsafeBytes { unsafe Glibc.write(writing, $0.baseAddress, $0.count) }
        if put <= 0 { return }
        rest = rest.dropFirst(put)
      }
    }
    write("id,text\n")
    let monitor = ScanMonitor()
    let opened = try input(path)
    let descriptor = try descriptor
    let memory = Mutex<WeakMemory>(WeakMemory())
    let ended = Mutex<ReadError.Problem?>(nil)
    let end = DispatchSemaphore(value: 0)
    DispatchQueue(label: "pass").async {
      do {
        var pass = SortPass(descriptor, plan: .fullOrder, inputs: [opened], columns: nil)
        memory.withLock { $0.memory = pass.memory }
        let scan = RangeScan<SortPass>(
          input: opened, selection: FieldSelection(SortPass.fields(of: descriptor), of: opened),
          configuration: ScanConfiguration(monitor: monitor))
        let problem = problem { _ = try scan.run(into: &pass) }
        ended.withLock { $0 = problem }
      }
      end.signal()
    }
    // More than the memory, the pipe and the ranges under way hold together, so that much of it is in the temporary file.
    write(rows(0..<20_000, width: 2000))
    #expect(memory.withLock { $0.memory?.hasFile } == true)
    monitor.cancel()
    // For a pass that waits for bytes; where the pipe is full it does not wait.
    _ = fcntl(writing, F_SETFL, O_RDWR | O_NONBLOCK)
    write(rows(20_000..<20_010))
    end.wait()
    #expect(ended.withLock { $0 } == .cancelled)
    // Whatever held runs, on whichever thread, is gone, and the file with it.
    #expect(memory.withLock { $0.memory == nil })
    close(writing)
  }

  private struct WeakMemory: Sendable {
    weak var memory: SortMemory?
  }

  @Test func `a pass on all threads ends and can be made again`() throws {
    let count = 30_000
    let path = try folder.write("id,text\n" + rows(0..<count), to: "a.csv")
    let monitor = ScanMonitor()
    monitor.cancel()
    var results = FetchResults(
      try descriptor, inputs: [try input(path)], columns: DatasetColumns(flattens: true),
      scanConfiguration: ScanConfiguration(threadCount: 3, rangeSize: 100_000))
    results.watch(by: monitor)
    for _ in 0..<2 {
      #expect(
        problem {
          var block = RowBlock()
          _ = try results.append(to: &block, limit: 20)
        } == .cancelled)
    }
    #expect(problem { _ = try results.fetchCount() } == .cancelled)
    results.watch(by: ScanMonitor())
    var block = RowBlock()
    while try results.append(to: &block, limit: .max) {}
    #expect(block.rows.count == count)
  }

  @Test func `merging in several passes is ended`() throws {
    let memory = SortMemory(limit: 0, keepsRecords: true)
    var sort = ExternalSort(memory: memory, rowLimit: nil)
    for index in 0..<50 {
      var key: [UInt8] = []
      KeyBytes.appendText(Array("\(index % 10)".utf8).span, to: &key)
      sort.append(
        prefix: KeyPrefix(bits: KeyBytes.prefix(of: key.span), isExact: false), key: key.span,
        place: RowPlace(inputIndex: 0, offset: index), record: Array("row".utf8).span)
    }
    let monitor = ScanMonitor()
    monitor.cancel()
    let cancelled = sort
    #expect(problem { _ = try cancelled.merge(monitor) } == .cancelled)
    var block = RowBlock()
    var merge = try sort.merge(ScanMonitor())
    try merge.append(to: &block, limit: .max, byteLimit: .max, inputs: [])
    #expect(block.rows.count == 50)
  }
}
