// Joins the scripted source of TestSupport to this module, and holds the seeded generator of the property tests.

package import Paging
package import TestSupport

extension ScriptedPageSource: PageSource {
  package func fetch(offset: Int, limit: Int) async throws -> Page<Row> {
    let answer = try await answer(offset: offset, limit: limit)
    return Page(rows: answer.rows, offset: offset, hasMore: answer.hasMore)
  }
}

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z &>> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z &>> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z &>> 31)
  }
}
