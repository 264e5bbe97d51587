// The nodes that an automaton is in at a place of the text, and the step from one place to the next. All memory is allocated once.

/// A set of small numbers that keeps their order of arrival, is emptied at no cost and needs no clearing.
///
/// Source: Briggs and Torczon, "An efficient representation for sparse sets" (1993).
struct PatternNodeSet: Sendable {
  private(set) var dense: [Int32]
  private var places: [Int32]
  private(set) var count = 0

  init(capacity: Int) {
    dense = [Int32](repeating: 0, count: capacity)
    places = [Int32](repeating: 0, count: capacity)
  }

  mutating func removeAll() { count = 0 }

  /// Adds a number; false where it is there already.
  @inline(__always)
  mutating func insert(_ number: Int32) -> Bool {
    let place = Int(places[Int(number)])
    if place < count && dense[place] == number { return false }
    dense[count] = number
    places[Int(number)] = Int32(truncatingIfNeeded: count)
    count &+= 1
    return true
  }
}

struct PatternNodeLists: Sendable {
  enum Outcome {
    case goesOn, matched
    /// No match can follow.
    case dead
  }

  /// The nodes where something is left to do: bytes to take, and conditions that the next byte decides.
  var members: [Int32] = []
  /// What stands before the place; `.other` where no member asks.
  var side = PatternSide.other
  private var visited: PatternNodeSet
  private var decided: PatternNodeSet
  private var stack: [Int32] = []

  /// Whether a line feed lets a match begin where none could before it, so that no set, even an empty one, is the end.
  private let asksForLines: Bool

  init(for nodes: [PatternNode]) {
    visited = PatternNodeSet(capacity: nodes.count)
    decided = PatternNodeSet(capacity: nodes.count)
    asksForLines = nodes.contains { $0.kind == .assertion && $0.low == PatternAssertion.lineStart.rawValue }
  }

  mutating func removeAll() { visited.removeAll() }

  /// Visits all nodes that are reached from one without taking a byte; true where the end of a match is one.
  ///
  /// - Parameters:
  ///   - before: what follows the place; with nil, conditions that depend on it are visited and not passed.
  mutating func follow(
    _ start: Int32, _ nodes: Span<PatternNode>, after behind: PatternSide, before ahead: PatternSide?
  ) -> Bool {
    PatternNodeLists.follow(start, nodes, after: behind, before: ahead, &visited, &stack)
  }

  private static func follow(
    _ start: Int32, _ nodes: Span<PatternNode>, after behind: PatternSide, before ahead: PatternSide?,
    _ visited: inout PatternNodeSet, _ stack: inout [Int32]
  ) -> Bool {
    stack.removeAll(keepingCapacity: true)
    stack.append(start)
    while var place = stack.popLast() {
      following: while visited.insert(place) {
        let node = nodes[Int(place)]
        switch node.kind {
        case .match: return true
        case .bytes: break following
        case .split:
          stack.append(node.other)
          place = node.next
        case .assertion:
          guard let assertion = PatternAssertion(rawValue: node.low) else { break following }
          if assertion.looksBehindOnly {
            guard assertion.holds(after: behind, before: .other) else { break following }
          } else {
            guard let ahead, assertion.holds(after: behind, before: ahead) else { break following }
          }
          place = node.next
        }
      }
    }
    return false
  }

  /// Makes the members from what was visited.
  mutating func gather(_ nodes: Span<PatternNode>, after behind: PatternSide) {
    members.removeAll(keepingCapacity: true)
    side = .other
    for index in 0..<visited.count {
      let place = visited.dense[index]
      let node = nodes[Int(place)]
      switch node.kind {
      case .bytes: members.append(place)
      case .assertion:
        guard PatternAssertion(rawValue: node.low)?.looksBehindOnly == false else { continue }
        members.append(place)
        side = behind
      default: break
      }
    }
  }

  /// Takes a byte or, with nil, the end of the text.
  ///
  /// - Parameters:
  ///   - entry: where a match begins, as one may at every place.
  mutating func step(_ nodes: Span<PatternNode>, _ entry: Int32, _ byte: UInt8?) -> Outcome {
    let ahead = byte.map { PatternSide($0) } ?? .edge
    decided.removeAll()
    for index in members.indices {
      let place = members[index]
      let node = nodes[Int(place)]
      if node.kind == .bytes {
        _ = decided.insert(place)
      } else if let assertion = PatternAssertion(rawValue: node.low), assertion.holds(after: side, before: ahead),
        PatternNodeLists.follow(node.next, nodes, after: side, before: ahead, &decided, &stack)
      {
        return .matched
      }
    }
    guard let byte else { return .dead }
    visited.removeAll()
    for index in 0..<decided.count {
      let node = nodes[Int(decided.dense[index])]
      guard node.kind == .bytes, node.low <= byte, byte <= node.high else { continue }
      if PatternNodeLists.follow(node.next, nodes, after: ahead, before: nil, &visited, &stack) { return .matched }
    }
    if PatternNodeLists.follow(entry, nodes, after: ahead, before: nil, &visited, &stack) { return .matched }
    gather(nodes, after: ahead)
    return members.isEmpty && !asksForLines ? .dead : .goesOn
  }
}
