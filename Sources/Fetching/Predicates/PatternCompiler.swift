// Lays a tree down as an automaton over bytes (Thompson 1968). Terms are laid down from the last to the first, each knowing where
// to go on, so that nothing is patched but the backward step of loops.

struct PatternCompiler {
  /// What a node costs a search: itself and its places in the lists of a matcher.
  static let bytesPerNode = 48

  private let tree: PatternTree
  private(set) var nodes: [PatternNode] = []

  init(_ tree: PatternTree) {
    self.tree = tree
  }

  /// Lays down everything and returns where to begin.
  mutating func layDown() -> Int32 {
    let match = add(PatternNode(kind: .match))
    return layDown(tree.root, match)
  }

  private mutating func add(_ node: PatternNode) -> Int32 {
    nodes.append(node)
    return Int32(nodes.count - 1)
  }

  /// A node that prefers `first` where the term is greedy.
  private mutating func split(_ first: Int32, _ second: Int32, isGreedy: Bool = true) -> Int32 {
    add(PatternNode(kind: .split, next: isGreedy ? first : second, other: isGreedy ? second : first))
  }

  private mutating func layDown(_ term: Int, _ next: Int32) -> Int32 {
    switch tree.terms[term] {
    case .empty: return next
    case .scalars(let scalars): return layDown(scalars, next)
    case .assertion(let assertion):
      return add(PatternNode(kind: .assertion, low: assertion.rawValue, next: next))
    case .sequence(let parts):
      var entry = next
      for part in parts.reversed() { entry = layDown(part, entry) }
      return entry
    case .choice(let alternatives):
      var entry: Int32?
      for alternative in alternatives.reversed() {
        let start = layDown(alternative, next)
        entry = entry.map { split(start, $0) } ?? start
      }
      return entry ?? next
    case .repetition(let part, let least, let most, let isGreedy):
      var entry = next
      if let most {
        // x{2,4} is xx(x(x)?)?
        for _ in 0..<(most - least) { entry = split(layDown(part, entry), next, isGreedy: isGreedy) }
        for _ in 0..<least { entry = layDown(part, entry) }
        return entry
      }
      // x* is a loop that begins with its split. Where x can be empty it is (x+)?, in which what may end the loop is
      // tried in the order of a backtracking search.
      let loop = split(next, next, isGreedy: isGreedy)
      let body = layDown(part, loop)
      if isGreedy { nodes[Int(loop)].next = body } else { nodes[Int(loop)].other = body }
      if least == 0 {
        return tree.isNullable(part) ? split(body, next, isGreedy: isGreedy) : loop
      }
      entry = body
      for _ in 1..<least { entry = layDown(part, entry) }
      return entry
    }
  }

  private mutating func layDown(_ scalars: PatternScalars, _ next: Int32) -> Int32 {
    // Sequences that end alike share their last nodes.
    var known: [UInt64: Int32] = [:]
    var entry: Int32?
    for sequence in scalars.sequences.reversed() {
      var start = next
      for range in sequence.reversed() {
        let key = UInt64(UInt32(bitPattern: start)) << 16 | UInt64(range.lowerBound) << 8 | UInt64(range.upperBound)
        if let node = known[key] {
          start = node
        } else {
          start = add(PatternNode(kind: .bytes, low: range.lowerBound, high: range.upperBound, next: start))
          known[key] = start
        }
      }
      entry = entry.map { split(start, $0) } ?? start
    }
    // A set without members: no byte is from 1 to 0.
    return entry ?? add(PatternNode(kind: .bytes, low: 1, high: 0, next: next))
  }

  // MARK: Classes of bytes

  /// Bytes that no node tells apart get the same class. Returns the classes and a byte of each.
  func byteClasses() -> (classes: [UInt8], representatives: [UInt8]) {
    var begins = [Bool](repeating: false, count: 257)
    for node in nodes {
      switch node.kind {
      case .bytes where node.low <= node.high:
        begins[Int(node.low)] = true
        begins[Int(node.high) + 1] = true
      case .assertion:
        // What an assertion tells apart.
        for bound in [0x0A, 0x0B, 0x30, 0x3A, 0x41, 0x5B, 0x5F, 0x60, 0x61, 0x7B, 0x80, 0xC0] { begins[bound] = true }
      default: break
      }
    }
    var classes: [UInt8] = []
    var representatives: [UInt8] = [0]
    for byte in 0...255 {
      if byte > 0 && begins[byte] { representatives.append(UInt8(byte)) }
      classes.append(UInt8(representatives.count - 1))
    }
    return (classes, representatives)
  }
}
