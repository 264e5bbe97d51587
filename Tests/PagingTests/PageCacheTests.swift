// The grid of pages: what is there, what is missing, what goes first.

import Testing

@testable import Paging

@Suite struct PageCacheTests {
  /// A cache of pages of 10 with these pages in it; the row at index i is i.
  private func cache(_ pages: [Int], limit: Int = 1000) -> PageCache<Int> {
    var cache = PageCache<Int>(pageSize: 10, limit: limit)
    for page in pages { store(&cache, page * 10, 10) }
    return cache
  }

  @discardableResult
  private func store(_ cache: inout PageCache<Int>, _ offset: Int, _ count: Int) -> Int {
    cache.store(Array(offset..<(offset + count)), at: offset) { _ in true }
  }

  @Test func findsRows() {
    let cache = cache([3, 0, 1])
    #expect(cache.row(at: 0) == 0)
    #expect(cache.row(at: 19) == 19)
    #expect(cache.row(at: 20) == nil)
    #expect(cache.row(at: 35) == 35)
    #expect(cache.row(at: -1) == nil)
    #expect(cache.row(at: .max) == nil)
    #expect(cache.rows(from: 17).map(Array.init) == [17, 18, 19])
    #expect(cache.rowCount == 30)
  }

  @Test func fillsAPageInParts() {
    var cache = cache([0])
    #expect(store(&cache, 10, 4) == 1)
    #expect(cache.row(at: 13) == 13)
    #expect(cache.row(at: 14) == nil)
    #expect(cache.fetchOffset(forRow: 19) == 14)
    #expect(store(&cache, 14, 20) == 3)
    #expect(cache.rowCount == 34)
    #expect(cache.firstMissingRow(from: 0) == 34)
  }

  @Test func keepsNoPageWithAHole() {
    var cache = cache([0])
    store(&cache, 25, 10)
    #expect(cache.row(at: 25) == nil)
    #expect(cache.row(at: 30) == 30)
    store(&cache, 0, 10)
    #expect(cache.rowCount == 15)
  }

  @Test func knowsWhatIsMissing() {
    let cache = cache([0, 1, 3, 4])
    #expect(cache.firstMissingRow(from: 5) == 20)
    #expect(cache.firstMissingRow(from: 25) == 20)
    #expect(cache.firstMissingRow(from: 35) == 50)
    #expect(cache.firstMissingRow(from: .max) == Int.max - 7)
    #expect(cache.lastMissingRow(before: 45, downTo: 0) == 29)
    #expect(cache.lastMissingRow(before: 45, downTo: 30) == nil)
    #expect(cache.lastMissingRow(before: 15, downTo: 0) == nil)
    #expect(cache.lastMissingRow(before: 70, downTo: 50) == 69)
    #expect(cache.nextPageStart(after: 22) == 30)
    #expect(cache.nextPageStart(after: 42) == nil)
    #expect(PageCache<Int>(pageSize: 1, limit: 1).nextPageStart(after: .max) == nil)
  }

  @Test(arguments: 0..<30) func findsTheFirstMissingRowAsAWalkDoes(seed: Int) {
    var numbers = SeededNumbers(seed: UInt64(seed))
    var cache = PageCache<Int>(pageSize: 4, limit: 60)
    for _ in 0..<100 {
      let row = Int.random(in: 0..<160, using: &numbers)
      store(&cache, cache.fetchOffset(forRow: row), Int.random(in: 1...12, using: &numbers))
      if Bool.random(using: &numbers) { _ = cache.evict(around: row..<(row + 10), keeping: row) }
      var missing = row - row % 4
      while cache.row(at: missing) != nil { missing += 1 }
      #expect(cache.firstMissingRow(from: row) == missing)
      #expect(cache.rowCount == (0..<300).count { cache.row(at: $0) != nil })
    }
  }

  @Test func dropsPagesFarthestFromTheView() {
    var cache = cache(Array(0..<8), limit: 40)
    #expect(cache.evict(around: 52..<58) == 4)
    #expect((0..<80).filter { cache.row(at: $0) != nil } == Array(40..<80))
    #expect(cache.evict(around: 0..<1) == 0)
  }

  @Test func dropsNothingInView() {
    var cache = cache(Array(0..<8), limit: 20)
    #expect(cache.evict(around: 15..<55) == 3)
    #expect((0..<80).filter { cache.row(at: $0) != nil } == Array(10..<60))
    #expect(cache.evict(around: 15..<16, keeping: 59) == 3)
    #expect(cache.row(at: 59) == 59)
  }

  /// A page that came in parts was dropped between its parts, and begun for ever.
  @Test func keepsThePageInPartsThatReachesIntoTheView() {
    var cache = PageCache<Int>(pageSize: 10, limit: 10)
    store(&cache, 0, 3)
    store(&cache, 10, 10)
    #expect(cache.evict(around: 8..<15) == 0)
    #expect(cache.evict(around: 10..<15) == 1)
  }

  @Test func countsPagesThatCameAhead() {
    var cache = cache([0, 1, 2])
    #expect(cache.markNeeded(5..<15) == 2)
    #expect(cache.markNeeded(0..<100) == 1)
    #expect(cache.markNeeded(0..<Int.max) == 0)
    #expect(cache.markNeeded(7..<7) == 0)
  }

  @Test func endsWithTheNumbers() {
    var cache = PageCache<Int>(pageSize: 10, limit: 100)
    let start = Int.max - 7
    cache.store([1, 2, 3, 4, 5, 6, 7, 8, 9], at: start) { _ in false }
    #expect(cache.row(at: .max - 1) == 7)
    #expect(cache.row(at: .max) == nil)
    #expect(cache.evict(around: 0..<Int.max) == 0)
  }

  @Test func theLastRowOfAPageCanBeFetchedAgain() {
    for count in [1, 3, 4, 5, 8] {
      var cache = PageCache<Int>(pageSize: 4, limit: 100)
      cache.store(Array(0..<count), at: 0) { _ in false }
      cache.dropLast(row: count)
      #expect(cache.rowCount == count)
      cache.dropLast(row: count - 1)
      #expect(cache.rowCount == count - 1 && cache.row(at: count - 1) == nil)
      #expect(cache.fetchOffset(forRow: count - 1) == count - 1 && cache.firstMissingRow(from: 0) == count - 1)
      cache.store([7, 8, 9], at: count - 1) { _ in false }
      #expect(cache.row(at: count - 1) == 7 && cache.rowCount == count + 2)
    }
  }
}
