// The margin, the sizes and the pages as tables.

import Testing

@testable import Paging

struct PolicyCase: Sendable, CustomTestStringConvertible {
  var name: String
  var row: Int?
  var loaded: Int
  var margin: Int = 10
  var pageSize: Int = 20
  var isEndKnown = false
  var isFetching = false
  var hasFailed = false
  var expected: PrefetchPolicy.Action
  var testDescription: String { name }
}

@Suite struct PrefetchPolicyTests {
  @Test(arguments: [
    PolicyCase(name: "nothing in view", row: nil, loaded: 20, expected: .none),
    PolicyCase(name: "nothing loaded yet", row: 0, loaded: 0, expected: .fetch(offset: 0, limit: 20)),
    PolicyCase(name: "one row before the margin", row: 9, loaded: 20, expected: .none),
    PolicyCase(name: "at the margin", row: 10, loaded: 20, expected: .fetch(offset: 20, limit: 20)),
    PolicyCase(name: "margin jumped over", row: 15, loaded: 20, expected: .fetch(offset: 20, limit: 20)),
    PolicyCase(name: "past the rows loaded", row: 500, loaded: 20, expected: .fetch(offset: 20, limit: 20)),
    PolicyCase(
      name: "page of 10 rows", row: 9, loaded: 10, margin: 1, pageSize: 10, expected: .fetch(offset: 10, limit: 10)),
    PolicyCase(name: "page of 1 row", row: 0, loaded: 1, margin: 1, pageSize: 1, expected: .fetch(offset: 1, limit: 1)),
    PolicyCase(name: "margin beyond a page", row: 0, loaded: 40, margin: 50, expected: .fetch(offset: 40, limit: 20)),
    PolicyCase(name: "margin 0, last row", row: 19, loaded: 20, margin: 0, expected: .none),
    PolicyCase(name: "margin 0, past the end", row: 20, loaded: 20, margin: 0, expected: .fetch(offset: 20, limit: 20)),
    PolicyCase(name: "margin 0, nothing loaded", row: 0, loaded: 0, margin: 0, expected: .fetch(offset: 0, limit: 20)),
    PolicyCase(name: "end known", row: 19, loaded: 20, isEndKnown: true, expected: .none),
    PolicyCase(name: "empty result", row: 0, loaded: 0, isEndKnown: true, expected: .none),
    PolicyCase(name: "fetch under way", row: 15, loaded: 20, isFetching: true, expected: .none),
    PolicyCase(name: "last fetch failed", row: 15, loaded: 20, hasFailed: true, expected: .none),
    PolicyCase(name: "negative row", row: -1, loaded: 0, expected: .none),
    PolicyCase(name: "negative count", row: 0, loaded: -1, expected: .none),
    PolicyCase(name: "largest margin", row: .max, loaded: 0, margin: .max, expected: .fetch(offset: 0, limit: 20)),
    PolicyCase(name: "largest row", row: .max, loaded: .max, margin: .max, expected: .none),
    PolicyCase(
      name: "limit at the end of numbers", row: .max, loaded: .max - 5, expected: .fetch(offset: .max - 5, limit: 5)),
  ])
  func decides(_ test: PolicyCase) {
    let policy = PrefetchPolicy(pageSize: test.pageSize, margin: test.margin)
    let action = policy.action(
      lastRowInView: test.row, loadedCount: test.loaded, isEndKnown: test.isEndKnown, isFetching: test.isFetching,
      hasFailed: test.hasFailed)
    #expect(action == test.expected)
  }

  @Test(arguments: [
    (20, 10), (500, 490), (11, 1), (10, 1), (3, 1), (1, 1), (0, 1), (-7, 1), (Int.min, 1),
    (Int.max, PagerConfiguration.maximumSize - 10),
  ])
  func hasADefaultMargin(pageSize: Int, margin: Int) {
    let configuration = PagerConfiguration(pageSize: pageSize)
    #expect(configuration.prefetchMargin == margin)
    #expect(configuration.pageSize >= 1)
  }

  @Test(arguments: [
    (20, 10, 0, 40), (20, 10, 39, 40), (20, 10, 41, 41), (20, 0, Int.min, 20), (1, 100, 50, 201),
    (Int.max, Int.max, 0, PagerConfiguration.maximumSize * 3), (20, -5, 7, 20), (20, 10, Int.max, Int.max),
  ])
  func keepsAPageAndTwoMargins(pageSize: Int, margin: Int, limit: Int, expected: Int) {
    let configuration = PagerConfiguration(pageSize: pageSize, prefetchMargin: margin, cacheLimit: limit)
    #expect(configuration.cacheLimit == expected)
    #expect(configuration.prefetchMargin >= 0)
  }

  @Test func pageTakesItsEndFromTheExtraRow() {
    #expect(Page(fetched: [1, 2, 3], offset: 4, limit: 2) == Page(rows: [1, 2], offset: 4, hasMore: true))
    #expect(Page(fetched: [1, 2], offset: 4, limit: 2) == Page(rows: [1, 2], offset: 4, hasMore: false))
    #expect(Page(fetched: [Int](), offset: 4, limit: 2) == Page(rows: [], offset: 4, hasMore: false))
    #expect(Page(fetched: [1], offset: 0, limit: -3) == Page(rows: [], offset: 0, hasMore: true))
    #expect(Page(rows: [1, 2], offset: .max, hasMore: false).end == .max)
  }

  @Test func paceGrowsWhileTheReaderKeepsUp() {
    var pace = FetchPace(PagerConfiguration(pageSize: 20, cacheLimit: 1000))
    var seen: [Int] = []
    for _ in 0..<6 {
      seen.append(pace.pages)
      pace.readerKeepsUp(true)
    }
    #expect(seen == [1, 2, 4, 8, 12, 12])
    #expect(pace.margin == 240)
    pace.readerKeepsUp(false)
    #expect(pace.pages == 1 && pace.margin == 10)
    var largest = FetchPace(PagerConfiguration(pageSize: .max))
    largest.readerKeepsUp(true)
    #expect(largest.pages == 1)
    var none = FetchPace(PagerConfiguration(pageSize: 20, prefetchMargin: 0))
    none.readerKeepsUp(true)
    #expect(none.margin == 0)
  }
}
