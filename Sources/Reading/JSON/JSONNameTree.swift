// The names of columns as a tree along the keys of nested objects, for walking a record once.
//
// Trick: each node expects the key that followed last time, so a record whose keys come in the usual order costs one
// comparison a key.

/// A tree of keys.
struct JSONNameTree: Sendable {
  /// A key under a node.
  struct Entry: Sendable {
    /// Where the key's bytes stand in `text`.
    var start: Int
    var count: Int
    /// The column that a value under this key belongs to, or -1.
    var column: Int
    /// The node for an object under this key, or -1.
    var node: Int
    /// The next entry of the same node in order of making, or -1.
    var next: Int
    /// In which walk over which object the key was met last.
    var stamp: UInt64
  }

  struct Node: Sendable {
    var first = -1
    var last = -1
    /// The entry that is expected next.
    var expected = -1
    var count = 0
  }

  /// Nodes with more keys than this are searched through a table: data may have a new key in every record.
  private static let longestSearch = 32

  private(set) var text: [UInt8] = []
  var entries: [Entry] = []
  var nodes: [Node] = [Node()]
  /// The entries of nodes with many keys.
  private var table: [Key: Int] = [:]

  private struct Key: Hashable {
    var node: Int
    var name: [UInt8]
  }

  /// Makes a node without keys.
  mutating func makeNode() -> Int {
    nodes.append(Node())
    return nodes.count - 1
  }

  /// The entry of a key, made if it is not there yet.
  mutating func entry(_ key: ArraySlice<UInt8>, under node: Int) -> Int {
    if nodes[node].count > JSONNameTree.longestSearch {
      if let index = table[Key(node: node, name: Array(key))] { return index }
    } else {
      var index = nodes[node].first
      while index >= 0 {
        let entry = entries[index]
        if text[entry.start..<(entry.start + entry.count)] == key { return index }
        index = entry.next
      }
    }
    entries.append(Entry(start: text.count, count: key.count, column: -1, node: -1, next: -1, stamp: 0))
    text.append(contentsOf: key)
    let made = entries.count - 1
    if nodes[node].last >= 0 { entries[nodes[node].last].next = made } else { nodes[node].first = made }
    nodes[node].last = made
    nodes[node].count += 1
    if nodes[node].count == JSONNameTree.longestSearch + 1 {
      var index = nodes[node].first
      while index >= 0 {
        let entry = entries[index]
        table[Key(node: node, name: Array(text[entry.start..<(entry.start + entry.count)]))] = index
        index = entry.next
      }
    } else if nodes[node].count > JSONNameTree.longestSearch {
      table[Key(node: node, name: Array(key))] = made
    }
    return made
  }

  /// Starts a walk over an object of this node.
  @inline(__always)
  mutating func begin(_ node: Int) { nodes[node].expected = nodes[node].first }

  /// The entry of a key in JSON text, or -1.
  ///
  /// - Parameter key: what stands between its quotes.
  @inline(__always)
  mutating func find(_ bytes: UnsafePointer<UInt8>, _ key: Range<Int>, hasEscapes: Bool, under node: Int) -> Int {
    let expected = nodes[node].expected
    if expected >= 0, unsafe matches(bytes, key, hasEscapes, expected) {
      nodes[node].expected = entries[expected].next
      return expected
    }
    return unsafe search(bytes, key, hasEscapes, under: node)
  }

  private mutating func search(
    _ bytes: UnsafePointer<UInt8>, _ key: Range<Int>, _ hasEscapes: Bool, under node: Int
  ) -> Int {
    if nodes[node].count > JSONNameTree.longestSearch {
      var name: [UInt8] = []
      _ = unsafe JSONBytes.decode(bytes, key) { byte in
        name.append(byte)
        return true
      }
      guard let index = table[Key(node: node, name: name)] else { return -1 }
      nodes[node].expected = entries[index].next
      return index
    }
    var index = nodes[node].first
    while index >= 0 {
      if unsafe matches(bytes, key, hasEscapes, index) {
        nodes[node].expected = entries[index].next
        return index
      }
      index = entries[index].next
    }
    return -1
  }

  @inline(__always)
  private func matches(_ bytes: UnsafePointer<UInt8>, _ key: Range<Int>, _ hasEscapes: Bool, _ index: Int) -> Bool {
    let start = entries[index].start
    let count = entries[index].count
    if !hasEscapes && key.count != count { return false }
    return unsafe text.withUnsafeBufferPointer { text in
      guard let names = text.baseAddress else { return key.isEmpty && count == 0 }
      if hasEscapes { return unsafe JSONBytes.equalDecoded(bytes, key, names + start, count) }
      return unsafe JSONBytes.equal(bytes, key.lowerBound, names + start, count)
    }
  }
}

/// One step of a walk over the members of sound objects, inner ones included.
enum JSONWalkStep {
  /// A member: its key, and where its value begins.
  case member(key: Range<Int>, hasEscapes: Bool, value: Int)
  /// The present object ends before this position.
  case end(Int)

  /// The step from `at`, inside an object and not inside a member.
  @inline(__always)
  static func next(_ bytes: UnsafePointer<UInt8>, from: Int, count: Int) -> JSONWalkStep {
    var at = from
    while at < count, unsafe JSONBytes.isWhite(bytes[at]) || bytes[at] == UInt8(ascii: ",") { at &+= 1 }
    guard at < count, unsafe bytes[at] == JSONBytes.quote else { return .end(min(at &+ 1, count)) }
    let (close, hasEscapes) = unsafe JSONBytes.stringEnd(bytes, from: at &+ 1, count: count)
    let key = min(at &+ 1, close)..<close
    at = min(close &+ 1, count)
    while at < count, unsafe JSONBytes.isWhite(bytes[at]) || bytes[at] == UInt8(ascii: ":") { at &+= 1 }
    return .member(key: key, hasEscapes: hasEscapes, value: at)
  }

  /// Whether an object with members begins at `at`.
  @inline(__always)
  static func isFilledObject(_ bytes: UnsafePointer<UInt8>, at: Int, count: Int) -> Bool {
    guard at < count, unsafe bytes[at] == UInt8(ascii: "{") else { return false }
    let first = unsafe JSONBytes.skipWhite(bytes, from: at &+ 1, count: count)
    guard first < count else { return false }
    return unsafe bytes[first] != UInt8(ascii: "}")
  }
}
