// Which columns are printed, in which order, and where each input has them.

package import Reading

/// What the person says about columns.
package struct ColumnRequest: Sendable {
  /// `--columns`; nil: all.
  package var columns: [ColumnSelection]?
  /// `--hide`.
  package var hidden: [ColumnSelection] = []
  /// Whether nested objects become columns of their own.
  package var flattens = true

  package init() {}
}

/// A column that no CSV input has.
package struct UnknownColumnError: Error, Sendable, Equatable {
  package let name: [UInt8]
  /// The option that names it, where that is known.
  package var option: String?
  /// The columns most like it, the nearest first.
  package let nearest: [[UInt8]]

  package init(name: [UInt8], among names: [[UInt8]]) {
    self.name = name
    nearest = NearestNames.find(name, among: names, limit: 3)
  }

  /// One line for people.
  package var message: String {
    "unknown column '\(SafeName.text(name, limit: 60))'" + Self.suggestion(nearest)
  }

  /// `; did you mean 'a' or 'b'?`, or nothing.
  package static func suggestion(_ nearest: [[UInt8]]) -> String {
    guard !nearest.isEmpty else { return "" }
    return "; did you mean " + nearest.map { "'\(SafeName.text($0, limit: 60))'" }.joined(separator: " or ") + "?"
  }
}

/// The columns of what is printed.
package struct ColumnPlan: Sendable {
  /// The columns' names, all different.
  package private(set) var names: [[UInt8]]
  /// Where a column is named more than once: of each one printed its index in `names`. Otherwise nil.
  package private(set) var repeatedIndexes: [Int]?
  /// The columns that --hide leaves out of all; cells beyond the header are counted on from these too.
  package private(set) var hiddenNames: [[UInt8]] = []
  /// A name asked for that was in no record looked at so far.
  package struct AbsentName: Sendable {
    /// The option that asks for it.
    package let option: String
    package let name: [UInt8]
    /// The column that it stands for, which a row to come may still fill.
    package let columnIndex: Int?
    /// Whether it is part of a known field that makes no columns of its own.
    let isInside: Bool
    /// The names most like it.
    let nearest: [[UInt8]]

    /// One line for people, for when no row has filled it.
    package var note: String { "\(option): \(reason)" }

    /// The note without the option, which is not what was typed in a pager.
    package var reason: String {
      if isInside { return "'\(SafeName.text(name, limit: 60))' is inside of a field that is printed whole here" }
      return "no record read has a field '\(SafeName.text(name, limit: 60))'" + UnknownColumnError.suggestion(nearest)
    }
  }

  /// Names asked for that no record looked at had.
  package private(set) var absentNames: [AbsentName] = []
  private let request: ColumnRequest
  private let inputs: [DatasetInput]

  /// Plans the columns.
  ///
  /// - Parameters:
  ///   - known: the names that were found in the data, in order of appearance.
  /// - Throws: `UnknownColumnError` for a name that is in no header of a dataset of CSV alone.
  package init(_ request: ColumnRequest, known: [[UInt8]], inputs: [DatasetInput]) throws(UnknownColumnError) {
    self.request = request
    self.inputs = inputs
    names = []
    let isChecked = inputs.allSatisfy { if case .json = $0.content { false } else { true } } && !known.isEmpty
    guard let patterns = request.columns else {
      for pattern in request.hidden {
        if !known.contains(where: { pattern.matches($0) }) {
          if isChecked { throw Self.unknown(pattern.text, "--hide", known) }
          addAbsent(pattern.text, "--hide", known, isInside: mayBeInside(FieldName(pattern.text), known))
        }
      }
      for name in known {
        if request.hidden.contains(where: { $0.matches(name) }) { hiddenNames.append(name) } else { names.append(name) }
      }
      return
    }
    // With those that are named again; a group adds what is not there yet.
    var printed: [[UInt8]] = []
    for pattern in patterns {
      switch pattern {
      case .name(let name):
        if !known.contains(name.text) && !names.contains(name.text) {
          let isObject = known.contains { ColumnSelection.group(name.text).matches($0) }
          if isChecked { throw Self.unknown(name.text, "--columns", known) }
          if !isObject && !mayBeInside(name, known) {
            addAbsent(name.text, "--columns", known, columnIndex: names.count)
          }
        }
        if !names.contains(name.text) { names.append(name.text) }
        printed.append(name.text)
      case .group:
        let members = known.filter { pattern.matches($0) && !names.contains($0) }
        if members.isEmpty {
          if isChecked { throw Self.unknown(pattern.text, "--columns", known) }
          addAbsent(pattern.text, "--columns", known)
        }
        names.append(contentsOf: members)
        printed.append(contentsOf: members)
      }
    }
    defer { noteRepeated(printed) }
    guard !request.hidden.isEmpty else { return }
    names.removeAll { name in request.hidden.contains { $0.matches(name) } }
    let left = names
    absentNames = absentNames.map { absent in
      AbsentName(
        option: absent.option, name: absent.name, columnIndex: left.firstIndex(of: absent.name),
        isInside: absent.isInside, nearest: absent.nearest
      )
    }
  }

  private mutating func noteRepeated(_ printed: [[UInt8]]) {
    let indexes = printed.compactMap { names.firstIndex(of: $0) }
    if indexes.count > names.count { repeatedIndexes = indexes }
  }

  /// Puts the fields of a row, which are those of `names`, where they are printed.
  package static func repeatFields(_ indexes: [Int], in fields: inout [Field]) {
    let count = fields.count
    for index in indexes where index < count { fields.append(fields[index]) }
    fields.removeFirst(count)
  }

  private static func unknown(_ name: [UInt8], _ option: String, _ known: [[UInt8]]) -> UnknownColumnError {
    var error = UnknownColumnError(name: name, among: known)
    error.option = option
    return error
  }

  private mutating func addAbsent(
    _ name: [UInt8], _ option: String, _ known: [[UInt8]], columnIndex: Int? = nil, isInside: Bool = false
  ) {
    // Of no record at all, no name is unknown.
    guard !known.isEmpty else { return }
    absentNames.append(
      AbsentName(
        option: option, name: name, columnIndex: columnIndex, isInside: isInside,
        nearest: NearestNames.find(name, among: known, limit: 3)))
  }

  /// Whether a path leads into a column whose inside is not among the known names: an array, or an object where those
  /// make no columns of their own.
  private func mayBeInside(_ name: FieldName, _ known: [[UInt8]]) -> Bool {
    guard case .member(let root)? = name.path.first else { return false }
    let goesIntoArrays = name.path.contains { if case .element = $0 { true } else { false } }
    guard goesIntoArrays || !request.flattens else { return false }
    return known.contains { $0 == root || ColumnSelection.group(root).matches($0) }
  }

  /// Whether all cells of a CSV row are printed, also those beyond the header.
  package var includesExtras: Bool { request.columns == nil }

  /// Of each input the delimiter where its records hold exactly these columns in this order; nil elsewhere.
  package func delimitersOfWholeRecords() -> [UInt8?] {
    inputs.map { input in
      guard includesExtras, case .csv(let dialect, let header) = input.content, header.names.count == names.count,
        names.indices.allSatisfy({ header.index(of: names[$0]) == $0 })
      else { return nil }
      return dialect.delimiter
    }
  }

  /// A reader for the columns of each input.
  ///
  /// - Parameter nullNames: names that are no news to a reader of JSON as long as nothing but null stands under them.
  package func makeReaders(nullNames: [[UInt8]] = []) -> [any FieldReader] {
    inputs.map { input in
      switch input.content {
      case .csv(let dialect, let header):
        CSVFieldReader(
          dialect: dialect, columnIndexes: names.map { header.index(of: $0) ?? -1 }, width: header.names.count,
          includesExtras: includesExtras)
      case .json, .empty:
        JSONFieldReader(
          columns: names.map { FieldName($0) }, flattens: request.flattens, showsObjects: request.columns != nil,
          otherNames: hiddenNames, nullNames: nullNames)
      }
    }
  }
}

extension ColumnSelection {
  /// What was asked for, as written.
  var text: [UInt8] {
    switch self {
    case .name(let name): name.text
    case .group(let prefix): prefix + Array(".*".utf8)
    }
  }

  /// Whether it stands for a column: the one of its name, or any inside of it.
  func matches(_ column: [UInt8]) -> Bool {
    switch self {
    case .name(let name): column == name.text
    case .group(let prefix):
      prefix.isEmpty
        || column.count > prefix.count && column.starts(with: prefix) && column[prefix.count] == UInt8(ascii: ".")
    }
  }
}
