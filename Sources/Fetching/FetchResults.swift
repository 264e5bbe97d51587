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
  private let scanConfiguration: ScanConfiguration
  private var streamed: StreamedRows?
  private var ordered: Ordered?
  private var remaining: Int
  /// Rows to pass over once there is an order.
  private var rowsToPass = 0

  /// Rows in order after a pass.
  private enum Ordered: Sendable {
    case top(TopRows, [TopRows.Entry], next: Int)
    case run([OrderedEntry], next: Int)
  }

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
    plan = FetchPlan(for: descriptor)
    remaining = descriptor.fetchLimit ?? .max
    if plan == .stream {
      streamed = StreamedRows(
        inputs: inputs, predicate: descriptor.predicate, fetchOffset: descriptor.fetchOffset,
        start: descriptor.mark?.position)
    }
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
      if streamed != nil {
        mayFollow = try streamed?.append(to: &block, limit: wanted, byteLimit: byteLimit, waits: waits) ?? false
      } else {
        if ordered == nil {
          ordered = try runPass()
          if rowsToPass > 0 { move(toRow: rowsToPass) }
        }
        if unknownSortKey == nil {
          mayFollow = try appendOrdered(to: &block, limit: wanted, byteLimit: byteLimit)
        } else {
          mayFollow = false
        }
      }
    } catch {
      throw .read(error)
    }
    if let unknownSortKey { throw .unknownSortKey(unknownSortKey) }
    remaining -= block.rows.count - before
    return mayFollow && remaining > 0
  }

  /// Makes a row the next one, counted from the first of the descriptor.
  ///
  /// - Complexity: with an order, constant. Without, that of a batch of records where the row was passed before in a file;
  ///   else all up to it are read. The rows of a pipe that were handed over cannot be had again.
  package mutating func move(toRow row: Int) {
    let row = max(0, row)
    remaining = descriptor.fetchLimit.map { max(0, $0 - row) } ?? .max
    switch ordered {
    case nil:
      streamed?.move(toRow: row)
      rowsToPass = streamed == nil ? row : 0
    case .top(let top, let entries, _):
      ordered = .top(top, entries, next: Self.clamped(descriptor.fetchOffset, plus: row, to: entries.count))
    case .run(let entries, _):
      ordered = .run(entries, next: Self.clamped(descriptor.fetchOffset, plus: row, to: entries.count))
    }
  }

  private static func clamped(_ first: Int, plus second: Int, to limit: Int) -> Int {
    let (sum, overflows) = first.addingReportingOverflow(second)
    return overflows ? limit : min(sum, limit)
  }

  /// Results of their own for the first rows, found without putting all in order; nil where that gains nothing, or would
  /// take the records from a pipe that can be read only once.
  func resultsOfFirst(_ count: Int) -> FetchResults? {
    guard plan == .fullOrder, ordered == nil, rowsToPass == 0, inputs.allSatisfy(\.source.isSeekable) else {
      return nil
    }
    var first = descriptor
    first.fetchLimit = min(count, descriptor.fetchLimit ?? .max)
    let results = FetchResults(first, inputs: inputs, columns: columns, collectsColumns: collectsColumns)
    return results.plan == .fullOrder ? nil : results
  }

  /// Whether the next row may have to be waited for, because it is to come from a pipe.
  package var mayWait: Bool { streamed?.mayWait ?? false }

  /// What tells a fetch that is under way to end.
  package mutating func listen(to cancellation: FetchCancellation?) {
    streamed?.cancellation = cancellation
  }

  /// Adds rows that are at hand: found already, or in bytes that were read already.
  ///
  /// - Returns: whether more rows may follow.
  package mutating func appendAtHand(to block: inout RowBlock, limit: Int) -> Bool {
    let wanted = min(limit, remaining)
    let before = block.rows.count
    if streamed != nil {
      streamed?.appendAtHand(to: &block, limit: wanted)
      remaining -= block.rows.count - before
      return remaining > 0
    }
    // Rows of a pass that have to be read again are left to the next call, where an error has its place.
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
    streamed = StreamedRows(
      inputs: inputs, predicate: descriptor.predicate, fetchOffset: descriptor.fetchOffset)
    return columns
  }

  /// Counts the records that match, reading all of them.
  package mutating func fetchCount() throws(FetchError) -> Int {
    var counted = descriptor
    counted.sortBy = []
    var pass = CountPass(counted, inputs: inputs)
    do throws(ReadError) {
      for index in inputs.indices {
        pass.read(index)
        let selection = FieldSelection(counted.predicate?.fields ?? [], of: inputs[index])
        let scan = RangeScan<CountPass>(
          input: inputs[index], selection: selection, configuration: scanConfiguration)
        let counts = try scan.run(into: &pass)
        pass.tally.bytes += counts.bytes
        passLeftOut.append(counts.leftOut)
      }
    } catch {
      throw .read(error)
    }
    countPass = pass
    return pass.count
  }

  private mutating func runPass() throws(ReadError) -> Ordered {
    // Rows that are read again when they are printed need a file.
    if plan == .fullOrder {
      for index in inputs.indices { try inputs[index].makeSeekable() }
    }
    var pass = SortPass(descriptor, plan: plan, inputs: inputs, columns: collectsColumns ? columns : nil)
    let fields = SortPass.fields(of: descriptor)
    var bytes = 0
    for index in inputs.indices {
      pass.read(index)
      let selection = FieldSelection(fields, of: inputs[index])
      let scan = RangeScan<SortPass>(input: inputs[index], selection: selection, configuration: scanConfiguration)
      let counts = try scan.run(into: &pass)
      passLeftOut.append(counts.leftOut)
      bytes += counts.bytes
    }
    pass.tally.bytes = bytes
    self.pass = pass
    if let found = pass.columns { columns = found }
    unknownSortKey = findUnknownSortKey(pass)
    switch pass.kept {
    case .top(let top): return .top(top, top.sorted(), next: descriptor.fetchOffset)
    case .runs(let runs): return .run(OrderedRun.merged(runs).entries, next: descriptor.fetchOffset)
    }
  }

  private mutating func appendOrdered(
    to block: inout RowBlock, limit: Int, byteLimit: Int
  ) throws(ReadError) -> Bool {
    switch ordered {
    case nil: return false
    case .top(let top, let entries, var next):
      var count = 0
      while count < limit && next < entries.count && block.bytes.count < byteLimit {
        let entry = entries[next]
        block.append(top.rowBytes(entry).span, inputIndex: entry.place.inputIndex, offset: entry.place.offset)
        next += 1
        count += 1
      }
      ordered = .top(top, entries, next: next)
      return next < entries.count
    case .run(let entries, var next):
      var count = 0
      while count < limit && next < entries.count && block.bytes.count < byteLimit {
        let entry = entries[next]
        let source = inputs[Int(entry.inputIndex)].source
        try block.append(count: Int(entry.count), inputIndex: Int(entry.inputIndex), offset: entry.offset) {
          bytes, start throws(ReadError) in
          try source.readExactly(Int(entry.count), at: entry.offset, into: &bytes, at: start)
        }
        next += 1
        count += 1
      }
      ordered = .run(entries, next: next)
      return next < entries.count
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

  /// What was counted over the records read so far.
  package var tally: PassTally? { pass?.tally ?? countPass?.tally ?? streamed?.tally }

  /// Notes for people on damaged records that were left out of what was read so far; empty where none was.
  package var damageNotes: [String] {
    let tallies = passLeftOut.isEmpty ? streamed?.leftOut ?? [] : passLeftOut
    return zip(tallies, inputs).compactMap { $0.note(on: $1) }
  }

  /// Notes for people on what was read so far: names that no record had, comparisons that could not hold, kinds that were
  /// mixed, records of another width.
  package var notes: [String] {
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
    notes += pass?.program?.notes() ?? countPass?.program?.notes() ?? streamed?.predicateNotes ?? []
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
    return notes
  }
}
