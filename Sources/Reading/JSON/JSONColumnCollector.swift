// Collects the columns of JSON records in order of their first appearance: the keys, and with flattening the leaves of
// nested objects, joined by dots. A record that brings nothing new costs one comparison a key.

package struct JSONColumnCollector: Sendable {
  /// The columns found so far.
  package private(set) var names: [[UInt8]] = []
  private let flattens: Bool
  private var tree = JSONNameTree()
  /// For each node what its columns' names begin with.
  private var prefixes: [[UInt8]] = [[]]
  private var columns: [[UInt8]: Int] = [:]
  private var nodesOnTheWay: [Int] = []

  /// - Parameter flattens: whether nested objects become columns of their own.
  package init(flattens: Bool) { self.flattens = flattens }

  /// Takes note of the columns of one sound record.
  package mutating func add(_ record: Span<UInt8>) {
    unsafe record.withUnsafeBufferPointer { buffer in
      guard let bytes = buffer.baseAddress, buffer.count > 0 else { return }
      if unsafe bytes[0] == UInt8(ascii: "{") {
        unsafe walk(bytes, count: buffer.count)
      } else if columns[Array("value".utf8)] == nil {
        _ = column(Array("value".utf8))
      }
    }
  }

  /// Takes note of columns that another collector has found.
  package mutating func add(names: [[UInt8]]) {
    for name in names { _ = column(name) }
  }

  private mutating func walk(_ bytes: UnsafePointer<UInt8>, count: Int) {
    nodesOnTheWay.removeAll(keepingCapacity: true)
    var node = 0
    tree.begin(0)
    var at = 1
    while true {
      switch unsafe JSONWalkStep.next(bytes, from: at, count: count) {
      case .end(let end):
        guard let outer = nodesOnTheWay.popLast() else { return }
        node = outer
        at = end
      case .member(let key, let hasEscapes, let value):
        var entry = unsafe tree.find(bytes, key, hasEscapes: hasEscapes, under: node)
        if entry < 0 {
          var name: [UInt8] = []
          _ = unsafe JSONBytes.decode(bytes, key) { byte in
            name.append(byte)
            return true
          }
          entry = tree.entry(name[...], under: node)
        }
        if flattens && nodesOnTheWay.count < JSONLimits.flatteningDepth,
          unsafe JSONWalkStep.isFilledObject(bytes, at: value, count: count)
        {
          if tree.entries[entry].node < 0 {
            tree.entries[entry].node = tree.makeNode()
            prefixes.append(name(of: entry, under: node) + [UInt8(ascii: ".")])
          }
          nodesOnTheWay.append(node)
          node = tree.entries[entry].node
          tree.begin(node)
          at = value &+ 1
        } else {
          if tree.entries[entry].column < 0 {
            tree.entries[entry].column = column(name(of: entry, under: node))
          }
          at = unsafe JSONBytes.value(bytes, from: value, count: count).end
        }
      }
    }
  }

  /// The index of the column of this name, a new one if there is none.
  private mutating func column(_ name: [UInt8]) -> Int {
    if let known = columns[name] { return known }
    columns[name] = names.count
    names.append(name)
    return names.count - 1
  }

  private func name(of entry: Int, under node: Int) -> [UInt8] {
    let entry = tree.entries[entry]
    return prefixes[node] + tree.text[entry.start..<(entry.start + entry.count)]
  }
}
