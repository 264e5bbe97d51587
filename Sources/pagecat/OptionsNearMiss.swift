// What was probably meant by a name that does not exist. Works on bytes: the names to choose from are ASCII.

enum OptionsNearMiss {
  /// Names longer than this were not mistyped.
  private static let longestName = 40

  /// Those of `names` that are the fewest slips away from `given`, if that is at most a third of its length.
  static func nearest(to given: [UInt8], among names: [String]) -> [String] {
    if given.isEmpty || given.count > longestName { return [] }
    var best: [String] = []
    var smallest = max(1, given.count / 3)
    let folded = given.map(lowercased)
    for name in names {
      let slips = distance(folded, Array(name.utf8))
      if slips > smallest { continue }
      if slips < smallest { best = [] }
      smallest = slips
      best.append(name)
    }
    return best
  }

  /// `; did you mean 'a' or 'b'?`, or nothing.
  static func question(_ names: [String]) -> String {
    if names.isEmpty { return "" }
    return "; did you mean " + list(names.map { "'\($0)'" }, last: "or") + "?"
  }

  /// `a, b or c`.
  static func list(_ words: [String], last: String) -> String {
    guard let end = words.last else { return "" }
    if words.count == 1 { return end }
    return words.dropLast().joined(separator: ", ") + " \(last) " + end
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }

  /// How many insertions, deletions, replacements and swaps of neighbours lead from one to the other ("optimal string
  /// alignment", Boytsov 2011, section 2.2.1). O(n × m).
  private static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for row in 0..<first.count {
      var current = [row + 1]
      current.reserveCapacity(second.count + 1)
      for column in 0..<second.count {
        let replaced = last[column] + (first[row] == second[column] ? 0 : 1)
        var slips = min(replaced, last[column + 1] + 1, current[column] + 1)
        if row > 0 && column > 0 && first[row] == second[column - 1] && first[row - 1] == second[column] {
          slips = min(slips, beforeLast[column - 1] + 1)
        }
        current.append(slips)
      }
      beforeLast = last
      last = current
    }
    return last[second.count]
  }
}
