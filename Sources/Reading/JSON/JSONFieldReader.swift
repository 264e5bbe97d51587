// The fields of single JSON records for printing: one walk over a record finds the fields of all columns.
//
// A column `gear.id` is the top-level key of just that name, or else the key `id` in the object `gear`, and so on with
// every way to cut the name at its dots, the fewest levels winning; of equal keys the last one counts.

/// Picks the fields of columns out of sound records.
package struct JSONFieldReader: FieldReader {
  private var tree = JSONNameTree()
  private let columns: [FieldName]
  private let flattens: Bool
  /// Whether an object with members is the field of the column of its own name.
  private let showsObjects: Bool
  /// The columns whose names lead into arrays, and the rest of the way.
  private var elementColumns: [Int] = []
  private var elementFinder: JSONWantedFields
  private var elementSlots: [Field]
  private var elementFields: [Field] = []
  /// For each column in how many levels its field was found, where it was.
  private var levels: [Int]
  private var frames: [Frame] = []
  private var stamp: UInt64 = 0

  /// Columns whose name stands before them in the list, and where.
  private var repeated: [(column: Int, original: Int)] = []

  /// An object whose walk is interrupted by one inside it.
  private struct Frame: Sendable {
    var place: JSONNameTree.Place
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
  ///   - otherNames: names that are known, and not wanted.
  ///   - nullNames: names that are known as long as nothing but null stands under them.
  package init(
    columns: [FieldName], flattens: Bool, showsObjects: Bool = false, otherNames: [[UInt8]] = [],
    nullNames: [[UInt8]] = []
  ) {
    self.columns = columns
    self.flattens = flattens
    levels = Array(repeating: 0, count: columns.count)
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
    for (names, column) in [(otherNames, JSONFieldReader.otherName), (nullNames, JSONFieldReader.nullName)] {
      for name in names { _ = JSONFieldReader.plant(name, column: column, cuts: flattens, into: &tree) }
    }
    elementFinder = JSONWantedFields(elementNames)
    elementSlots = Array(repeating: .missing, count: max(1, elementFinder.keys.count))
  }

  /// What an entry has for a column whose name is known and not wanted.
  private static let otherName = -2
  private static let nullName = -3

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
      if tree.entries[entry].column == -1 { tree.entries[entry].column = column }
      if start.offset == 0 { first = tree.entries[entry].column }
    }
    return first
  }

  @discardableResult
  package mutating func read(_ record: Span<UInt8>, into fields: inout [Field]) -> Bool {
    if fields.count != columns.count { fields = Array(repeating: .missing, count: columns.count) }
    // Taken out, so that they can change while the rest is in use.
    var levels: [Int] = []
    swap(&levels, &self.levels)
    var hasOtherNames = false
    unsafe record.withUnsafeBufferPointer { buffer in
      unsafe fields.withUnsafeMutableBufferPointer { fields in
        unsafe levels.withUnsafeMutableBufferPointer { levels in
          var found = unsafe FoundFields(fields: fields, levels: levels)
          unsafe fields.update(repeating: .missing)
          guard let bytes = buffer.baseAddress, buffer.count > 0 else { return }
          hasOtherNames =
            unsafe bytes[0] == UInt8(ascii: "{")
            ? walk(bytes, count: buffer.count, into: &found) : takeWhole(bytes, count: buffer.count, into: &found)
        }
      }
      if !elementColumns.isEmpty, let bytes = buffer.baseAddress,
        unsafe buffer.count > 0 && bytes[0] == UInt8(ascii: "{")
      {
        unsafe readElements(bytes, count: buffer.count, into: &fields)
      }
    }
    swap(&levels, &self.levels)
    for (column, original) in repeated { fields[column] = fields[original] }
    return hasOtherNames
  }

  /// A record that is no object is the field of a column of its own.
  private func takeWhole(_ bytes: UnsafePointer<UInt8>, count: Int, into found: inout FoundFields) -> Bool {
    let whole = unsafe JSONBytes.value(bytes, from: 0, count: count).field
    var hasOtherNames = true
    for index in 0..<columns.count where columns[index].text.elementsEqual("value".utf8) {
      unsafe found.fields[index] = whole
      hasOtherNames = false
    }
    return hasOtherNames
  }

  /// - Returns: whether something was met whose name is neither that of a column nor known otherwise.
  private mutating func walk(
    _ bytes: UnsafePointer<UInt8>, count: Int, into found: inout FoundFields
  ) -> Bool {
    frames.removeAll(keepingCapacity: true)
    stamp &+= 1
    var objectStamp = stamp
    var place = JSONNameTree.Place(node: 0)
    var hasOtherNames = false
    var at = 1
    while true {
      let met: Int
      switch unsafe tree.next(bytes, from: at, count: count, &place) {
      case .end(let end):
        guard let outer = frames.popLast() else { return hasOtherNames }
        if outer.column >= 0 { unsafe found.note(Field(outer.inner..<end, .object), outer.column, frames.count) }
        place = outer.place
        objectStamp = outer.stamp
        at = end
        continue
      case .unknown(let key, let value):
        hasOtherNames = true
        // From now on it is expected like others.
        if tree.nodes[place.node].count < JSONNameTree.longestSearch {
          place.entry = unsafe tree.entry(JSONBytes.decoded(bytes, key)[...], under: place.node)
        }
        at = unsafe JSONBytes.value(bytes, from: value, count: count).end
        continue
      case .member(let known, let value):
        met = known
        at = value
      }
      let level = frames.count
      let entry = tree.entries[met]
      // The same key again in this object: it replaces what was found under the first.
      if entry.stamp == objectStamp { unsafe forget(met, level, &found) }
      tree.entries[met].stamp = objectStamp
      // As deep as columns are made of leaves, an object with members is shown by them only.
      let isFlattened =
        unsafe level < JSONLimits.flatteningDepth && JSONWalkStep.isFilledObject(bytes, at: at, count: count)
      if isFlattened && entry.node >= 0 {
        if !flattens && entry.column == -1 { hasOtherNames = true }
        frames.append(
          Frame(place: place, stamp: objectStamp, inner: at, column: showsObjects ? entry.column : -1))
        stamp &+= 1
        objectStamp = stamp
        place = JSONNameTree.Place(node: entry.node)
        at &+= 1
        continue
      }
      let (field, end) = unsafe JSONBytes.value(bytes, from: at, count: count)
      at = end
      if entry.column >= 0 {
        if showsObjects || !isFlattened { unsafe found.note(field, entry.column, level) }
      } else if entry.column == -1 || entry.column == JSONFieldReader.nullName && field.kind != .null {
        hasOtherNames = true
      }
      // With flattening, its leaves are what has names.
      if isFlattened && flattens { hasOtherNames = true }
    }
  }

  /// Drops what was found under an entry.
  private func forget(_ entry: Int, _ level: Int, _ found: inout FoundFields) {
    unsafe found.forget(tree.entries[entry].column, level)
    guard tree.entries[entry].node >= 0 else { return }
    var nodes = [(node: tree.entries[entry].node, level: level + 1)]
    while let (node, level) = nodes.popLast() {
      var index = tree.nodes[node].first
      while index >= 0 {
        let entry = tree.entries[index]
        unsafe found.forget(entry.column, level)
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

/// The fields found so far of one record.
@unsafe private struct FoundFields {
  let fields: UnsafeMutableBufferPointer<Field>
  /// In how many levels each was found, where it was.
  let levels: UnsafeMutableBufferPointer<Int>

  /// Takes a field for its column, unless one was found in fewer levels.
  @inline(__always)
  mutating func note(_ field: Field, _ column: Int, _ level: Int) {
    if unsafe fields[column].kind != .missing && levels[column] < level { return }
    unsafe levels[column] = level
    unsafe fields[column] = field
  }

  /// Drops what was found in so many levels; -1 and below are no column.
  mutating func forget(_ column: Int, _ level: Int) {
    if unsafe column >= 0 && levels[column] == level { unsafe fields[column] = .missing }
  }
}
