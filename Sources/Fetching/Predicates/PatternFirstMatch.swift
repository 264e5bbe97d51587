// Where the first match is, for showing it. Of the matches that begin leftmost it is the one that a backtracking search would find
// (leftmost-first, as in RE2, ripgrep and Perl): the earlier alternative, and as much or, with `?`, as little as can be.
//
// The automaton is in many nodes at once, in the order of preference, and each remembers where its match began (Pike's method, in
// Cox 2009). A match ends all that are less preferred. It is slower than `matches` by a factor that does not depend on the text.

extension PatternMatcher {
  /// The first match in a part of a text, by its place in the whole text.
  ///
  /// - Parameters:
  ///   - range: the part. What lies outside of it has no influence.
  ///   - start: where in the part the search begins, for the matches after the first: those that begin before it are left out, yet what
  ///     stands before it is looked at by `^` and `\b`. With nil, where the part begins.
  /// - Complexity: linear in the text; once the matcher is warm, without allocation.
  package mutating func firstMatch(
    _ text: Span<UInt8>, in range: Range<Int>, from start: Int? = nil
  ) -> Range<Int>? {
    let begin = max(0, (start ?? range.lowerBound) - range.lowerBound)
    guard begin <= range.count, begin > 0 || matches(text, in: range) else { return nil }
    let part = text.extracting(range)
    guard let first = pattern.prefixSearch.firstIndex(of: pattern.prefix.span, in: part, from: begin) else {
      return nil
    }
    let steps = pattern.nodes
    // Taken out for the time that it runs.
    var search = threads ?? PatternThreads(count: steps.count)
    threads = nil
    let found = search.firstMatch(steps.span, pattern.entry, part, from: first)
    threads = search
    return found.map { (range.lowerBound + $0.lowerBound)..<(range.lowerBound + $0.upperBound) }
  }
}

/// The nodes that the search is in, in order of preference.
struct PatternThreads: Sendable {
  private var present: PatternNodeSet
  private var following: PatternNodeSet
  /// Of each node in a set, where its match began.
  private var presentStarts: [Int]
  private var followingStarts: [Int]
  private var stack: [Int32] = []

  init(count: Int) {
    present = PatternNodeSet(capacity: count)
    following = PatternNodeSet(capacity: count)
    presentStarts = [Int](repeating: 0, count: count)
    followingStarts = presentStarts
  }

  mutating func firstMatch(
    _ nodes: Span<PatternNode>, _ entry: Int32, _ text: Span<UInt8>, from start: Int
  ) -> Range<Int>? {
    var found: Range<Int>?
    var position = start
    var behind = position == 0 ? PatternSide.edge : PatternSide(text[position &- 1])
    present.removeAll()
    while true {
      let ahead = position < text.count ? PatternSide(text[position]) : .edge
      // A match begins where a code point does or a stray byte after ASCII, and only as long as none is found.
      let isWithin = ahead == .continuation && (behind == .continuation || behind == .other)
      if found == nil, !isWithin {
        PatternThreads.follow(entry, position, nodes, behind, ahead, &present, &presentStarts, &stack)
      }
      if present.count == 0, found != nil { return found }
      let next = position &+ 1
      let afterNext = next < text.count ? PatternSide(text[next]) : .edge
      following.removeAll()
      for index in 0..<present.count {
        let place = present.dense[index]
        let node = nodes[Int(place)]
        if node.kind == .match {
          found = presentStarts[Int(place)]..<position
          break
        }
        guard node.kind == .bytes, position < text.count, node.low <= text[position], text[position] <= node.high else {
          continue
        }
        PatternThreads.follow(
          node.next, presentStarts[Int(place)], nodes, ahead, afterNext, &following, &followingStarts, &stack)
      }
      if position == text.count { return found }
      swap(&present, &following)
      swap(&presentStarts, &followingStarts)
      behind = ahead
      position = next
    }
  }

  /// Adds all nodes that are reached from one without taking a byte, the preferred first.
  private static func follow(
    _ entry: Int32, _ start: Int, _ nodes: Span<PatternNode>, _ behind: PatternSide, _ ahead: PatternSide,
    _ set: inout PatternNodeSet, _ starts: inout [Int], _ stack: inout [Int32]
  ) {
    stack.removeAll(keepingCapacity: true)
    stack.append(entry)
    while var place = stack.popLast() {
      following: while set.insert(place) {
        starts[Int(place)] = start
        let node = nodes[Int(place)]
        switch node.kind {
        case .match, .bytes: break following
        case .split:
          stack.append(node.other)
          place = node.next
        case .assertion:
          guard PatternAssertion(rawValue: node.low)?.holds(after: behind, before: ahead) == true else {
            break following
          }
          place = node.next
        }
      }
    }
  }
}
