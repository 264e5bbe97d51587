// Collects the columns of JSON records in order of their first appearance: the keys, and with flattening the leaves of
// nested objects, joined by dots. A record that brings nothing new costs one comparison a key.
//
// A key that has an object in some records and null in all others is no column: only its leaves are, and they stand
// where the key stood first.

package struct JSONColumnCollector: Sendable {
  /// All names found so far, in order of appearance, those that are no columns among them.
  package private(set) var found: [[UInt8]] = []
  /// Of each name, whether all its values were null so far, and whether objects were among them.
  private var isNullOnly: [Bool] = []
  private var hasObjects: [Bool] = []
  /// Of each name, the one that it stands behind, or -1.
  private var anchors: [Int] = []
  /// Of each node, the name of the key that its objects stand under, or -1 where that has none.
  private var nodeAnchors: [Int] = [-1]
  private let flattens: Bool
  private var tree = JSONNameTree()
  /// For each node what its columns' names begin with.
  private var prefixes: [[UInt8]] = [[]]
  /// More names than this are searched through a table.
  private static let longestSearch = 32
  /// The names' indexes in `found`, once they are many.
  private var columns: [[UInt8]: Int] = [:]
  private var placesOnTheWay: [JSONNameTree.Place] = []
  /// The indexes in `found` of names that were no columns and became some.
  package private(set) var turned: [Int] = []
  /// How often a record said something new. Those that did say all that is known here: the others can be left out.
  package private(set) var newsCount = 0

  /// - Parameter flattens: whether nested objects become columns of their own.
  package init(flattens: Bool) { self.flattens = flattens }

  /// Takes note of the columns of one sound record.
  package mutating func add(_ record: Span<UInt8>) {
    unsafe record.withUnsafeBufferPointer { buffer in
      guard let bytes = buffer.baseAddress, buffer.count > 0 else { return }
      if unsafe bytes[0] == UInt8(ascii: "{") {
        unsafe walk(bytes, count: buffer.count)
      } else if index(of: Array("value".utf8)) == nil {
        isNullOnly[column(Array("value".utf8), anchor: -1)] = false
        newsCount += 1
      }
    }
  }

  /// Takes note of columns that another collector has found.
  package mutating func add(names: [[UInt8]]) {
    for name in names { isNullOnly[column(name, anchor: -1)] = false }
  }

  /// The columns found so far.
  package var names: [[UInt8]] {
    // The way from a name's outermost anchor to itself is its place in the order.
    func place(_ index: Int) -> [Int] {
      var way = [index]
      while let anchor = way.last.map({ anchors[$0] }), anchor >= 0 { way.append(anchor) }
      return way.reversed()
    }
    let shown = found.indices.filter { isColumn($0) }
    if !anchors.contains(where: { $0 >= 0 }) { return shown.map { found[$0] } }
    let placed = shown.map { (index: $0, place: place($0)) }
    return placed.sorted { $0.place.lexicographicallyPrecedes($1.place) }.map { found[$0.index] }
  }

  /// Whether the name at an index of `found` is a column.
  package func isColumn(_ index: Int) -> Bool { !(isNullOnly[index] && hasObjects[index]) }

  private mutating func walk(_ bytes: UnsafePointer<UInt8>, count: Int) {
    placesOnTheWay.removeAll(keepingCapacity: true)
    var place = JSONNameTree.Place(node: 0)
    var at = 1
    while true {
      let entry: Int
      switch unsafe tree.next(bytes, from: at, count: count, &place) {
      case .end(let end):
        guard let outer = placesOnTheWay.popLast() else { return }
        place = outer
        at = end
        continue
      case .member(let known, let value):
        entry = known
        at = value
      case .unknown(let key, let value):
        entry = unsafe tree.entry(JSONBytes.decoded(bytes, key)[...], under: place.node)
        place.entry = entry
        at = value
      }
      if flattens && placesOnTheWay.count < JSONLimits.flatteningDepth,
        unsafe JSONWalkStep.isFilledObject(bytes, at: at, count: count)
      {
        if tree.entries[entry].node < 0 { makeNode(for: entry, under: place.node) }
        placesOnTheWay.append(place)
        place = JSONNameTree.Place(node: tree.entries[entry].node)
        at &+= 1
      } else {
        if tree.entries[entry].column < 0 { makeColumn(for: entry, under: place.node) }
        let column = tree.entries[entry].column
        if isNullOnly[column], unsafe !(at < count && bytes[at] == UInt8(ascii: "n")) {
          newsCount &+= 1
          isNullOnly[column] = false
          if hasObjects[column] { turned.append(column) }
        }
        at = unsafe JSONBytes.value(bytes, from: at, count: count).end
      }
    }
  }

  private mutating func makeNode(for entry: Int, under node: Int) {
    newsCount &+= 1
    tree.entries[entry].node = tree.makeNode()
    prefixes.append(name(of: entry, under: node) + [UInt8(ascii: ".")])
    let own = tree.entries[entry].column
    nodeAnchors.append(own >= 0 ? own : nodeAnchors[node])
    if own >= 0 { hasObjects[own] = true }
  }

  private mutating func makeColumn(for entry: Int, under node: Int) {
    newsCount &+= 1
    let made = column(name(of: entry, under: node), anchor: nodeAnchors[node])
    tree.entries[entry].column = made
    if tree.entries[entry].node >= 0 { hasObjects[made] = true }
  }

  /// The index of this name in `found`, a new one if it is not there.
  private mutating func column(_ name: [UInt8], anchor: Int) -> Int {
    if let known = index(of: name) { return known }
    found.append(name)
    if !columns.isEmpty {
      columns[name] = found.count - 1
    } else if found.count > Self.longestSearch {
      for index in found.indices { columns[found[index]] = index }
    }
    isNullOnly.append(true)
    hasObjects.append(false)
    anchors.append(anchor)
    return found.count - 1
  }

  private func index(of name: [UInt8]) -> Int? { columns.isEmpty ? found.firstIndex(of: name) : columns[name] }

  private func name(of entry: Int, under node: Int) -> [UInt8] {
    let entry = tree.entries[entry]
    return prefixes[node] + tree.text[entry.start..<(entry.start + entry.count)]
  }
}
