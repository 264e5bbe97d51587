// Notes on sort keys whose values were of several kinds, or not of the kind asked for.

import Reading

enum SortNotes {
  /// What there is to remark on one key; nil where its values were all of one kind, or of the kind asked for.
  ///
  /// - Parameters:
  ///   - tally: the kinds that its values had.
  ///   - failures: how many values were not of the kind asked for.
  static func note(on sort: SortDescriptor, tally: KindTally, failures: Int) -> String? {
    let name = sort.key.description
    if failures > 0 {
      let values = failures == 1 ? "1 value" : "\(failures) values"
      return
        "--sort: \(values) of '\(name)' could not be read as asked for and \(failures == 1 ? "counts" : "count") as null"
    }
    let kinds = tally.kinds
    guard sort.kind == .auto, kinds.count > 1 else { return nil }
    let counts = kinds.map { "\(tally[$0]) \(noun($0))\(tally[$0] == 1 ? "" : "s")" }
    // The modifier that makes the most frequent kind the only one; text takes in every cell.
    let most = kinds.max { tally[$0] < tally[$1] }
    let modifier =
      switch most {
      case .number: ":number"
      case .date: ":date"
      default: ":text"
      }
    return "--sort: '\(name)' has \(list(counts)), ordered kind by kind; '\(name)\(modifier)' may help"
  }

  private static func noun(_ kind: ValueKind) -> String {
    switch kind {
    case .boolean: "boolean"
    case .number: "number"
    case .date: "date"
    case .text: "text"
    case .array: "array"
    case .object: "object"
    case .null: "null"
    }
  }

  private static func list(_ parts: [String]) -> String {
    guard parts.count > 1, let last = parts.last else { return parts.first ?? "" }
    return parts.dropLast().joined(separator: ", ") + " and " + last
  }
}
