// The names of columns as a tree along the keys of nested objects, for walking a record once.
//
// Trick: each key expects the one that followed it last time. Names are kept as they stand in a record, `"name":`, so a
// record whose keys come in the usual order costs one comparison of bytes a key, and nothing is written.

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
    /// The entry whose key followed this one the last time that had to be looked up, or -1.
    var follower = -1
    /// The bytes of `"name":`, or more than any record has where the name stands in no record just so.
    var writtenCount: Int
    /// In which walk over which object the key was met last.
    var stamp: UInt64
  }

  struct Node: Sendable {
    var first = -1
    var last = -1
    /// The entry whose key came first the last time that had to be looked up, or -1.
    var opening = -1
    var count = 0
  }

  /// Nodes with more keys than this are searched through a table: data may have a new key in every record.
  static let longestSearch = 32

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
    // Such a name has escapes in a record. (One with a control character has too, and equals no sound text as it is.)
    let isWritten = !key.contains(JSONBytes.quote) && !key.contains(JSONBytes.backslash)
    entries.append(
      Entry(
        start: text.count + 1, count: key.count, column: -1, node: -1, next: -1,
        writtenCount: isWritten ? key.count + 3 : .max, stamp: 0))
    text.append(JSONBytes.quote)
    text.append(contentsOf: key)
    text.append(JSONBytes.quote)
    text.append(UInt8(ascii: ":"))
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

  /// Where a walk stands in an object: its node, and the entry of the key before, or -1.
  struct Place {
    var node: Int
    var entry = -1
  }

  /// What comes next in an object.
  enum Step {
    /// A member: the entry of its key, and where its value begins.
    case member(Int, value: Int)
    /// A member whose key is not in the tree.
    case unknown(key: Range<Int>, value: Int)
    /// The object ends before this position.
    case end(Int)
  }

  /// The step from `at`, inside an object and not inside a member.
  @inline(__always)
  mutating func next(_ bytes: UnsafePointer<UInt8>, from at: Int, count: Int, _ place: inout Place) -> Step {
    var start = at
    if start < count, unsafe bytes[start] == UInt8(ascii: ",") { start &+= 1 }
    start = unsafe JSONBytes.skipWhite(bytes, from: start, count: count)
    if start < count, unsafe bytes[start] == UInt8(ascii: "}") { return .end(start &+ 1) }
    let expected = place.entry < 0 ? nodes[place.node].opening : entries[place.entry].follower
    if expected >= 0 {
      var entry = expected
      var value = unsafe valueAfter(entry, at: start, bytes, count)
      if value == 0 {
        // A key that is often left out.
        entry = entries[expected].follower
        if entry >= 0 { value = unsafe valueAfter(entry, at: start, bytes, count) }
      }
      if value != 0 {
        place.entry = entry
        return .member(entry, value: unsafe JSONBytes.skipWhite(bytes, from: value, count: count))
      }
    }
    return unsafe lookUp(bytes, from: at, count: count, &place)
  }

  /// Where the text after `"name":` begins if it stands at `start`, else 0.
  @inline(__always)
  private func valueAfter(_ entry: Int, at start: Int, _ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int {
    let length = entries[entry].writtenCount
    guard length < count &- start else { return 0 }
    let name = entries[entry].start &- 1
    return unsafe text.withUnsafeBufferPointer { text in
      guard let names = text.baseAddress, unsafe JSONBytes.equal(bytes, start, names + name, length) else { return 0 }
      return start &+ length
    }
  }

  /// The same step for any key, which will be expected here the next time.
  @inline(never)
  private mutating func lookUp(
    _ bytes: UnsafePointer<UInt8>, from at: Int, count: Int, _ place: inout Place
  ) -> Step {
    switch unsafe JSONWalkStep.next(bytes, from: at, count: count) {
    case .end(let end): return .end(end)
    case .member(let key, let hasEscapes, let value):
      let found = unsafe search(bytes, key, hasEscapes, under: place.node)
      if found < 0 { return .unknown(key: key, value: value) }
      if place.entry < 0 { nodes[place.node].opening = found } else { entries[place.entry].follower = found }
      place.entry = found
      return .member(found, value: value)
    }
  }

  private mutating func search(
    _ bytes: UnsafePointer<UInt8>, _ key: Range<Int>, _ hasEscapes: Bool, under node: Int
  ) -> Int {
    if nodes[node].count > JSONNameTree.longestSearch {
      return table[Key(node: node, name: unsafe JSONBytes.decoded(bytes, key))] ?? -1
    }
    var index = nodes[node].first
    while index >= 0 {
      if unsafe matches(bytes, key, hasEscapes, index) { return index }
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
