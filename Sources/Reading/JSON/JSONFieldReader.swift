// The fields of single JSON records for printing: one walk over a record finds the fields of all columns.
//
// A column `gear.id` is the top-level key of just that name, or else the key `id` in the object `gear`, and so on with
// every way to cut the name at its dots, the fewest levels winning; of equal keys the last one counts.

/// Picks the fields of columns out of sound records.
package struct JSONFieldReader: FieldReader {
  private var tree = JSONNameTree()
  private let columns: [FieldName]
  /// Whether an object with members is the field of the column of its own name.
  private let showsObjects: Bool
  /// The columns whose names lead into arrays, and the rest of the way.
  private var elementColumns: [Int] = []
  private var elementFinder: JSONWantedFields
  private var elementSlots: [Field]
  private var elementFields: [Field] = []
  /// For each column in how many levels its field was found.
  private var levels: [Int] = []
  private var frames: [Frame] = []
  private var stamp: UInt64 = 0

  /// Columns whose name stands before them in the list, and where.
  private var repeated: [(column: Int, original: Int)] = []

  /// An object whose walk is interrupted by one inside it.
  private struct Frame: Sendable {
    var node: Int
    var stamp: UInt64
    /// Where the inner object begins, and the column that shows it, or -1.
    var inner: Int
    var column: Int
  }

  /// - Parameters:
  ///   - columns: the columns, in the order of the fields.
  ///   - flattens: whether nested objects are shown by their leaves, so that a column shows an object only if it is
  ///     empty or nested too deep.
  ///   - showsObjects: shows objects all the same, as when the columns were named one by one.
  package init(columns: [FieldName], flattens: Bool, showsObjects: Bool = false) {
    self.columns = columns
    self.showsObjects = !flattens || showsObjects
    var elementNames: [FieldName] = []
    for (index, column) in columns.enumerated() {
      let leadsIntoArray = column.path.contains {
        if case .element = $0 { true } else { false }
      }
      if leadsIntoArray {
        elementColumns.append(index)
        elementNames.append(column)
      }
      // A collected name may be cut at any dot; a given one that is no path is one key.
      let first = JSONFieldReader.plant(
        column.text, column: index, cuts: flattens || !column.path.isEmpty, into: &tree)
      if first != index { repeated.append((index, first)) }
    }
    elementFinder = JSONWantedFields(elementNames)
    elementSlots = Array(repeating: .missing, count: max(1, elementFinder.keys.count))
  }

  /// Puts one name into the tree, by every way to cut it at its dots.
  ///
  /// - Returns: the first column of this name.
  private static func plant(_ name: [UInt8], column: Int, cuts: Bool, into tree: inout JSONNameTree) -> Int {
    var starts = [(offset: 0, node: 0)]
    if cuts {
      for (index, byte) in name.enumerated() where byte == UInt8(ascii: ".") {
        // All ways to come to this dot lead to one node.
        var node = -1
        for start in starts where starts.count <= JSONLimits.flatteningDepth {
          let entry = tree.entry(name[start.offset..<index], under: start.node)
          if tree.entries[entry].node >= 0 { node = tree.entries[entry].node }
        }
        if node < 0 { node = tree.makeNode() }
        for start in starts where starts.count <= JSONLimits.flatteningDepth {
          tree.entries[tree.entry(name[start.offset..<index], under: start.node)].node = node
        }
        if starts.count <= JSONLimits.flatteningDepth { starts.append((index + 1, node)) }
      }
    }
    var first = column
    for start in starts {
      let entry = tree.entry(name[start.offset...], under: start.node)
      if tree.entries[entry].column < 0 { tree.entries[entry].column = column }
      if start.offset == 0 { first = tree.entries[entry].column }
    }
    return first
  }

  package mutating func read(_ record: Span<UInt8>, into fields: inout [Field]) {
    fields.removeAll(keepingCapacity: true)
    for _ in 0..<columns.count { fields.append(.missing) }
    unsafe record.withUnsafeBufferPointer { buffer in
      guard let bytes = buffer.baseAddress, buffer.count > 0 else { return }
      let count = buffer.count
      guard unsafe bytes[0] == UInt8(ascii: "{") else {
        let whole = unsafe JSONBytes.value(bytes, from: 0, count: count).field
        for index in 0..<columns.count where columns[index].text.elementsEqual("value".utf8) { fields[index] = whole }
        return
      }
      unsafe walk(bytes, count: count, into: &fields)
      if !elementColumns.isEmpty { unsafe readElements(bytes, count: count, into: &fields) }
    }
    for (column, original) in repeated { fields[column] = fields[original] }
  }

  private mutating func walk(_ bytes: UnsafePointer<UInt8>, count: Int, into fields: inout [Field]) {
    levels.removeAll(keepingCapacity: true)
    for _ in 0..<columns.count { levels.append(.max) }
    frames.removeAll(keepingCapacity: true)
    stamp &+= 1
    var node = 0
    var objectStamp = stamp
    tree.begin(0)
    var at = 1
    while true {
      let key: Range<Int>
      let hasEscapes: Bool
      switch unsafe JSONWalkStep.next(bytes, from: at, count: count) {
      case .end(let end):
        guard let outer = frames.popLast() else { return }
        if outer.column >= 0 { note(Field(outer.inner..<end, .object), outer.column, frames.count, &fields) }
        node = outer.node
        objectStamp = outer.stamp
        at = end
        continue
      case .member(let memberKey, let escapes, let value):
        key = memberKey
        hasEscapes = escapes
        at = value
      }
      let found = unsafe tree.find(bytes, key, hasEscapes: hasEscapes, under: node)
      guard found >= 0 else {
        at = unsafe JSONBytes.value(bytes, from: at, count: count).end
        continue
      }
      let level = frames.count
      let entry = tree.entries[found]
      // The same key again in this object: it replaces what was found under the first.
      if entry.stamp == objectStamp { forget(found, level, &fields) }
      tree.entries[found].stamp = objectStamp
      // As deep as columns are made of leaves, an object with members is shown by them only.
      let isFlattened =
        unsafe level < JSONLimits.flatteningDepth && JSONWalkStep.isFilledObject(bytes, at: at, count: count)
      if isFlattened && entry.node >= 0 {
        frames.append(
          Frame(node: node, stamp: objectStamp, inner: at, column: showsObjects ? entry.column : -1))
        stamp &+= 1
        objectStamp = stamp
        node = entry.node
        tree.begin(node)
        at &+= 1
        continue
      }
      let (field, end) = unsafe JSONBytes.value(bytes, from: at, count: count)
      at = end
      if entry.column >= 0 && (showsObjects || !isFlattened) { note(field, entry.column, level, &fields) }
    }
  }

  /// Takes a field for its column, unless one was found in fewer levels.
  @inline(__always)
  private mutating func note(_ field: Field, _ column: Int, _ level: Int, _ fields: inout [Field]) {
    if levels[column] < level { return }
    levels[column] = level
    fields[column] = field
  }

  /// Drops what was found under an entry.
  private mutating func forget(_ entry: Int, _ level: Int, _ fields: inout [Field]) {
    let column = tree.entries[entry].column
    if column >= 0 && levels[column] == level {
      levels[column] = .max
      fields[column] = .missing
    }
    guard tree.entries[entry].node >= 0 else { return }
    var nodes = [(node: tree.entries[entry].node, level: level + 1)]
    while let (node, level) = nodes.popLast() {
      var index = tree.nodes[node].first
      while index >= 0 {
        let entry = tree.entries[index]
        if entry.column >= 0 && levels[entry.column] == level {
          levels[entry.column] = .max
          fields[entry.column] = .missing
        }
        if entry.node >= 0 { nodes.append((entry.node, level + 1)) }
        index = entry.next
      }
    }
  }

  /// Finds the columns that lead into arrays, where no key has their exact name.
  private mutating func readElements(_ bytes: UnsafePointer<UInt8>, count: Int, into fields: inout [Field]) {
    elementFields.removeAll(keepingCapacity: true)
    let finder = elementFinder
    unsafe elementSlots.withUnsafeMutableBufferPointer { slots in
      guard let slots = slots.baseAddress else { return }
      unsafe finder.find(bytes, record: 0..<count, slots: slots, into: &elementFields)
    }
    for (index, column) in elementColumns.enumerated() where fields[column].kind == .missing {
      fields[column] = elementFields[index]
    }
  }
}
