// Where the first match is, for showing it. Of the matches that begin leftmost it is the one that a backtracking search would find
// (leftmost-first, as in RE2, ripgrep and Perl): the earlier alternative, and as much or, with `?`, as little as can be.
//
// The automaton is in many nodes at once, in the order of preference, and each remembers where its match began (Pike's method, in
// Cox 2009). A match ends all that are less preferred. It is slower than `matches` by a factor that does not depend on the text.

extension PatternMatcher {
  /// The first match in a part of a text, by its place in the whole text.
  ///
  /// - Complexity: linear in the text.
  package mutating func firstMatch(_ text: Span<UInt8>, in range: Range<Int>) -> Range<Int>? {
    guard matches(text, in: range) else { return nil }
    let part = text.extracting(range)
    let start = pattern.prefixSearch.firstIndex(of: pattern.prefix.span, in: part) ?? 0
    var threads = PatternThreads(count: pattern.nodes.count)
    guard let found = threads.firstMatch(pattern.nodes.span, pattern.entry, part, from: start) else { return nil }
    return (range.lowerBound + found.lowerBound)..<(range.lowerBound + found.upperBound)
  }
}

private struct PatternThreads {
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
      // A match begins where a code point does, and only as long as none is found.
      if found == nil, ahead != .continuation {
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
