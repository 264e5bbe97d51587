// The rows of a descriptor, block after block: runs the plan, and gathers what there is to remark.

package import Reading

/// Why a fetch failed.
package enum FetchError: Error, Sendable {
  case read(ReadError)
  /// A sort key that no record had.
  case unknownSortKey(UnknownColumnError)
}

/// The rows that answer a descriptor, in order.
package struct FetchResults: Sendable {
  package let plan: FetchPlan
  private let descriptor: FetchDescriptor
  private var inputs: [DatasetInput]
  /// The dataset's columns; with `collectsColumns` those of all records once the first rows are here.
  package private(set) var columns: DatasetColumns
  private let collectsColumns: Bool
  private var scanConfiguration: ScanConfiguration
  private var rows: FoundRows
  private var remaining: Int
  /// The next rows, on their way.
  private var ahead: RowsAhead?
  /// A block that was handed over, for its memory.
  private var spare = RowBlock()
  /// Rows to pass over once there is an order.
  private var rowsToPass = 0

  private var pass: SortPass?
  private var countPass: CountPass?
  /// Damaged records that a pass left out of each input.
  private var passLeftOut: [DamageTally] = []
  private var unknownSortKey: UnknownColumnError?

  /// - Parameters:
  ///   - columns: what is known of the columns; JSON's names are the ones near which an unknown sort key may be.
  ///   - collectsColumns: whether the columns of all records are wanted; it needs a plan that passes over all.
  ///   - scanConfiguration: how files are cut for a pass.
  package init(
    _ descriptor: FetchDescriptor, inputs: [DatasetInput], columns: DatasetColumns, collectsColumns: Bool = false,
    scanConfiguration: ScanConfiguration = ScanConfiguration()
  ) {
    self.descriptor = descriptor
    self.inputs = inputs
    self.columns = columns
    self.collectsColumns = collectsColumns
    self.scanConfiguration = scanConfiguration
    // Most of the memory is the order's.
    self.scanConfiguration.streamMemory = min(scanConfiguration.streamMemory, descriptor.memoryLimit / 8)
    plan = FetchPlan(for: descriptor)
    remaining = descriptor.fetchLimit ?? .max
    rows =
      plan == .stream
      ? .streamed(
        StreamedRows(
          inputs: inputs, predicate: descriptor.predicate, fetchOffset: descriptor.fetchOffset,
          start: descriptor.mark?.position))
      : .unknown
  }

  /// Adds the next rows to a block.
  ///
  /// - Parameters:
  ///   - limit: how many rows at most.
  ///   - byteLimit: no further row is added to a block with this many bytes.
  ///   - waits: whether to go on until there are so many; else a pipe is waited for only while there is no row at all.
  /// - Returns: whether more rows may follow.
  /// - Complexity: the first call of a sort passes over all records.
  package mutating func append(
    to block: inout RowBlock, limit: Int, byteLimit: Int = .max, waits: Bool = true
  ) throws(FetchError) -> Bool {
    let wanted = min(limit, remaining)
    guard wanted > 0 else { return remaining > 0 }
    let before = block.rows.count
    let mayFollow: Bool
    do throws(ReadError) {
      if let ahead {
        self.ahead = nil
        defer { spare.removeAll() }
        mayFollow = try ahead.take(into: &block, rows: &rows, spare: &spare)
      } else {
        if case .unknown = rows {
          rows = try runPass()
          if rowsToPass > 0 { rows.move(toRow: rowsToPass, fetchOffset: descriptor.fetchOffset) }
        }
        mayFollow =
          unknownSortKey == nil
          ? try rows.append(to: &block, limit: wanted, byteLimit: byteLimit, inputs: inputs, waits: waits) : false
      }
    } catch {
      throw .read(error)
    }
    if let unknownSortKey { throw .unknownSortKey(unknownSortKey) }
    remaining -= block.rows.count - before
    return mayFollow && remaining > 0
  }

  /// Starts to find the next rows on another core; the next call of `append` hands them over, however many it asks for.
  ///
  /// - Parameters:
  ///   - limit: how many rows at most.
  ///   - byteLimit: no further row is added to a block with this many bytes.
  package mutating func prefetch(limit: Int, byteLimit: Int) {
    let wanted = min(limit, remaining)
    guard ahead == nil, wanted > 0, unknownSortKey == nil else { return }
    if case .unknown = rows { return }
    let given = rows
    rows = .lent
    var block = RowBlock()
    swap(&block, &spare)
    ahead = RowsAhead(given, into: block, limit: wanted, byteLimit: byteLimit, inputs: inputs)
  }

  /// Makes a row the next one, counted from the first of the descriptor.
  ///
  /// - Complexity: with an order, constant. Without, that of a batch of records where the row was passed before in a file;
  ///   else all up to it are read. The rows of a pipe that were handed over cannot be had again.
  package mutating func move(toRow row: Int) {
    let row = max(0, row)
    remaining = descriptor.fetchLimit.map { max(0, $0 - row) } ?? .max
    takeBackRows()
    if case .unknown = rows { rowsToPass = row }
    rows.move(toRow: row, fetchOffset: descriptor.fetchOffset)
  }

  /// Drops rows that were found ahead: whoever moves does not want them.
  private mutating func takeBackRows() {
    guard let ahead else { return }
    self.ahead = nil
    var block = RowBlock()
    _ = try? ahead.take(into: &block, rows: &rows, spare: &spare)
  }

  /// Goes through all rows in order, so that every place can be gone to at once afterwards; only without a sort.
  ///
  /// - Returns: the number of rows; nil where it was cancelled, or there is a sort.
  package mutating func passToEnd() throws(FetchError) -> Int? {
    guard plan == .stream else { return nil }
    beginPass()
    move(toRow: .max)
    var block = RowBlock()
    let mayFollow = try append(to: &block, limit: 1)
    return mayFollow ? nil : rows.streamed?.metCount
  }

  /// Goes on with the same inputs opened anew, because they have grown; only without a sort.
  ///
  /// - Returns: whether that can be done.
  mutating func reopen(_ inputs: [DatasetInput]) -> Bool {
    guard plan == .stream, inputs.count == self.inputs.count else { return false }
    takeBackRows()
    self.inputs = inputs
    rows.reopen(inputs)
    return true
  }

  /// Results of their own for the first rows, found without putting all in order; nil where that gains nothing, or would
  /// take the records from a pipe that can be read only once.
  func resultsOfFirst(_ count: Int) -> FetchResults? {
    guard plan == .fullOrder, case .unknown = rows, rowsToPass == 0, inputs.allSatisfy(\.source.isSeekable) else {
      return nil
    }
    var first = descriptor
    first.fetchLimit = min(count, descriptor.fetchLimit ?? .max)
    let results = FetchResults(
      first, inputs: inputs, columns: columns, collectsColumns: collectsColumns, scanConfiguration: scanConfiguration)
    return results.plan == .fullOrder ? nil : results
  }

  /// Whether the next row may have to be waited for, because it is to come from a pipe.
  package var mayWait: Bool { rows.streamed?.mayWait ?? false }

  /// Who is told how far a pass over all records is, and may end it, which is then `ReadError.Problem.cancelled`.
  package mutating func watch(by monitor: ScanMonitor?) { scanConfiguration.monitor = monitor }

  private mutating func beginPass() {
    // One that was cancelled may have left some.
    passLeftOut = []
    let sizes = inputs.map { $0.source.size }
    scanConfiguration.monitor?.begin(total: sizes.contains(nil) ? 0 : sizes.reduce(0) { $0 + ($1 ?? 0) })
  }

  /// What tells a fetch that is under way to end.
  package mutating func listen(to cancellation: ScanMonitor?) {
    rows.listen(to: cancellation)
  }

  /// Adds rows that are at hand: found already, or in bytes that were read already.
  ///
  /// - Returns: whether more rows may follow.
  package mutating func appendAtHand(to block: inout RowBlock, limit: Int) -> Bool {
    let before = block.rows.count
    if ahead == nil { rows.appendAtHand(to: &block, limit: min(limit, remaining), inputs: inputs) }
    remaining -= block.rows.count - before
    return remaining > 0
  }

  /// A pass over all records for their columns alone.
  package mutating func collectColumns() throws(FetchError) -> DatasetColumns {
    do throws(ReadError) {
      for index in inputs.indices { try inputs[index].makeSeekable() }
      var pass = ColumnPass(columns)
      for input in inputs {
        if case .json = input.content {
          let selection = FieldSelection([], of: input)
          _ = try RangeScan(input: input, selection: selection, configuration: scanConfiguration).run(into: &pass)
        }
      }
      columns = pass.columns
    } catch {
      throw .read(error)
    }
    rows = .streamed(
      StreamedRows(
        inputs: inputs, predicate: descriptor.predicate, fetchOffset: descriptor.fetchOffset,
        start: descriptor.mark?.position))
    return columns
  }

  /// Counts the records that match, reading all of them.
  package mutating func fetchCount() throws(FetchError) -> Int {
    var counted = descriptor
    counted.sortBy = []
    var pass = CountPass(counted, inputs: inputs)
    beginPass()
    do throws(ReadError) {
      for index in inputs.indices {
        pass.read(index)
        let selection = FieldSelection(counted.predicate?.fields ?? [], of: inputs[index])
        let scan = RangeScan<CountPass>(
          input: inputs[index], selection: selection, configuration: scanConfiguration)
        var counts = RangeScan<CountPass>.Counts()
        defer { passLeftOut.append(counts.leftOut) }
        try scan.run(into: &pass, counts: &counts)
        try inputs[index].source.checkUnchanged()
        pass.tally.bytes += counts.bytes
      }
    } catch {
      throw .read(error)
    }
    countPass = pass
    return pass.count
  }

  private mutating func runPass() throws(ReadError) -> FoundRows {
    // Rows that are read again when they are printed need a file.
    if plan == .fullOrder && !FetchPlan.keepsRecords(descriptor) {
      for index in inputs.indices { try inputs[index].makeSeekable() }
    }
    beginPass()
    var pass = SortPass(
      descriptor, plan: plan, inputs: inputs, columns: collectsColumns ? columns : nil,
      threadCount: scanConfiguration.threadCount)
    let fields = SortPass.fields(of: descriptor)
    var bytes = 0
    for index in inputs.indices {
      pass.read(index)
      let selection = FieldSelection(fields, of: inputs[index])
      let scan = RangeScan<SortPass>(input: inputs[index], selection: selection, configuration: scanConfiguration)
      var counts = RangeScan<SortPass>.Counts()
      // Told also where the pass ends in an error.
      defer { passLeftOut.append(counts.leftOut) }
      try scan.run(into: &pass, counts: &counts)
      try inputs[index].source.checkUnchanged()
      bytes += counts.bytes
    }
    let kept = pass.giveUpKept()
    pass.tally.bytes = bytes
    self.pass = pass
    if let found = pass.columns { columns = found }
    unknownSortKey = findUnknownSortKey(pass)
    switch kept {
    case .top(let top): return .top(top, top.sorted(), next: descriptor.fetchOffset)
    case .runs(let sort):
      var merge = try sort.merge(scanConfiguration.monitor)
      merge.move(toRow: descriptor.fetchOffset)
      return .merge(merge)
    case .lent: return .lent
    }
  }

  /// The first sort key that no record had; nil where there was no record at all.
  private func findUnknownSortKey(_ pass: SortPass) -> UnknownColumnError? {
    guard pass.tally.records > 0 else { return nil }
    let first = descriptor.predicate?.fields.count ?? 0
    for (index, sort) in descriptor.sortBy.enumerated()
    where !pass.tally.isPresent[first + index] && !isInHeader(sort.key) {
      return UnknownColumnError(name: sort.key.text, among: columns.names)
    }
    return nil
  }

  /// Whether a header has a column of this name, even if every record is too short to have a cell there.
  private func isInHeader(_ name: FieldName) -> Bool {
    inputs.contains { input in
      if case .csv(_, let header) = input.content { header.index(of: name.text) != nil } else { false }
    }
  }

  // MARK: What there is to remark

  /// How many rows the descriptor has, whatever its limit, where a pass for a sort has counted them: each has given its
  /// first key once.
  package var sortedRowCount: Int? {
    guard descriptor.mark == nil, let tally = pass?.encoder.tallies.first else { return nil }
    return max(0, tally.present + tally.missing - descriptor.fetchOffset)
  }

  /// What was counted over the records read so far.
  package var tally: PassTally? { pass?.tally ?? countPass?.tally ?? rows.streamed?.tally }

  /// Notes for people on damaged records that were left out of what was read so far; empty where none was.
  package var damageNotes: [String] {
    let tallies = passLeftOut.isEmpty ? rows.streamed?.leftOut ?? [] : passLeftOut
    return zip(tallies, inputs).compactMap { $0.note(on: $1) }
  }

  /// Notes for people on what was read so far: names that no record had, comparisons that could not hold, kinds that were
  /// mixed, records of another width.
  package var notes: [String] {
    var notes = filterNotes
    if let pass {
      for (index, sort) in descriptor.sortBy.enumerated() {
        if let note = SortNotes.note(
          on: sort, tally: pass.encoder.tallies[index], failures: pass.encoder.conversionFailures[index])
        {
          notes.append(note)
        }
      }
    }
    if let count = pass?.markFilter?.appendedBefore, count > 0 {
      let records = count == 1 ? "1 record that was appended orders" : "\(count) records that were appended order"
      notes.append("\(records) before the position, and not shown")
    }
    if let note = tally?.ragged.note(inputs: inputs) { notes.append(note) }
    notes += inputs.compactMap(\.source.changeNote)
    return notes
  }

  /// Those of the notes that tell why a filter may match less than was meant.
  package var filterNotes: [String] {
    var notes: [String] = []
    if let tally, tally.records > 0, let predicate = descriptor.predicate {
      for index in predicate.fields.indices
      where !predicate.mayBeAbsent[index] && !tally.isPresent[index] && !isInHeader(predicate.fields[index]) {
        let error = UnknownColumnError(name: predicate.fields[index].text, among: columns.names)
        notes.append(
          "no record read has a field '\(SafeName.text(error.name, limit: 60))'"
            + UnknownColumnError.suggestion(error.nearest))
      }
    }
    return notes + (pass?.program?.notes() ?? countPass?.program?.notes() ?? rows.streamed?.predicateNotes ?? [])
  }
}
