// When to fetch, and how much: two pure values without a clock, a task or a row. The test is `i + margin >= loaded`, for the
// last row in view, each time the view moves and each time a fetch ends. (Testing `==` on the way past, as a well-known
// list component does, never loads more once the margin is jumped over or a page is smaller than the margin.)

/// Decides whether the next rows have to be fetched.
package struct PrefetchPolicy: Sendable, Equatable {
  package enum Action: Sendable, Equatable {
    case none
    case fetch(offset: Int, limit: Int)
  }

  package let pageSize: Int
  package let margin: Int

  package init(pageSize: Int, margin: Int) {
    self.pageSize = max(1, pageSize)
    self.margin = max(0, margin)
  }

  /// What to do now.
  ///
  /// - Parameters:
  ///   - lastRowInView: index from 0 of the last row in view, which may be past the rows loaded; `nil` with none in view.
  ///   - loadedCount: the rows loaded so far; the next fetch begins with this index.
  ///   - isEndKnown: whether the result is known to end with the rows loaded (0 of them: it is empty).
  ///   - isFetching: whether a fetch is under way; the test is made again when it ends.
  ///   - hasFailed: whether the last fetch at this place failed; then only an asker or a retry fetches again.
  package func action(
    lastRowInView: Int?, loadedCount: Int, isEndKnown: Bool, isFetching: Bool, hasFailed: Bool
  ) -> Action {
    guard let row = lastRowInView, row >= 0, loadedCount >= 0, !isEndKnown, !isFetching, !hasFailed else {
      return .none
    }
    // Both are at least 0, so that the difference cannot overflow where the sum could.
    guard margin >= loadedCount - row, loadedCount < .max else { return .none }
    return .fetch(offset: loadedCount, limit: min(pageSize, Int.max - loadedCount))
  }
}

/// How many pages one fetch brings. One, until the reader is seen to keep up; then twice as many each time, so that a
/// plain `> file` is not slowed down by going page by page. A reader that stalls brings it back to one at once.
struct FetchPace: Sendable, Equatable {
  private let configuration: PagerConfiguration
  private let maximumPages: Int
  private(set) var pages = 1

  init(_ configuration: PagerConfiguration) {
    self.configuration = configuration
    // A quarter of the cache: one fetch in print, one ready, one arriving, and some slack for the rows behind.
    maximumPages = max(1, configuration.cacheLimit / 4 / configuration.pageSize)
  }

  mutating func readerKeepsUp(_ keepsUp: Bool) {
    pages = keepsUp ? min(pages.multipliedClamped(by: 2), maximumPages) : 1
  }

  /// The margin at this pace: with several pages a fetch, a whole fetch stands ready, else reader and source would
  /// work in turns. A margin of 0 stays 0, for it was asked for.
  var margin: Int {
    guard pages > 1, configuration.prefetchMargin > 0 else { return configuration.prefetchMargin }
    return max(configuration.prefetchMargin, pages * configuration.pageSize)
  }
}
