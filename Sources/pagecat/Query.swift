// From the words of the command line to a descriptor: parses filter, sort keys and columns, opens the inputs, and checks
// the names that can be checked before a record is read.

import Fetching
import Glibc
import Reading

struct Query: Sendable {
  private(set) var inputs: [DatasetInput] = []
  private(set) var descriptor: FetchDescriptor
  private(set) var columns: DatasetColumns
  private(set) var columnRequest = ColumnRequest()
  /// Whether the columns are those of all records, which a pass over all has to find.
  private(set) var collectsColumns = false
  /// With --resume: where the position is kept, and how it moves.
  private(set) var resume: (file: ResumeFile, tracking: ResumePositionTracking)?

  /// - Throws: `UsageError` for an expression or a name that is wrong, `ReadError` where an input cannot be opened.
  ///
  /// - Parameter opened: the inputs, where they were opened for another query; what was read of them can be read again.
  init(_ invocation: Invocation, reusing opened: [DatasetInput]? = nil) throws {
    // The filter needs no data, so that an error in it is found before any is read.
    descriptor = FetchDescriptor(predicate: try Self.predicate(invocation.filters))
    descriptor.fetchOffset = invocation.opensPager ? invocation.offset ?? 0 : invocation.firstRowIndex
    descriptor.memoryLimit = invocation.memory
    descriptor.fetchLimit = invocation.extent == .page ? invocation.pageSize : nil

    let printsObjects = invocation.outputFormat == .json || invocation.outputFormat == .jsonl
    columnRequest.flattens = invocation.flattens && !(printsObjects && invocation.columns == nil)
    columns = DatasetColumns(flattens: columnRequest.flattens)

    var options = ReadingOptions()
    options.format = invocation.inputFormat
    options.delimiter = invocation.delimiter
    options.hasHeaderRow = invocation.hasHeaderRow
    options.encoding = invocation.encoding
    options.recordsPath = invocation.recordsPath
    options.skipsDamage = invocation.onDamage == .skip
    options.recordLimit = invocation.memory
    options.leavesUnclosedEnd = invocation.positionFile != nil
    let resumeFile = try invocation.positionFile.map { try ResumeFile($0) }
    // What is wrong with the position is said later, in its turn.
    let position = resumeFile.map { file in Result { try file.read() } }
    let readPosition = try? position?.get()
    var sample = readPosition?.sample
    if readPosition != nil { options.firstReadSize = ReadingLimits.firstChunkSizeOnTheWay }
    var usesStandardInput = false
    inputs = opened ?? []
    // All stay open, as records are read again; a few more are needed besides.
    if invocation.files.count > 20 { SystemCall.allowOpenFiles(invocation.files.count + 100) }
    for file in opened == nil ? invocation.files : [] {
      let isStandardInput = file.elementsEqual("-".utf8)
      if isStandardInput && usesStandardInput {
        throw UsageError("standard input ('-') is given twice; it can be read once")
      }
      usesStandardInput = usesStandardInput || isStandardInput
      if resumeFile != nil && Self.isFIFO(file) {
        // Opening it would wait for somebody who writes.
        throw UsageError("--resume needs files, and \(InputLocation.file(file).name) is none")
      }
      var input = try DatasetInput(opening: isStandardInput ? .standardInput : .file(file), options: options)
      // A pager goes back, and comes again with another order.
      if invocation.opensPager { try input.makeReplayable() }
      inputs.append(input)
    }

    // Records that pass through as they are need no columns, so a slow pipe is not waited for.
    let needsColumns = !printsObjects || invocation.columns != nil || invocation.hiddenColumns != nil
    if needsColumns || !invocation.sorts.isEmpty || inputs.contains(where: { $0.isTabular }) {
      try findColumns(by: sample, waits: !invocation.opensPager)
      if resumeFile != nil { sample = columns.sample(of: inputs) }
    }
    let isTabular = inputs.allSatisfy(\.isTabular)
    let names: [[UInt8]]? = isTabular ? columns.names : nil
    try parseSorts(invocation.sorts, columns: names)
    try parseColumns(invocation, columns: names)
    if let names, !names.isEmpty { try check(names, filters: invocation.filters) }
    if let resumeFile, let position { try goOn(from: resumeFile, position.get(), sample, invocation) }
    collectsColumns =
      needsColumns && invocation.columns == nil && !isTabular
      && (invocation.unitesAllColumns
        || (!descriptor.sortBy.isEmpty && invocation.extent == .everything && !invocation.opensPager))
  }

  /// A pass over all records for their columns.
  mutating func collectAllColumns() throws {
    var results = FetchResults(descriptor, inputs: inputs, columns: columns, collectsColumns: true)
    columns = try results.collectColumns()
    collectsColumns = false
  }

  /// Finds the columns, where an earlier run has kept the sample by the records that matter.
  private mutating func findColumns(by kept: ColumnSample?, waits: Bool) throws {
    if let kept, kept.fits(inputs, flattens: columnRequest.flattens), columns.add(inputs, by: kept) { return }
    var sampled = 0
    for index in inputs.indices { try columns.add(&inputs[index], sampled: &sampled, waits: waits) }
  }

  /// Makes the descriptor go on behind the position that a file holds.
  private mutating func goOn(
    from file: ResumeFile, _ position: ResumePosition?, _ sample: ColumnSample?, _ invocation: Invocation
  ) throws {
    for index in inputs.indices where !inputs[index].source.isSeekable {
      guard inputs[index].isRegularFile else {
        throw UsageError("--resume needs files, and \(inputs[index].name) is none")
      }
      try inputs[index].makeSeekable()
    }
    let text = invocation.resumableText
    if let position {
      try position.check(inputs, descriptor: text, isSorted: !descriptor.sortBy.isEmpty)
      descriptor.mark = position.mark
      descriptor.fetchOffset = 0
    }
    resume = (
      file,
      ResumePositionTracking(
        inputs: inputs, sortBy: descriptor.sortBy, descriptor: text, position: position, sample: sample)
    )
  }

  private static func isFIFO(_ file: [UInt8]) -> Bool {
    var information = stat()
    return unsafe stat(file.map { CChar(bitPattern: $0) } + [0], &information) == 0
      && information.st_mode & S_IFMT == S_IFIFO
  }

  private static func predicate(_ filters: [[UInt8]]) throws -> Predicate? {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    var result: Predicate?
    for filter in filters {
      do throws(PredicateError) {
        let predicate = try Predicate(parsing: String(decoding: filter, as: UTF8.self), now: Int(now.tv_sec))
        result = result?.combined(with: predicate) ?? predicate
      } catch {
        throw UsageError("--filter: " + error.message)
      }
    }
    return result
  }

  private mutating func parseSorts(_ sorts: [[UInt8]], columns: [[UInt8]]?) throws {
    for sort in sorts {
      do throws(SortError) {
        descriptor.sortBy += try SortGrammar.parse(
          String(decoding: sort, as: UTF8.self), columns: columns.map(Self.strings))
      } catch {
        throw UsageError("--sort: " + error.message)
      }
    }
  }

  private mutating func parseColumns(_ invocation: Invocation, columns: [[UInt8]]?) throws {
    func selections(_ list: [UInt8], _ option: String) throws -> [ColumnSelection] {
      do throws(SortError) {
        return try ColumnGrammar.parse(String(decoding: list, as: UTF8.self), columns: columns.map(Self.strings))
      } catch {
        throw UsageError("\(option): " + error.message)
      }
    }
    if let list = invocation.columns { columnRequest.columns = try selections(list, "--columns") }
    if let list = invocation.hiddenColumns { columnRequest.hidden = try selections(list, "--hide") }
  }

  private static func strings(_ names: [[UInt8]]) -> [String] { names.map { String(decoding: $0, as: UTF8.self) } }

  /// Checks the names of sort keys and filter against the headers; those of columns are checked by the column plan.
  private func check(_ names: [[UInt8]], filters: [[UInt8]]) throws {
    func isThere(_ name: FieldName) -> Bool {
      inputs.contains { input in
        if case .csv(_, let header) = input.content { header.index(of: name.text) != nil } else { false }
      }
    }
    for sort in descriptor.sortBy where !isThere(sort.key) {
      throw UsageError("--sort: " + UnknownColumnError(name: sort.key.text, among: names).message)
    }
    for name in descriptor.predicate?.fields ?? [] where !isThere(name) {
      let error = filters.lazy.compactMap {
        Predicate.unknownColumn(name, in: String(decoding: $0, as: UTF8.self), among: names)
      }.first
      throw UsageError(
        "--filter: " + (error?.message ?? UnknownColumnError(name: name.text, among: names).message))
    }
  }
}

extension DatasetInput {
  /// Whether it is a file that is there the next time too, though perhaps a compressed one.
  var isRegularFile: Bool {
    guard case .file(let path) = location else { return false }
    var information = stat()
    return unsafe stat(path.map { CChar(bitPattern: $0) } + [0], &information) == 0
      && information.st_mode & S_IFMT == S_IFREG
  }

  /// Whether its columns are known from a header. An input without a record has none, and nothing to say against it.
  var isTabular: Bool {
    if case .json = content { false } else { true }
  }
}
