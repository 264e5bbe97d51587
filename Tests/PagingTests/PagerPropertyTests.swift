// Random events against a plain array: whatever the order, every answer is what the array has at that place, one fetch runs
// at a time, what is in view ends up in memory, and nothing is fetched after a known end.

import Paging
import TestSupport
import Testing

@testable import Paging

@Suite struct PagerPropertyTests {
  @Test(arguments: 0..<300) func anyOrderOfEventsGivesTheArray(seed: Int) {
    var numbers = SeededNumbers(seed: UInt64(seed))
    let rowCount = Int.random(in: 0...200, using: &numbers)
    let pageSize = Int.random(in: 1...25, using: &numbers)
    let margin = Bool.random(using: &numbers) ? nil : Int.random(in: 0...40, using: &numbers)
    var driver = MachineDriver(
      rows: rowCount, pageSize: pageSize, margin: margin, cacheLimit: Int.random(in: 0...150, using: &numbers))
    let isBroken = seed % 3 == 0
    if isBroken {
      for _ in 0..<4 {
        driver.failures[Int.random(in: 0...200, using: &numbers)] = Int.random(in: 1...3, using: &numbers)
      }
    }
    if seed % 2 == 0 { driver.longestPage = Int.random(in: 1...30, using: &numbers) }
    var asked: [(asker: Int, row: Int)] = []
    var view = 0..<0

    for _ in 0..<200 {
      let row = Int.random(in: 0...(rowCount + 10), using: &numbers)
      switch Int.random(in: 0..<14, using: &numbers) {
      case 0...2:
        view = row..<(row + Int.random(in: 0...30, using: &numbers))
        driver.view(view)
      case 3:
        view = row..<(row + Int.random(in: 0...30, using: &numbers))
        let target = view
        driver.event { $0.jump(to: target) }
      case 4, 5: asked.append((driver.ask(row), row))
      case 6:
        if let asker = asked.randomElement(using: &numbers)?.asker { driver.event { $0.withdraw(asker: asker) } }
      case 7:
        let keepsUp = Bool.random(using: &numbers)
        driver.event { $0.readerKeepsUp(keepsUp) }
      case 8: driver.completeCancelled()
      case 9 where Int.random(in: 0..<5, using: &numbers) == 0: driver.event { $0.stop() }
      case 10 where Int.random(in: 0..<5, using: &numbers) == 0: driver.event { $0.forgetEnd() }
      case 11 where Int.random(in: 0..<10, using: &numbers) == 0:
        driver.event { $0.replaceSource() }
        view = 0..<0
      case 12: driver.event { $0.retry() }
      default: driver.complete()
      }
    }
    driver.settle()
    for _ in 0..<20 {
      driver.event { $0.retry() }
      driver.settle()
    }

    #expect(driver.faults == [])
    for (asker, row) in asked {
      switch driver.answers[asker] {
      case nil: Issue.record("asker of row \(row) never answered")
      case .success(nil): #expect(row >= rowCount)
      case .success(let rows?):
        let end = min(rowCount, row - row % pageSize + pageSize)
        #expect(!rows.isEmpty && rows.elementsEqual(row..<(row + rows.count)) && row + rows.count <= end)
      case .failure(let error):
        #expect(error is CancellationError || (isBroken && error is ScriptedError))
      }
    }
    let machine = driver.machine
    #expect(view.allSatisfy { $0 >= rowCount || machine.loadedRow(at: $0) == $0 })
    #expect((0..<(rowCount + 20)).allSatisfy { [nil, $0 < rowCount ? $0 : nil].contains(machine.loadedRow(at: $0)) })
    if let total = driver.machine.count.total { #expect(total == rowCount) }
  }

  @Test(arguments: 0..<50) func walkKeepsTheMarginAndTheCacheLimit(seed: Int) {
    var numbers = SeededNumbers(seed: UInt64(seed) &+ 1000)
    let pageSize = Int.random(in: 1...25, using: &numbers)
    let margin = Int.random(in: 0...40, using: &numbers)
    let screen = Int.random(in: 1...30, using: &numbers)
    let configuration = PagerConfiguration(
      pageSize: pageSize, prefetchMargin: margin, cacheLimit: Int.random(in: 0...200, using: &numbers))
    var driver = MachineDriver(rows: 500, pageSize: pageSize, margin: margin, cacheLimit: configuration.cacheLimit)
    var first = 0
    for _ in 0..<100 {
      first = min(max(0, first + Int.random(in: -25...35, using: &numbers)), 500 - screen)
      driver.view(first..<(first + screen))
      driver.settle()
      let last = first + screen - 1
      let machine = driver.machine
      #expect((first...min(499, last + margin)).allSatisfy { machine.loadedRow(at: $0) == $0 })
      let held = (0..<500).count { machine.loadedRow(at: $0) != nil }
      #expect(held <= max(configuration.cacheLimit, screen + 2 * margin + 2 * pageSize))
    }
    #expect(driver.faults == [])
    #expect(driver.fetches.allSatisfy { $0.offset < 500 })
  }

  @Test(arguments: 0..<12) func concurrentWalkersReadTheArray(seed: Int) async throws {
    let source = ScriptedPageSource(Array(0..<300))
    if seed % 2 == 0 { source.cutPages(to: seed + 1) }
    let pager = Pager(
      source: source, configuration: PagerConfiguration(pageSize: 1 + seed * 2, cacheLimit: seed * 10))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for walker in 0..<4 {
        group.addTask {
          var numbers = SeededNumbers(seed: UInt64(seed * 10 + walker))
          for _ in 0..<30 {
            let row = Int.random(in: 0..<320, using: &numbers)
            let count = Int.random(in: 0...40, using: &numbers)
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0: pager.rowsInView(row..<(row + count))
            case 1: pager.jump(to: row..<(row + count))
            case 2:
              let loaded = try await pager.row(at: row)
              #expect(loaded == (row < 300 ? row : nil))
            default:
              let loaded = try await pager.rows(in: row..<(row + count))
              #expect(loaded == (row..<(row + count)).filter { $0 < 300 })
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
