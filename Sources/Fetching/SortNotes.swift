// Notes on sort keys whose values were of several kinds, or not of the kind asked for.

enum SortNotes {
  /// What there is to remark on one key.
  ///
  /// - Parameters:
  ///   - tally: the kinds that its values had.
  ///   - failures: how many values were not of the kind asked for.
  static func note(on sort: SortDescriptor, tally: KindTally, failures: Int) -> String? {
    let name = sort.key.description
    _ = (name, tally, failures)
    return nil
  }
}
