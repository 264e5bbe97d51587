// The pager with real tasks: gates say when a fetch may answer, tallies when something has happened.

import Dispatch
import Paging
import Synchronization
import TestSupport
import Testing

@Suite struct PagerTests {
  typealias Source = ScriptedPageSource<Int>

  /// Runs blocking code on a thread of its own, off the cooperative pool.
  private func onThread<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "printer").async { continuation.resume(returning: body()) }
    }
  }

  @Test func manyAskersShareOneLoad() async throws {
    let gate = Gate()
    let source = Source(Array(0..<100), gate: gate)
    let pager = Pager(source: source, configuration: PagerConfiguration(pageSize: 20))
    let rows = try await withThrowingTaskGroup(of: Int?.self) { group in
      for row in 0..<20 { group.addTask { try await pager.row(at: row) } }
      await gate.arrivals.reach(1)
      gate.open()
      return try await group.reduce(into: [Int]()) { $0 += $1.map { [$0] } ?? [] }
    }
    #expect(rows.sorted() == Array(0..<20))
    #expect(source.fetches == [.init(0, 20)])
  }

  @Test func viewFetchesAheadAndTells() async {
    let source = Source(Array(0..<30))
    let updates = Tally()
    let counts = Mutex<[PagerCount]>([])
    let pager = Pager(source: source, configuration: PagerConfiguration(pageSize: 20)) { count in
      counts.withLock { $0.append(count) }
      updates.add()
    }
    pager.rowsInView(0..<15)
    await updates.reach(2)
    #expect(pager.count == PagerCount(reached: 30, total: 30))
    #expect(counts.withLock { $0.contains(PagerCount(reached: 20)) })
    #expect(pager.loadedRows(in: 5..<100) == Array(5..<30))
    #expect(pager.loadedRow(at: 29) == 29 && pager.loadedRow(at: 30) == nil)
    #expect(source.fetches == [.init(0, 20), .init(20, 20)])
    #expect(pager.statistics.pagesFetched == 2)
  }

  @Test func rangesAreReadAcrossPages() async throws {
    let pager = Pager(source: Source(Array(0..<95)), configuration: PagerConfiguration(pageSize: 10, cacheLimit: 0))
    #expect(try await pager.rows(in: 7..<83) == Array(7..<83))
    #expect(try await pager.rows(in: 90..<Int.max) == Array(90..<95))
    #expect(try await pager.rows(in: 200..<300) == [])
    #expect(try await pager.rows(in: 5..<5) == [])
    #expect(try await pager.row(at: 95) == nil)
    #expect(try await pager.row(at: -1) == nil)
  }

  @Test func errorIsThrownAndTriedAgain() async throws {
    let source = Source(Array(0..<100))
    source.fail(at: 20, times: 1)
    let pager = Pager(source: source, configuration: PagerConfiguration(pageSize: 20))
    #expect(try await pager.row(at: 5) == 5)
    await #expect(throws: ScriptedError(offset: 20)) { try await pager.row(at: 25) }
    #expect(try await pager.row(at: 25) == 25)
  }

  @Test func cancelledAskerLeavesAtOnce() async throws {
    let gate = Gate()
    let source = Source(Array(0..<100), gate: gate)
    let pager = Pager(source: source, configuration: PagerConfiguration(pageSize: 20))
    let asker = Task { try await pager.row(at: 5) }
    await gate.arrivals.reach(1)
    asker.cancel()
    await #expect(throws: CancellationError.self) { try await asker.value }
    // The fetch nobody waits for is still held; another asker begins its own, and only that one counts.
    let second = Task { try await pager.row(at: 5) }
    await gate.arrivals.reach(2)
    gate.open()
    #expect(try await second.value == 5)
    #expect(source.fetches.count == 2)
  }

  @Test func askerCancelledBeforehandDoesNotWait() async {
    let pager = Pager(source: Source([1], gate: Gate()), configuration: PagerConfiguration(pageSize: 20))
    let gate = Gate()
    let asker = Task {
      await gate.pass()
      return try await pager.row(at: 0)
    }
    asker.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await asker.value }
  }

  @Test func replacingDropsLateResults() async throws {
    let gate = Gate()
    let old = Source(Array(0..<100), gate: gate)
    let updates = Tally()
    let pager = Pager(source: old, configuration: PagerConfiguration(pageSize: 20)) { _ in updates.add() }
    pager.rowsInView(0..<10)
    let asker = Task { try await pager.row(at: 50) }
    await gate.arrivals.reach(1)
    pager.replaceSource(Source(Array(1000..<1005)))
    #expect(pager.revision == 1)
    _ = await asker.result
    #expect(try await pager.rows(in: 0..<10) == Array(1000..<1005))
    gate.open()
    #expect(try await pager.rows(in: 0..<10) == Array(1000..<1005))
    #expect(pager.count.total == 5)
  }

  @Test func cancelEndsWaitingAndFetching() async throws {
    let gate = Gate()
    let source = Source(Array(0..<100), gate: gate)
    let pager = Pager(source: source, configuration: PagerConfiguration(pageSize: 20))
    let asker = Task { try await pager.row(at: 5) }
    await gate.arrivals.reach(1)
    pager.cancel()
    await #expect(throws: CancellationError.self) { try await asker.value }
    await #expect(throws: CancellationError.self) { try await pager.row(at: 5) }
    gate.open()
    pager.retry()
    #expect(try await pager.row(at: 5) == 5)
    #expect(source.cancelledCount == 1)
  }

  @Test func pagerThatIsLetGoCancels() async {
    let gate = Gate()
    let source = Source(Array(0..<100), gate: gate)
    let ended = Tally()
    do {
      let pager = Pager(
        source: EndTeller(source: source, ended: ended), configuration: PagerConfiguration(pageSize: 20))
      pager.rowsInView(0..<10)
      await gate.arrivals.reach(1)
    }
    gate.open()
    await ended.reach(1)
    #expect(source.cancelledCount == 1)
  }

  /// Tells when a fetch has ended, whether anybody still listens to it or not.
  private struct EndTeller: PageSource {
    let source: Source
    let ended: Tally

    func fetch(offset: Int, limit: Int) async throws -> Page<Int> {
      defer { ended.add() }
      return try await source.fetch(offset: offset, limit: limit)
    }
  }

  // MARK: The printer's way

  @Test(arguments: [true, false]) func cursorPrintsEveryPage(keepsUp: Bool) async {
    let source = Source(Array(0..<1010))
    let pager = Pager(source: source, configuration: PagerConfiguration(pageSize: 20))
    let pages = await onThread {
      var pages: [Page<Int>] = []
      var cursor = PageCursor(pager)
      while let page = try? cursor.next() {
        pages.append(page)
        pager.readerKeepsUp(keepsUp)
      }
      return pages
    }
    #expect(pages.flatMap(\.rows) == Array(0..<1010))
    #expect(pages.map(\.offset) == Array(stride(from: 0, to: 1010, by: 20)))
    #expect(pages.dropLast().allSatisfy { $0.hasMore && $0.rows.count == 20 } && pages.last?.hasMore == false)
    #expect(keepsUp ? source.fetches.count < 20 : source.fetches.count == 51)
  }

  @Test func cursorFillsPagesFromAPipe() async {
    let source = Source(Array(0..<50))
    source.cutPages(to: 3)
    let pager = Pager(source: source, configuration: PagerConfiguration(pageSize: 20))
    let sizes = await onThread {
      var cursor = PageCursor(pager, from: 20)
      var sizes: [Int] = []
      while let page = try? cursor.next() { sizes.append(page.rows.count) }
      return sizes
    }
    #expect(sizes == [20, 10])
    let first = await onThread {
      var cursor = PageCursor(Pager(source: source, configuration: pager.configuration), wholePages: false)
      return try? cursor.next()
    }
    #expect(first == Page(rows: [0, 1, 2], offset: 0, hasMore: true))
  }

  @Test func cursorPrintsRowsBeforeDamage() async {
    let source = Source(Array(0..<100))
    source.fail(at: 33)
    let pager = Pager(source: source, configuration: PagerConfiguration(pageSize: 20))
    let (rows, error) = await onThread { () -> ([Int], ScriptedError?) in
      var cursor = PageCursor(pager)
      var rows: [Int] = []
      do {
        while let page = try cursor.next() { rows += page.rows }
        return (rows, nil)
      } catch {
        return (rows, error as? ScriptedError)
      }
    }
    #expect(rows == Array(0..<33))
    #expect(error == ScriptedError(offset: 33))
  }

  @Test func stalledPrinterReadsNoMoreThanTheMargin() async {
    let source = Source(Array(0..<1000))
    let updates = Tally()
    let pager = Pager(source: source, configuration: PagerConfiguration(pageSize: 20)) { _ in updates.add() }
    let page = await onThread {
      var cursor = PageCursor(pager)
      return try? cursor.next()
    }
    await updates.reach(2)
    #expect(page?.rows.count == 20)
    #expect(source.fetches == [.init(0, 20), .init(20, 20)])
    #expect(pager.count.reached == 40)
  }

  @Test func cursorOfAnEmptyResultEnds() async {
    let source = Source([Int]())
    let pager = Pager(source: source, configuration: PagerConfiguration(pageSize: 20))
    let isEmpty = await onThread { () -> Bool in
      var cursor = PageCursor(pager)
      return (try? cursor.next()) == nil && (try? cursor.next()) == nil
    }
    #expect(isEmpty && source.fetches.count == 1 && pager.count.total == 0)
  }
}
