// The table of the deterministic automaton: states, each a set of nodes, and where they go with each class of bytes. A state is
// known by where its row begins in `transitions`.

struct PatternTable: Sendable {
  static let unknown: Int32 = -1
  /// No match can follow.
  static let dead: Int32 = 0
  static let matched: Int32 = 1

  /// What one table may need before it is begun anew: some ten thousand states, more than patterns of any use have.
  package static let usualLimit = 4 << 20

  /// The state at the beginning of a text.
  var first = PatternTable.unknown
  /// A row a state: a column a class, then one for the end of the text.
  private(set) var transitions: [Int32] = []
  private let width: Int
  private let limit: Int
  /// The members of all states, and of each where they begin.
  private var members: [Int32] = []
  private var starts: [Int32] = []
  private var sides: [PatternSide] = []
  /// States by the hash of their members: an open table with a power of two of places.
  private var slots: [Int32] = []

  init(classCount: Int, limit: Int) {
    width = classCount + 1
    self.limit = limit
    removeAll()
  }

  var isEmpty: Bool { starts.count == 1 }

  /// The number of states.
  var count: Int { starts.count &- 1 }

  var isFull: Bool { (transitions.count &+ members.count &+ slots.count &+ 2 &* starts.count) &* 4 > limit }

  mutating func removeAll() {
    first = PatternTable.unknown
    transitions.removeAll(keepingCapacity: true)
    // The row at the beginning is that of no state, so that the numbers 0 and 1 are free.
    for _ in 0..<max(2, width) { transitions.append(PatternTable.unknown) }
    members.removeAll(keepingCapacity: true)
    starts.removeAll(keepingCapacity: true)
    starts.append(0)
    sides.removeAll(keepingCapacity: true)
    for index in slots.indices { slots[index] = 0 }
  }

  mutating func set(_ state: Int32, _ column: Int, _ next: Int32) { transitions[Int(state) &+ column] = next }

  private func number(of state: Int32) -> Int { Int(state) / width &- 1 }

  /// Fetches the members of a state.
  func members(of state: Int32, to nodes: inout PatternNodeLists) {
    let number = number(of: state)
    nodes.members.removeAll(keepingCapacity: true)
    for index in Int(starts[number])..<Int(starts[number &+ 1]) { nodes.members.append(members[index]) }
    nodes.side = sides[number]
  }

  /// The state that is a set of nodes; made where there is none.
  mutating func state(of nodes: inout PatternNodeLists) -> Int32 {
    // The order of nodes says what is preferred, which is nothing to a search for any match.
    nodes.members.sort()
    if 2 &* (count &+ 1) > slots.count { growSlots() }
    var slot = hash(nodes.members.span, nodes.side) & (slots.count &- 1)
    while slots[slot] != 0 {
      let number = Int(slots[slot]) &- 1
      if isEqual(number, nodes.members.span, nodes.side) { return Int32((number &+ 1) &* width) }
      slot = (slot &+ 1) & (slots.count &- 1)
    }
    slots[slot] = Int32(count &+ 1)
    let state = Int32(transitions.count)
    for _ in 0..<width { transitions.append(PatternTable.unknown) }
    members.append(contentsOf: nodes.members)
    starts.append(Int32(members.count))
    sides.append(nodes.side)
    return state
  }

  private func isEqual(_ number: Int, _ others: Span<Int32>, _ side: PatternSide) -> Bool {
    let start = Int(starts[number])
    guard sides[number] == side, Int(starts[number &+ 1]) &- start == others.count else { return false }
    for index in 0..<others.count where members[start &+ index] != others[index] { return false }
    return true
  }

  /// FNV-1a over whole numbers, mixed at the end.
  private func hash(_ members: Span<Int32>, _ side: PatternSide) -> Int {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(side.rawValue)
    for index in 0..<members.count {
      hash = (hash ^ UInt64(UInt32(bitPattern: members[index]))) &* 0x0000_0100_0000_01B3
    }
    return Int(truncatingIfNeeded: (hash ^ hash >> 32) & 0x7FFF_FFFF)
  }

  private mutating func growSlots() {
    let size = max(64, 2 &* slots.count)
    slots = [Int32](repeating: 0, count: size)
    for number in 0..<count {
      let start = Int(starts[number])
      let end = Int(starts[number &+ 1])
      var slot = hash(members.span.extracting(start..<end), sides[number]) & (size &- 1)
      while slots[slot] != 0 { slot = (slot &+ 1) & (size &- 1) }
      slots[slot] = Int32(number &+ 1)
    }
  }
}
