// What counts as late: a page that the reader had to wait for, and not one that only the writer waited for, who may be far
// ahead of the reader. Gates hold the fetches, so that every order of events can be made.

import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Paging

@Suite struct LatePagesTests {
  typealias Source = ScriptedPageSource<Int>

  /// Whether the reader has nothing left to read, and how often somebody wanted to know.
  private final class Reader: Sendable {
    private let state = Mutex((isWaiting: false, questions: 0))
    var isWaiting: Bool {
      get { state.withLock { $0.isWaiting } }
      set { state.withLock { $0.isWaiting = newValue } }
    }
    var questions: Int { state.withLock { $0.questions } }

    func ask() -> Bool {
      state.withLock { state in
        state.questions += 1
        return state.isWaiting
      }
    }
  }

  /// Writes two pages while `meanwhile` opens the gate for them.
  private func write(
    _ reader: Reader, meanwhile: @escaping @Sendable (Gate) async -> Void
  ) async -> (rows: [Int], statistics: PagerStatistics) {
    let gate = Gate()
    let source = Source(Array(0..<40), gate: gate)
    let pager = Pager(source: source, configuration: PagerConfiguration(pageSize: 20, prefetchMargin: 0))
    async let meanwhile: Void = meanwhile(gate)
    let rows = await withCheckedContinuation { continuation in
      DispatchQueue(label: "printer").async {
        var rows: [Int] = []
        var cursor = PageCursor(pager) { reader.ask() }
        while let page = try? cursor.next() { rows += page.rows }
        continuation.resume(returning: rows)
      }
    }
    await meanwhile
    return (rows, pager.statistics)
  }

  @Test func `a page that the reader waited for is late`() async {
    let reader = Reader()
    reader.isWaiting = true
    let (rows, statistics) = await write(reader) { gate in
      await gate.arrivals.reach(1)
      gate.letThrough()
      await gate.arrivals.reach(2)
      gate.open()
    }
    #expect(rows == Array(0..<40))
    // The first page is waited for by everybody, and not late.
    #expect(statistics.latePages == 1 && statistics.prefetchHits == 0 && reader.questions == 1)
  }

  @Test func `a page that only the writer waited for was in time`() async {
    let reader = Reader()
    let (rows, statistics) = await write(reader) { gate in
      await gate.arrivals.reach(1)
      gate.letThrough()
      await gate.arrivals.reach(2)
      gate.open()
    }
    #expect(rows == Array(0..<40))
    #expect(statistics.latePages == 0 && statistics.prefetchHits == 1 && reader.questions == 1)
  }

  @Test func `a reader who came to the end while the page was fetched waited for it`() async {
    let reader = Reader()
    let (_, statistics) = await write(reader) { gate in
      await gate.arrivals.reach(1)
      gate.letThrough()
      await gate.arrivals.reach(2)
      reader.isWaiting = true
      gate.open()
    }
    #expect(statistics.latePages == 1 && statistics.prefetchHits == 0)
  }

  @Test func `a page that was there is in time whatever the reader does`() async {
    let reader = Reader()
    reader.isWaiting = true
    let source = Source(Array(0..<60))
    let updates = Tally()
    let pager = Pager(source: source, configuration: PagerConfiguration(pageSize: 20, prefetchMargin: 60)) { _ in
      updates.add()
    }
    pager.rowsInView(0..<1)
    await updates.reach(3)
    let count = await withCheckedContinuation { continuation in
      DispatchQueue(label: "printer").async {
        var count = 0
        var cursor = PageCursor(pager) { reader.ask() }
        while let page = try? cursor.next() { count += page.rows.count }
        continuation.resume(returning: count)
      }
    }
    #expect(count == 60 && reader.questions == 0)
    #expect(pager.statistics.latePages == 0 && pager.statistics.prefetchHits == 2)
  }

  @Test(arguments: [true, false]) func `a page that was on its way when it was needed`(isReader: Bool) {
    var driver = MachineDriver(rows: 100)
    driver.view(0..<20)
    driver.complete()
    // The second page is on its way.
    #expect(driver.running?.fetch == .init(20, 20))
    driver.event { $0.ask(row: 20, asker: 100, isReader: isReader) }
    driver.settle()
    #expect(driver.row(100) == 20)
    #expect(driver.machine.statistics.latePages == (isReader ? 1 : 0))
    driver.machine.noteWait(readerWaited: false)
    driver.machine.noteWait(readerWaited: true)
    #expect(driver.machine.statistics.latePages == (isReader ? 2 : 1))
    #expect(driver.machine.statistics.prefetchHits == 1)
  }

  @Test func `the end and an error are no late pages`() async {
    let reader = Reader()
    reader.isWaiting = true
    let source = Source(Array(0..<20))
    source.fail(at: 20, times: 1)
    source.append([20])
    let pager = Pager(source: source, configuration: PagerConfiguration(pageSize: 20, prefetchMargin: 0))
    let errors = await withCheckedContinuation { continuation in
      DispatchQueue(label: "printer").async {
        var cursor = PageCursor(pager) { reader.ask() }
        var errors = 0
        for _ in 0..<4 {
          do { _ = try cursor.next() } catch { errors += 1 }
        }
        continuation.resume(returning: errors)
      }
    }
    #expect(errors == 1 && pager.statistics.latePages == 1 && reader.questions == 1)
  }

  @Test func `who leaves the pager gets what is on its way and no more`() async {
    let gate = Gate()
    let source = Source(Array(0..<200), gate: gate)
    let pager = Pager(source: source, configuration: PagerConfiguration(pageSize: 20))
    async let rows: [Int] = withCheckedContinuation { continuation in
      DispatchQueue(label: "printer").async {
        var cursor = PageCursor(pager)
        var rows: [Int] = []
        if let page = try? cursor.next() { rows += page.rows }
        while let page = try? cursor.nextOnTheWay() { rows += page.rows }
        continuation.resume(returning: rows)
      }
    }
    await gate.arrivals.reach(1)
    gate.letThrough()
    // The second page, which the margin asked for.
    await gate.arrivals.reach(2)
    gate.open()
    #expect(await rows == Array(0..<40))
    #expect(source.fetches == [.init(0, 20), .init(20, 20)])
    // The pager goes on all the same where somebody asks.
    #expect((try? await pager.row(at: 40)) == 40)
  }
}
