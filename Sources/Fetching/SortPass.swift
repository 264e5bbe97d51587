// One pass over all records for a sort: filter, key, keep. What is kept is either the best rows or a place of every row.

import Reading

/// Takes in records in any number of ranges and keeps what the order needs of them.
struct SortPass: RecordAccumulator {
  /// What is kept of the rows.
  enum Kept: Sendable {
    case top(TopRows)
    case runs(ExternalSort)
    /// What is kept is in other hands at the moment.
    case lent
  }

  private let descriptor: FetchDescriptor
  private let inputs: [DatasetInput]
  private var inputIndex: Int
  /// Said apart from `program`, which would be copied to be asked.
  private let hasPredicate: Bool
  private let predicateFieldCount: Int
  private let fieldCount: Int
  /// Cells of the header of the input that is being read; -1 where it is no CSV.
  private var width = -1
  private(set) var program: PredicateProgram?
  private(set) var encoder: SortKeyEncoder
  private(set) var kept: Kept
  let memory: SortMemory
  var tally: PassTally
  /// Leaves out what an earlier fetch has given.
  private(set) var markFilter: MarkFilter?
  /// Rows whose prefix is above this are sure to be rejected by what earlier ranges have kept.
  private let bound: UInt64
  private var key: [UInt8] = []
  /// The columns of all records, where they are wanted.
  private(set) var columns: DatasetColumns?

  /// - Parameters:
  ///   - plan: `.topRows` or `.fullOrder`.
  ///   - columns: columns to which those of every record are added; nil: not wanted.
  ///   - threadCount: how many threads take part, which share the memory.
  init(
    _ descriptor: FetchDescriptor, plan: FetchPlan, inputs: [DatasetInput], columns: DatasetColumns?,
    threadCount: Int = WorkerThreads.coreCount
  ) {
    let isHeap = if case .topRows = plan { true } else { false }
    let memory = SortMemory(
      limit: descriptor.memoryLimit, keepsRecords: isHeap || FetchPlan.keepsRecords(descriptor),
      threadCount: threadCount)
    let kept: Kept =
      switch plan {
      case .topRows(let capacity): .top(TopRows(capacity: capacity))
      default: .runs(ExternalSort(memory: memory, rowLimit: descriptor.rowLimit))
      }
    self.init(descriptor, inputs: inputs, inputIndex: 0, kept: kept, memory: memory, bound: .max, columns: columns)
    program = descriptor.predicate.map { PredicateProgram($0) }
  }

  private init(
    _ descriptor: FetchDescriptor, inputs: [DatasetInput], inputIndex: Int, kept: Kept, memory: SortMemory,
    bound: UInt64, columns: DatasetColumns?
  ) {
    self.descriptor = descriptor
    self.inputs = inputs
    self.inputIndex = inputIndex
    self.kept = kept
    self.memory = memory
    self.bound = bound
    self.columns = columns
    markFilter = descriptor.mark.map { MarkFilter($0) }
    hasPredicate = descriptor.predicate != nil
    predicateFieldCount = descriptor.predicate?.fields.count ?? 0
    fieldCount = predicateFieldCount + descriptor.sortBy.count
    encoder = SortKeyEncoder(sortBy: descriptor.sortBy)
    tally = PassTally(fieldCount: fieldCount)
    read(inputIndex)
  }

  /// The fields wanted of each record: those of the predicate, then the sort keys.
  static func fields(of descriptor: FetchDescriptor) -> [FieldName] {
    (descriptor.predicate?.fields ?? []) + descriptor.sortBy.map(\.key)
  }

  /// The records to come are from this input.
  mutating func read(_ index: Int) {
    inputIndex = index
    width = -1
    if inputs.indices.contains(index), case .csv(_, let header) = inputs[index].content { width = header.names.count }
  }

  func makeSuccessor() -> SortPass {
    var bound = UInt64.max
    let kept: Kept
    switch self.kept {
    case .top(let top):
      if top.isFull { bound = min(top.threshold, self.bound) }
      kept = .top(TopRows(capacity: top.capacity))
    case .runs(let sort): kept = .runs(sort.makeSuccessor())
    case .lent: kept = .lent
    }
    var successor = SortPass(
      descriptor, inputs: inputs, inputIndex: inputIndex, kept: kept, memory: memory, bound: bound,
      columns: columns)
    successor.program = descriptor.predicate.map { PredicateProgram($0) }
    return successor
  }

  mutating func append(_ later: SortPass) {
    tally.append(later.tally)
    if let left = later.markFilter { markFilter?.append(left) }
    encoder.mergeCounts(later.encoder)
    if let counted = later.program { program?.addCounts(of: counted) }
    if let found = later.columns { columns?.add(found) }
    switch (kept, later.kept) {
    case (.top(var top), .top(let other)):
      // Given up first, so that the rows are not copied.
      kept = .lent
      top.merge(other)
      kept = top.byteCount > memory.heapSize ? .runs(ExternalSort(top, memory: memory)) : .top(top)
    case (.top(let top), .runs(let others)):
      var sort = ExternalSort(top, memory: memory)
      sort.append(others)
      kept = .runs(sort)
    case (.runs(var sort), .top(let top)):
      kept = .lent
      sort.append(ExternalSort(top, memory: memory))
      kept = .runs(sort)
    case (.runs(var sort), .runs(let others)):
      kept = .lent
      sort.append(others)
      kept = .runs(sort)
    default: break
    }
  }

  /// Memory for the keys of some records.
  func makeScratch() -> SortKeyBlock { SortKeyBlock() }

  mutating func add(
    _ batch: borrowing RecordBatch, fields: Span<Field>, buffer: borrowing ChunkBuffer,
    scratch block: inout SortKeyBlock
  ) {
    let window = buffer.storage.span.extracting(buffer.window)
    tally.add(batch, width: width, inputIndex: inputIndex, buffer: buffer)
    if columns != nil {
      for record in batch.records { _ = columns?.add(record: window.extracting(record.range)) }
    }
    if hasFailed { return }
    let layout = SortKeyLayout(fieldsPerRecord: fieldCount, firstKey: predicateFieldCount)
    var first = 0
    while first < batch.records.count {
      let records = first..<min(first &+ SortKeyBlock.capacity, batch.records.count)
      tally.see(fields, records: records, fieldCount: fieldCount)
      select(records, window, fields, into: &block)
      encoder.fill(&block, window, fields, layout)
      keep(block, batch, fields, window, layout, offset: buffer.offset)
      first = records.upperBound
    }
  }

  /// Whether the rows that were put away are lost, so that there is nothing to be done any more.
  private var hasFailed: Bool { if case .runs(let sort) = kept { sort.failure != nil } else { false } }

  /// Takes those of some records into a block that the predicate wants.
  private mutating func select(
    _ records: Range<Int>, _ window: Span<UInt8>, _ fields: Span<Field>, into block: inout SortKeyBlock
  ) {
    guard hasPredicate else {
      block.take(records)
      return
    }
    block.removeAll()
    for index in records {
      block.append(index, isWanted: program?.evaluate(window, fields, at: index &* fieldCount) != false)
    }
  }

  /// Keeps what is wanted of a block.
  private mutating func keep(
    _ block: borrowing SortKeyBlock, _ batch: borrowing RecordBatch, _ fields: Span<Field>, _ window: Span<UInt8>,
    _ layout: SortKeyLayout, offset: Int
  ) {
    switch kept {
    case .top(var top):
      kept = .lent
      let next = keep(block, batch, fields, window, layout, offset: offset, in: &top)
      if next == block.count {
        kept = .top(top)
      } else {
        // The rows are too large for the heap.
        var sort = ExternalSort(top, memory: memory)
        keep(block, from: next, batch, fields, window, layout, offset: offset, in: &sort)
        kept = .runs(sort)
      }
    case .runs(var sort):
      kept = .lent
      keep(block, from: 0, batch, fields, window, layout, offset: offset, in: &sort)
      kept = .runs(sort)
    case .lent: break
    }
  }

  /// What was kept, which is needed here no more.
  mutating func giveUpKept() -> Kept {
    let given = kept
    kept = .lent
    return given
  }

  private mutating func isBehindMark(
    _ prefix: KeyPrefix, _ record: RecordRange, _ window: Span<UInt8>, _ fields: Span<Field>, at index: Int, offset: Int
  ) -> Bool {
    markFilter?.isBehind(
      prefix, &encoder, window, fields, at: index, inputIndex: inputIndex, offset: offset &+ Int(record.start)) ?? true
  }

  mutating func finishRange() {
    guard case .runs(var sort) = kept else { return }
    kept = .lent
    sort.closeRun()
    kept = .runs(sort)
  }

  /// - Returns: the first row of the block that was not looked at, as the heap holds too much.
  private mutating func keep(
    _ block: borrowing SortKeyBlock, _ batch: borrowing RecordBatch, _ fields: Span<Field>, _ window: Span<UInt8>,
    _ layout: SortKeyLayout, offset: Int, in top: inout TopRows
  ) -> Int {
    let prefixes = block.prefixes.span
    let isMarked = markFilter != nil
    // Above this a row is not kept.
    var limit = min(top.threshold, bound)
    for index in 0..<block.count {
      let prefix = prefixes[index]
      // Nearly every record of a long file ends here. A mark counts what it leaves out.
      if prefix.bits > limit && !isMarked { continue }
      let record = batch.records[block.record(index)]
      let keyAt = layout.position(block.record(index))
      if isMarked, !isBehindMark(prefix, record, window, fields, at: keyAt, offset: offset) { continue }
      if prefix.bits > limit { continue }
      let place = RowPlace(inputIndex: inputIndex, offset: offset &+ Int(record.start), byteCount: Int(record.count))
      if top.wouldKeep(prefix: prefix, at: place) == .no { continue }
      key.removeAll(keepingCapacity: true)
      if !prefix.isExact { encoder.append(window, fields, at: keyAt, to: &key) }
      top.insert(prefix: prefix, key: key.span, place: place, row: window.extracting(record.range))
      if top.byteCount > memory.heapSize { return index + 1 }
      limit = min(top.threshold, bound)
    }
    return block.count
  }

  private mutating func keep(
    _ block: borrowing SortKeyBlock, from first: Int, _ batch: borrowing RecordBatch, _ fields: Span<Field>,
    _ window: Span<UInt8>, _ layout: SortKeyLayout, offset: Int, in sort: inout ExternalSort
  ) {
    if sort.failure != nil { return }
    let prefixes = block.prefixes.span
    for index in first..<block.count {
      let prefix = prefixes[index]
      if sort.rejects(prefix) { continue }
      let record = batch.records[block.record(index)]
      let keyAt = layout.position(block.record(index))
      if markFilter != nil, !isBehindMark(prefix, record, window, fields, at: keyAt, offset: offset) { continue }
      key.removeAll(keepingCapacity: true)
      if !prefix.isExact { encoder.append(window, fields, at: keyAt, to: &key) }
      sort.append(
        prefix: prefix, key: key.span, place: RowPlace(inputIndex: inputIndex, offset: offset &+ Int(record.start)),
        record: window.extracting(record.range))
    }
  }
}
