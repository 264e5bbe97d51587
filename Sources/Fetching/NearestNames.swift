// Finds the names that a person may have meant. For messages only: the names are few and the call is rare.

/// Suggestions for names that are not there.
package enum NearestNames {
  /// The names nearest to one that was not found, the nearest first.
  ///
  /// Near is: the same but for case, then up to a third of the letters wrong, left out, too many or swapped with their
  /// neighbour (the restricted edit distance of Damerau), then one that begins with the name. Of names that are equally near, those
  /// with the same first letter come first.
  package static func find(_ name: [UInt8], among names: [[UInt8]], limit: Int = 3) -> [[UInt8]] {
    let wanted = folded(name)
    let bound = max(1, min(4, wanted.count / 3))
    var found: [(distance: Int, isOtherBeginning: Int, index: Int)] = []
    for (index, candidate) in names.enumerated() {
      let other = folded(candidate)
      let isOtherBeginning = other.first == wanted.first ? 0 : 1
      if let distance = distance(wanted, other, bound: bound) {
        found.append((distance, isOtherBeginning, index))
      } else if wanted.count >= 2 && other.starts(with: wanted) {
        found.append((bound + 1, isOtherBeginning, index))
      }
    }
    found.sort { $0 < $1 }
    return found.prefix(max(0, limit)).map { names[$0.index] }
  }

  /// Letters without case; signs that people mix up are one.
  private static func folded(_ name: [UInt8]) -> [Unicode.Scalar] {
    String(decoding: name, as: UTF8.self).lowercased().unicodeScalars.filter { $0 != "_" && $0 != " " && $0 != "-" }
  }

  /// The distance, or nil where it is above the bound.
  private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar], bound: Int) -> Int? {
    guard abs(a.count - b.count) <= bound else { return nil }
    var before: [Int] = []
    var last = Array(0...b.count)
    for i in 0..<a.count {
      var row = [i + 1]
      for j in 0..<b.count {
        var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] { best = min(best, before[j - 1] + 1) }
        row.append(best)
      }
      if (row.min() ?? 0) > bound { return nil }
      before = last
      last = row
    }
    let distance = last[b.count]
    return distance <= bound && distance < max(a.count, b.count) ? distance : nil
  }
}
