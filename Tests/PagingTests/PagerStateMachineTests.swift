// What is fetched when, told event by event.

import TestSupport
import Testing

@testable import Paging

@Suite struct PagerStateMachineTests {
  typealias Fetch = ScriptedPageSource<Int>.Fetch

  // MARK: The margin

  @Test func fetchesOncePerCrossingOfTheMargin() {
    var driver = MachineDriver(rows: 100)
    driver.view(0..<5)
    driver.settle()
    for last in 5..<100 {
      driver.view(max(0, last - 4)..<(last + 1))
      driver.view(max(0, last - 4)..<(last + 1))
      driver.settle()
      #expect(driver.fetches.count == min(5, (last + 10) / 20 + 1))
    }
    #expect(driver.fetches == [0, 20, 40, 60, 80].map { Fetch($0, 20) })
    #expect(driver.machine.count == PagerCount(reached: 100, total: 100))
    #expect(driver.faults.isEmpty)
  }

  @Test func marginJumpedOverLoadsAllTheSame() {
    var driver = MachineDriver(rows: 1000)
    driver.view(0..<5)
    driver.settle()
    driver.view(14..<19)
    driver.settle()
    #expect(driver.fetches == [Fetch(0, 20), Fetch(20, 20)])
    driver.view(30..<45)
    driver.settle()
    #expect(driver.fetches.dropFirst(2) == [Fetch(40, 20)])
  }

  @Test func testIsMadeAgainWhenAFetchEnds() {
    var driver = MachineDriver(rows: 1000)
    driver.view(0..<75)
    driver.settle()
    #expect(driver.fetches == [0, 20, 40, 60, 80].map { Fetch($0, 20) })
  }

  @Test(arguments: 1...10) func smallPagesGoOn(pageSize: Int) {
    var driver = MachineDriver(rows: 50, pageSize: pageSize)
    for first in 0..<50 {
      driver.view(first..<(first + 1))
      driver.settle()
      #expect(driver.machine.count.reached >= min(50, first + 2))
      #expect(driver.machine.count.reached <= first + 1 + pageSize + 1)
    }
    #expect(driver.machine.count.total == 50)
  }

  @Test func marginZeroFetchesOnlyPastTheEnd() {
    var driver = MachineDriver(rows: 100, margin: 0)
    driver.view(0..<20)
    driver.settle()
    driver.view(10..<20)
    #expect(driver.fetches == [Fetch(0, 20)])
    driver.view(11..<21)
    driver.settle()
    #expect(driver.fetches == [Fetch(0, 20), Fetch(20, 20)])
  }

  @Test func nothingIsFetchedAfterTheEnd() {
    var driver = MachineDriver(rows: 25)
    driver.view(0..<50)
    driver.settle()
    #expect(driver.fetches == [Fetch(0, 20), Fetch(20, 20)])
    for last in 20..<60 { driver.view(0..<last) }
    let asker = driver.ask(25)
    let far = driver.ask(1_000_000)
    #expect(driver.isPastEnd(asker) && driver.isPastEnd(far))
    #expect(driver.isPastEnd(asking: .max) && driver.isPastEnd(asking: -1))
    #expect(driver.fetches.count == 2)
    #expect(driver.machine.state(ofRow: 24).text == "24")
    #expect(driver.machine.state(ofRow: 25).text == "past end")
  }

  @Test func fullLastPageIsKnownAsTheLast() {
    var driver = MachineDriver(rows: 40)
    driver.view(0..<40)
    driver.settle()
    #expect(driver.fetches.count == 2 && driver.machine.count.total == 40)
  }

  @Test func emptyResultIsKnownAsEmpty() {
    var driver = MachineDriver(rows: 0)
    driver.view(0..<50)
    #expect(driver.machine.state(ofRow: 0).text == "loading")
    driver.settle()
    driver.view(0..<50)
    #expect(driver.fetches == [Fetch(0, 20)])
    #expect(driver.machine.count == PagerCount(reached: 0, total: 0))
    #expect(driver.machine.state(ofRow: 0).text == "past end")
    #expect(driver.updates == 1)
  }

  // MARK: Askers

  @Test func pageIsLoadedOnceForAllWhoAsk() {
    var driver = MachineDriver(rows: 100)
    let askers = (0..<20).map { driver.ask($0) }
    driver.view(0..<10)
    driver.complete()
    #expect(askers.map { driver.row($0) } == Array(0..<20))
    driver.settle()
    #expect(driver.fetches == [Fetch(0, 20)])
  }

  @Test func whoAsksGoesBeforeWhatIsAhead() {
    var driver = MachineDriver(rows: 1000)
    driver.view(0..<15)
    let first = driver.ask(505)
    let second = driver.ask(905)
    driver.complete()
    driver.complete()
    #expect(driver.row(first) == 505 && !driver.isAnswered(second))
    driver.settle()
    #expect(driver.row(second) == 905)
    #expect(driver.fetches == [0, 500, 900, 20].map { Fetch($0, 20) })
  }

  @Test func shortPagesAreFilledUp() {
    var driver = MachineDriver(rows: 47)
    driver.longestPage = 7
    let asker = driver.ask(18)
    driver.settle()
    #expect(driver.row(asker) == 18)
    #expect(driver.fetches == [Fetch(0, 20), Fetch(7, 13), Fetch(14, 6)])
    driver.view(0..<47)
    driver.settle()
    #expect(driver.machine.count.total == 47 && driver.faults.isEmpty)
  }

  @Test func shortPagesFarFromTheViewAreNotBegunForEver() {
    var driver = MachineDriver(rows: 1000, pageSize: 20, margin: 1, cacheLimit: 0)
    driver.view(0..<40)
    driver.settle()
    driver.longestPage = 3
    let asker = driver.ask(519)
    driver.settle()
    #expect(driver.row(asker) == 519 && driver.faults.isEmpty)
  }

  // MARK: Errors

  @Test func errorAheadIsHeldUntilItsRowIsAskedFor() {
    var driver = MachineDriver(rows: 100)
    driver.failures = [20: .max]
    driver.view(0..<15)
    driver.settle()
    #expect(driver.fetches.map(\.offset) == [0, 20])
    for last in 10..<20 { driver.view(0..<last) }
    #expect(driver.row(asking: 19) == 19)
    #expect((0..<20).allSatisfy { driver.machine.state(ofRow: $0).text == "\($0)" })
    #expect(driver.fetches.count == 2)
    let asker = driver.ask(20)
    #expect(driver.error(asker) is ScriptedError)
    #expect(driver.fetches.count == 2)
  }

  @Test func rowsBeforeDamageComeFirst() {
    var driver = MachineDriver(rows: 100)
    driver.failures = [13: .max]
    driver.view(0..<20)
    driver.settle()
    #expect(driver.fetches == [Fetch(0, 20), Fetch(13, 7)])
    #expect(driver.machine.state(ofRow: 12).text == "12")
    #expect(driver.machine.state(ofRow: 13).text == "failed")
    #expect(driver.row(asking: 12) == 12)
  }

  @Test func failedPageIsTriedAgainWhenAskedForAgain() {
    var driver = MachineDriver(rows: 100)
    driver.failures = [0: 2]
    let first = driver.ask(3)
    let same = driver.ask(4)
    driver.settle()
    #expect(driver.error(first) is ScriptedError && driver.error(same) is ScriptedError)
    #expect(driver.fetches.count == 1)
    let second = driver.ask(3)
    driver.settle()
    #expect(driver.error(second) is ScriptedError)
    let third = driver.ask(3)
    driver.settle()
    #expect(driver.row(third) == 3 && driver.fetches.count == 3)
  }

  @Test func viewDoesNotHammerAFailedPage() {
    var driver = MachineDriver(rows: 100)
    driver.failures = [0: 1]
    driver.view(0..<10)
    driver.settle()
    for last in 5..<15 { driver.view(0..<last) }
    #expect(driver.fetches.count == 1)
    #expect(driver.machine.state(ofRow: 0).text == "failed")
    driver.event { $0.retry() }
    driver.settle()
    #expect(driver.fetches.map(\.offset) == [0, 0, 20])
    #expect(driver.machine.state(ofRow: 0).text == "0")
    #expect(driver.machine.statistics.failures == 1)
  }

  @Test func brokenSourcesAreErrors() {
    var driver = MachineDriver(rows: 100)
    let asker = driver.ask(3)
    driver.complete(with: .success(Page(rows: [], offset: 0, hasMore: true)))
    #expect(driver.error(asker) as? PagingError == .noProgress(offset: 0))
    let second = driver.ask(3)
    driver.complete(with: .success(Page(rows: [1], offset: 5, hasMore: true)))
    #expect(driver.error(second) as? PagingError == .misplacedPage(requested: 0, received: 5))
    let third = driver.ask(3)
    driver.complete(with: .success(Page(rows: Array(0..<30), offset: 0, hasMore: false)))
    #expect(driver.row(third) == 3)
    #expect(driver.machine.count == PagerCount(reached: 20, total: nil))
  }

  // MARK: Jumps, cancellation, other sources

  @Test func jumpCancelsWhatIsOfNoUseThere() {
    var driver = MachineDriver(rows: 1000)
    driver.view(0..<15)
    driver.complete()
    driver.event { $0.jump(to: 500..<515) }
    #expect(driver.running?.fetch == Fetch(500, 20))
    #expect(driver.cancelled.map(\.fetch) == [Fetch(20, 20)])
    driver.completeCancelled()
    #expect(driver.machine.loadedRow(at: 20) == nil)
    #expect(driver.machine.statistics.droppedResults == 1)
    driver.settle()
    #expect(driver.fetches.map(\.offset) == [0, 20, 500, 520])
  }

  @Test func jumpKeepsWhatSomebodyWaitsForOrWhatIsNear() {
    var driver = MachineDriver(rows: 1000)
    let asker = driver.ask(3)
    driver.event { $0.jump(to: 500..<515) }
    #expect(driver.cancelled.isEmpty)
    driver.complete()
    #expect(driver.row(asker) == 3)
    driver.event { $0.jump(to: 490..<505) }
    #expect(driver.cancelled.isEmpty && driver.running?.fetch == Fetch(500, 20))
  }

  @Test func jumpPastTheEndFindsIt() {
    var driver = MachineDriver(rows: 50)
    driver.event { $0.jump(to: 1000..<1010) }
    driver.settle()
    #expect(driver.machine.state(ofRow: 1000).text == "past end")
    #expect(driver.fetches == [Fetch(1000, 20)] && driver.machine.count.total == nil)
    driver.event { $0.jump(to: (Int.max - 3)..<Int.max) }
    #expect(driver.fetches.count == 1)
    driver.event { $0.jump(to: 40..<50) }
    driver.settle()
    #expect(driver.machine.count.total == 50)
  }

  @Test func lastAskerToLeaveCancels() {
    var driver = MachineDriver(rows: 1000)
    let first = driver.ask(3)
    let second = driver.ask(4)
    driver.event { $0.withdraw(asker: first) }
    #expect(driver.error(first) is CancellationError && driver.running != nil)
    driver.event { $0.withdraw(asker: second) }
    #expect(driver.running == nil && driver.cancelled.count == 1)
    driver.event { $0.withdraw(asker: second) }
    #expect(driver.faults.isEmpty)
  }

  @Test func resultsOfAnotherSourceAreDropped() {
    var driver = MachineDriver(rows: 100)
    driver.view(0..<10)
    let asker = driver.ask(3)
    driver.event { $0.replaceSource() }
    #expect(driver.error(asker) is CancellationError)
    #expect(driver.machine.revision == 1 && driver.running == nil)
    driver.view(0..<10)
    let second = driver.ask(3)
    driver.completeCancelled()
    #expect(!driver.isAnswered(second) && driver.machine.loadedRow(at: 3) == nil)
    driver.rows = Array(500..<510)
    driver.settle()
    #expect(driver.row(second) == 503 && driver.machine.count.total == 10)
  }

  @Test func stopHoldsUntilRetry() {
    var driver = MachineDriver(rows: 100)
    driver.view(0..<10)
    driver.complete()
    driver.view(0..<15)
    let asker = driver.ask(30)
    driver.event { $0.stop() }
    #expect(driver.error(asker) is CancellationError && driver.running == nil)
    driver.view(10..<30)
    #expect(driver.running == nil)
    #expect(driver.row(asking: 3) == 3)
    #expect(driver.error(asking: 30) is CancellationError)
    #expect(driver.machine.state(ofRow: 30).text == "cancelled")
    driver.event { $0.retry() }
    driver.settle()
    #expect(driver.machine.state(ofRow: 30).text == "30")
  }

  // MARK: Growing and counting

  @Test func grownResultGoesOn() {
    var driver = MachineDriver(rows: 25)
    driver.view(0..<25)
    driver.settle()
    driver.rows = Array(0..<45)
    driver.view(0..<26)
    #expect(driver.running == nil)
    driver.event { $0.forgetEnd() }
    driver.settle()
    #expect(driver.fetches.dropFirst(2) == [Fetch(25, 15)])
    driver.view(20..<45)
    driver.settle()
    #expect(driver.machine.count == PagerCount(reached: 45, total: 45))
  }

  @Test func countedTotalEndsTheResult() {
    var driver = MachineDriver(rows: 40)
    let asker = driver.ask(60)
    driver.event { $0.setTotal(40) }
    #expect(driver.isPastEnd(asker))
    #expect(driver.machine.count.total == 40)
  }

  // MARK: The cache

  @Test func droppedPagesAreReadAgain() {
    var driver = MachineDriver(rows: 400, pageSize: 20, margin: 10, cacheLimit: 0)
    for first in 0..<390 {
      driver.view(first..<(first + 10))
      driver.settle()
    }
    #expect(driver.fetches.count == 20)
    #expect(driver.machine.statistics.evictedPages > 15)
    #expect(driver.machine.loadedRow(at: 0) == nil)
    for first in (0..<390).reversed() {
      driver.view(first..<(first + 10))
      #expect((first..<(first + 10)).allSatisfy { driver.machine.loadedRow(at: $0) == $0 })
      driver.settle()
    }
    // On the way up the margin stood ready too: each dropped page was read once more, none of them late.
    #expect(driver.fetches.count < 40)
    #expect(driver.machine.statistics.latePages == 0)
  }

  @Test func viewLargerThanTheCacheSettles() {
    var driver = MachineDriver(rows: 1000, pageSize: 5, margin: 1, cacheLimit: 0)
    driver.view(0..<300)
    driver.settle()
    #expect(driver.fetches.count == 61)
    #expect((0..<300).allSatisfy { driver.machine.loadedRow(at: $0) == $0 })
  }

  // MARK: Statistics and pace

  @Test func hitsAndLatePagesAreCounted() {
    var driver = MachineDriver(rows: 1000)
    driver.view(0..<15)
    driver.settle()
    driver.view(10..<25)
    #expect(driver.machine.statistics.prefetchHits == 1)
    driver.view(20..<35)
    #expect(driver.running?.fetch == Fetch(40, 20))
    driver.view(30..<45)
    driver.view(31..<46)
    driver.settle()
    let statistics = driver.machine.statistics
    #expect(statistics.latePages == 1 && statistics.prefetchHits == 1)
    #expect(statistics.pagesFetched == driver.fetches.count && statistics.fetches == driver.fetches.count)
  }

  @Test func quickReaderGetsManyPagesAFetch() {
    var driver = MachineDriver(rows: 10_000)
    for first in stride(from: 0, to: 10_000, by: 20) {
      let asker = driver.ask(first)
      driver.settle()
      #expect(driver.row(asker) == first)
      driver.view(first..<(first + 20))
      driver.event { $0.readerKeepsUp(true) }
      driver.settle()
    }
    #expect(driver.fetches.count < 20)
    #expect(driver.machine.statistics.pagesFetched == 500)
    #expect(driver.faults.isEmpty)
  }

  @Test func stalledReaderGetsTheMarginOnly() {
    var driver = MachineDriver(rows: 10_000)
    driver.view(0..<20)
    for _ in 0..<3 { driver.event { $0.readerKeepsUp(true) } }
    driver.settle()
    driver.event { $0.readerKeepsUp(false) }
    let reached = driver.machine.count.reached
    for first in stride(from: 20, to: 1000, by: 20) {
      driver.view(first..<(first + 20))
      driver.settle()
      #expect(driver.machine.count.reached <= max(reached, first + 40))
    }
  }

  @Test func errorInALongFetchComesAtItsRow() {
    var driver = MachineDriver(rows: 1000)
    driver.view(0..<20)
    driver.settle()
    for _ in 0..<3 { driver.event { $0.readerKeepsUp(true) } }
    // This source cannot say where it broke: the fetch of many pages fails as a whole.
    func settle() {
      while let fetch = driver.running?.fetch {
        if fetch.offset + fetch.limit > 60 {
          driver.complete(with: .failure(ScriptedError(offset: 60)))
        } else {
          driver.complete()
        }
      }
    }
    settle()
    driver.view(40..<60)
    settle()
    #expect(driver.row(asking: 59) == 59)
    #expect(driver.error(asking: 60) is ScriptedError)
    #expect(driver.faults.isEmpty)
  }
}
