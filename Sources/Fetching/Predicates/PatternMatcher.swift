// Searches text for a pattern. The nondeterministic automaton is in many nodes at once; each set of nodes that comes up becomes a state
// of a deterministic one, made when it is first needed, so that most bytes cost one look into a table. The table is bounded: when it
// is full it is begun anew, and where that happens all the time, the sets are computed byte by byte without it.
//
// Conditions on a place (`$`, `\b`) depend on the byte that follows. A set keeps them as they are, with what stood before the place,
// and they are decided when that byte is known; the end of the text counts as one more class of bytes.
//
// Source: Russ Cox, "Regular Expression Matching in the Wild" (2010), https://swtch.com/~rsc/regexp/regexp3.html.

/// What searches for one pattern, with the memory that it uses again for every text. Each thread has its own.
package struct PatternMatcher: Sendable {
  package let pattern: Pattern
  var nodes: PatternNodeLists
  private var table: PatternTable
  /// What `firstMatch` runs on.
  var threads: PatternThreads?
  /// Bytes looked at since the table was begun.
  private var bytesSinceFlush = 0
  private var uselessFlushes = 0
  /// Whether the table was found to be of no use.
  private(set) var isWithoutTable = false

  package init(_ pattern: Pattern, tableLimit: Int = PatternTable.usualLimit) {
    self.pattern = pattern
    nodes = PatternNodeLists(for: pattern.nodes)
    table = PatternTable(classCount: pattern.representatives.count, limit: tableLimit)
  }

  /// Whether a match is somewhere in a part of a text. What lies outside of the part has no influence: `^` fits at its
  /// beginning and `$` at its end.
  ///
  /// - Complexity: linear in the text; once the matcher is warm, without allocation.
  package mutating func matches(_ text: Span<UInt8>, in range: Range<Int>) -> Bool {
    search(text.extracting(range))
  }

  private mutating func search(_ text: Span<UInt8>) -> Bool {
    if pattern.isLiteral { return pattern.prefixSearch.firstIndex(of: pattern.prefix.span, in: text) != nil }
    if isWithoutTable { return begin() || simulate(text, from: 0) }
    if table.isEmpty { makeFirstStates() }
    var state = table.first
    var position = 0
    if state == PatternTable.matched { return true }
    // Where nothing has begun to match, the next match begins with the prefix.
    let idle = pattern.prefix.isEmpty ? PatternTable.unknown : state
    while true {
      if state == idle {
        guard let found = pattern.prefixSearch.firstIndex(of: pattern.prefix.span, in: text, from: position) else {
          return false
        }
        position = found
      }
      let before = position
      var next = PatternMatcher.run(
        table.transitions.span, pattern.classes.span, text, &state, &position, idle: idle)
      bytesSinceFlush &+= position &- before
      if position == text.count {
        next = table.transitions[Int(state) &+ pattern.representatives.count]
      } else if next > PatternTable.matched {
        // Idle again.
        state = next
        continue
      }
      if next == PatternTable.unknown {
        let byteClass = position < text.count ? Int(pattern.classes[Int(text[position])]) : nil
        next = makeTransition(from: state, byteClass)
        if isWithoutTable {
          return next == PatternTable.matched
            || next != PatternTable.dead && simulate(text, from: position &+ 1)
        }
      }
      if next == PatternTable.matched { return true }
      if next == PatternTable.dead { return false }
      state = next
      position &+= 1
    }
  }

  /// Goes from state to state as far as the table knows. Returns where it would go next: a place it must not go on from, or the idle
  /// state, to which it has gone.
  @inline(__always)
  private static func run(
    _ transitions: Span<Int32>, _ classes: Span<UInt8>, _ text: Span<UInt8>, _ state: inout Int32,
    _ position: inout Int, idle: Int32
  ) -> Int32 {
    var place = state
    var index = position
    var next = place
    while index < text.count {
      next = transitions[Int(place) &+ Int(classes[Int(text[index])])]
      if next <= PatternTable.matched { break }
      index &+= 1
      place = next
      if next == idle { break }
    }
    state = place
    position = index
    return next
  }

  // MARK: States

  private mutating func makeFirstStates() {
    table.first = begin() ? PatternTable.matched : table.state(of: &nodes)
  }

  /// The set at the beginning of a text; true where that is a match already.
  private mutating func begin() -> Bool {
    let steps = pattern.nodes
    nodes.removeAll()
    let isMatch = nodes.follow(pattern.entry, steps.span, after: .edge, before: nil)
    nodes.gather(steps.span, after: .edge)
    return isMatch
  }

  /// Computes where a state goes with a byte of a class or, with nil, at the end of the text.
  private mutating func makeTransition(from state: Int32, _ byteClass: Int?) -> Int32 {
    let steps = pattern.nodes
    table.members(of: state, to: &nodes)
    let byte = byteClass.map { pattern.representatives[$0] }
    let column = byteClass ?? pattern.representatives.count
    switch nodes.step(steps.span, pattern.entry, byte) {
    case .matched:
      table.set(state, column, PatternTable.matched)
      return PatternTable.matched
    case .dead:
      table.set(state, column, PatternTable.dead)
      return PatternTable.dead
    case .goesOn: break
    }
    if table.isFull {
      // A state that serves for fewer bytes than this costs more than it saves.
      if bytesSinceFlush < 10 &* table.count { uselessFlushes &+= 1 }
      bytesSinceFlush = 0
      if uselessFlushes >= 3 {
        isWithoutTable = true
        table.removeAll()
        return PatternTable.unknown
      }
      // The set just computed outlives the table, and the first state is made again.
      let members = nodes.members
      let side = nodes.side
      table.removeAll()
      makeFirstStates()
      nodes.members = members
      nodes.side = side
      return table.state(of: &nodes)
    }
    let next = table.state(of: &nodes)
    table.set(state, column, next)
    return next
  }

  /// Goes on from the present set without a table.
  private mutating func simulate(_ text: Span<UInt8>, from start: Int) -> Bool {
    let steps = pattern.nodes
    var position = start
    while position < text.count {
      switch nodes.step(steps.span, pattern.entry, text[position]) {
      case .matched: return true
      case .dead: return false
      case .goesOn: position &+= 1
      }
    }
    return nodes.step(steps.span, pattern.entry, nil) == .matched
  }
}
