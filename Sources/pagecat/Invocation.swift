// What will be done: the options with their values checked and what they mean together. Expressions, sort keys and
// lists of columns are kept as written; their own parsers judge them, some only once the columns are known.

import Reading

/// A format that rows are printed in.
enum OutputFormat: String, CaseIterable, Sendable {
  case table, csv, tsv, json, jsonl, markdown, record
}

/// When colour and bold are used.
enum ColorChoice: String, CaseIterable, Sendable {
  case auto, always, never
}

/// What is done about a damaged record.
enum DamageChoice: String, CaseIterable, Sendable {
  case stop, skip
}

/// Which cells of CSV stay text in JSON.
enum StringCells: Equatable, Sendable {
  /// Those that are no JSON number, `true` or `false`.
  case asWritten
  case all
  /// Those of the columns in this list, as written after `--strings=`.
  case columns([UInt8])
}

/// Where cells of a table are cut.
enum CellCut: Equatable, Sendable {
  /// On a terminal at the usual width, elsewhere not.
  case onTerminal
  /// Nowhere, and no column is left out.
  case nowhere
  /// Everywhere at this many cells of the screen.
  case at(Int)
}

/// What the process was started in, as far as it changes what is done.
struct Surroundings: Equatable, Sendable {
  var isInputTerminal = false
  var isOutputTerminal = false
  /// `TERM`
  var terminalName: [UInt8]?
  /// `NO_COLOR`
  var noColor: [UInt8]?
  /// `PAGECAT_OPTIONS`
  var terminalOptions: [UInt8]?

  init(isInputTerminal: Bool = false, isOutputTerminal: Bool = false) {
    self.isInputTerminal = isInputTerminal
    self.isOutputTerminal = isOutputTerminal
  }

  /// Those of this process.
  static func ofProcess() -> Surroundings {
    var surroundings = Surroundings(
      isInputTerminal: StandardStreams.isTerminal(0), isOutputTerminal: StandardStreams.isTerminal(1))
    surroundings.terminalName = Options.environmentVariable("TERM")
    surroundings.noColor = Options.environmentVariable("NO_COLOR")
    surroundings.terminalOptions = Options.environmentVariable("PAGECAT_OPTIONS")
    return surroundings
  }

  var isDumbTerminal: Bool { terminalName.map { $0.elementsEqual("dumb".utf8) } ?? false }
}

/// How much of the result is printed.
enum PrintExtent: Equatable, Sendable {
  /// Exactly one page.
  case page
  /// Every row from the first one of the page on.
  case everything

  /// The table "What is printed", as far as it is not about the pager.
  init(_ invocation: Invocation) {
    if invocation.printsAll || (invocation.command != nil && invocation.page == nil) {
      self = .everything
    } else if invocation.command != nil || invocation.positionFile != nil {
      self = .page
    } else {
      self = invocation.limit != nil || invocation.page != nil ? .page : .everything
    }
  }
}

/// A checked command line.
struct Invocation: Equatable, Sendable {
  /// Rows on a page where nothing else is said.
  static let defaultLimit = 20
  /// Counts of rows beyond this are taken for it. No data has so many, and sums of a few such numbers do not overflow.
  static let mostRows = 1_000_000_000_000_000

  /// The files in order, `-` for standard input; never empty.
  var files: [[UInt8]] = []
  var inputFormat: InputFormat?
  /// The byte between the fields of CSV, where it is not to be guessed.
  var delimiter: UInt8?
  var hasHeaderRow = true
  /// The names that lead to the array of records of a JSON object; empty: the object itself; nil: it is looked for.
  var recordsPath: [String]?
  /// Where no byte order mark says something else; nil: UTF-8.
  var encoding: String?
  var onDamage = DamageChoice.stop
  /// The most bytes of memory that one record may take.
  var memory = ReadingLimits.recordSize

  /// The filters as written, all of which must hold.
  var filters: [[UInt8]] = []
  /// The sort keys as written, each possibly several, in order.
  var sorts: [[UInt8]] = []
  /// As given; nil where it was not. `pageSize` is what counts.
  var limit: Int?
  var offset: Int?
  var page: Int?
  /// The list of columns to print, as written.
  var columns: [UInt8]?
  /// The list of columns not to print, as written.
  var hiddenColumns: [UInt8]?

  /// As given; `prefetchMargin` is what counts.
  var margin: Int?
  var printsAll = false
  var usesPager = true
  /// `--interactive`: the pager, even if everything fits the screen.
  var isInteractive = false
  var counts = false
  var explains = false
  /// `--each`: the command that gets every page.
  var command: [UInt8]?
  /// `--resume`: the file that the position is kept in.
  var positionFile: [UInt8]?
  var showsStatistics = false

  var outputFormat = OutputFormat.table
  var printsHeading = true
  var cellCut = CellCut.onTerminal
  var color = ColorChoice.auto
  var endsLinesByCRLF = false
  var stringCells = StringCells.asWritten
  var flattens = true
  var unitesAllColumns = false
  var isQuiet = false

  /// Whether colour and bold are used in what is printed.
  var usesColor = false
  var extent = PrintExtent.everything
  /// Whether rows are shown in the pager, if there is a terminal to get keys from. Then all rows are its business,
  /// whatever page it begins with.
  var opensPager = false

  /// Checks the options.
  ///
  /// - Parameters:
  ///   - options: the command line. A request for help in it is the caller's business.
  ///   - surroundings: what the process was started in.
  init(_ options: Options, in surroundings: Surroundings = Surroundings()) throws(UsageError) {
    if surroundings.isOutputTerminal, let words = surroundings.terminalOptions {
      let variable = "PAGECAT_OPTIONS"
      for given in try Options(words: words, ofVariable: variable).given {
        do throws(UsageError) {
          try apply(given)
        } catch {
          throw UsageError("\(variable): \(error.message)")
        }
      }
    }
    for given in options.given { try apply(given) }
    files = options.files
    if files.isEmpty {
      if surroundings.isInputTerminal {
        throw UsageError(
          "no FILE given, and standard input is a terminal; usage: \(HelpText.usage); see 'pagecat --help'")
      }
      files = [Array("-".utf8)]
    }
    try checkPages()
    switch color {
    case .always: usesColor = true
    case .never: usesColor = false
    case .auto:
      // https://no-color.org: set, and not to nothing.
      let isRefused = surroundings.noColor.map { !$0.isEmpty } ?? false
      // The pages of --each go to a pipe, wherever the command's own output goes.
      usesColor = surroundings.isOutputTerminal && command == nil && !isRefused && !surroundings.isDumbTerminal
    }
    extent = PrintExtent(self)
    opensPager = surroundings.isOutputTerminal && !isPlain && !surroundings.isDumbTerminal
    if opensPager { extent = .everything }
  }

  /// The same, printed: as to a pipe, or `everything` that the pager would have shown.
  func printed(everything: Bool = false) -> Invocation {
    var invocation = self
    invocation.opensPager = false
    invocation.extent = everything ? .everything : PrintExtent(self)
    return invocation
  }

  /// Rows on a page. With --all a limit of 0 would never get anywhere, so it counts as not given.
  var pageSize: Int {
    if printsAll, limit == 0 { return Invocation.defaultLimit }
    return limit ?? Invocation.defaultLimit
  }

  /// The row, from 0, that the first page begins with.
  var firstRowIndex: Int {
    let (pages, overflow) = ((page ?? 1) - 1).multipliedReportingOverflow(by: pageSize)
    return (offset ?? 0) + (overflow ? Invocation.mostRows : min(pages, Invocation.mostRows))
  }

  /// How many rows before the end of those loaded the next page is fetched.
  var prefetchMargin: Int { margin ?? max(1, pageSize - 10) }

  /// Whether having no row to print is worth an exit status of its own: rows were asked for.
  var asksForRows: Bool {
    if counts || explains || limit == 0 { return false }
    return positionFile != nil || !filters.isEmpty || limit != nil || page != nil || offset != nil
  }

  /// Whether output to a terminal is to be as to a pipe.
  var isPlain: Bool {
    !usesPager || printsAll || counts || explains || command != nil || positionFile != nil || outputFormat != .table
      || limit == 0
  }

  /// Checks what the options for pages mean together.
  private func checkPages() throws(UsageError) {
    if let command {
      if counts { throw UsageError("--each and --count do not go together") }
      if limit == 0 { throw UsageError("--each needs pages of at least one row, and --limit is 0") }
      if command.isEmpty { throw UsageError("--each: no command") }
      if command.contains(0) { throw UsageError("--each: a command cannot hold a NUL") }
    }
    guard positionFile != nil else { return }
    if counts { throw UsageError("--resume and --count do not go together") }
    if page != nil { throw UsageError("--resume and --page do not go together; the position says where to go on") }
    if limit == 0 { throw UsageError("--resume needs pages of at least one row, and --limit is 0") }
    if files.contains(where: { $0.elementsEqual("-".utf8) }) {
      throw UsageError("--resume needs a FILE, as standard input cannot be gone on with in another run")
    }
  }

  /// What --resume goes on with must be the same each time: which rows, in which order, read how.
  var resumableText: String {
    var words: [String] = []
    func add(_ option: String, _ value: [UInt8]?) {
      guard let value else { return }
      words.append("\(option) '\(Self.escaped(value))'")
    }
    for filter in filters { add("--filter", filter) }
    for sort in sorts { add("--sort", sort) }
    add("--offset", offset.map { Array("\($0)".utf8) })
    add("--from", inputFormat.map { Array($0.rawValue.utf8) })
    add("--delimiter", delimiter.map { [$0] })
    add("--encoding", encoding.map { Array($0.utf8) })
    if let recordsPath { add("--records", Array(recordsPath.joined(separator: ".").utf8)) }
    if !hasHeaderRow { words.append("--no-header-row") }
    return words.joined(separator: " ")
  }

  private static func escaped(_ bytes: [UInt8]) -> String {
    var text = ""
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      if scalar.value < 0x20 || scalar == "\\" {
        text += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private mutating func apply(_ given: GivenOption) throws(UsageError) {
    let value = given.value ?? []
    switch given.option {
    case .filter: filters.append(value)
    case .sort: sorts.append(value)
    case .limit: limit = try Invocation.rowCount(given, from: 0)
    case .offset: offset = try Invocation.rowCount(given, from: 0)
    case .page: page = try Invocation.rowCount(given, from: 1)
    case .margin: margin = try Invocation.rowCount(given, from: 0)
    case .columns: columns = value
    case .hide: hiddenColumns = value
    case .from: inputFormat = try Invocation.choice(given)
    case .delimiter: delimiter = try Invocation.delimiter(given)
    case .noHeaderRow: hasHeaderRow = false
    case .records: recordsPath = try Invocation.recordsPath(given)
    case .encoding: encoding = try Invocation.encoding(given)
    case .onError: onDamage = try Invocation.choice(given)
    case .memory: memory = try Invocation.byteCount(given)
    case .to: outputFormat = try Invocation.choice(given)
    case .noHeading: printsHeading = false
    case .wide: cellCut = .nowhere
    case .cut: cellCut = .at(try Invocation.rowCount(given, from: 1))
    case .color: color = try Invocation.choice(given)
    case .crlf: endsLinesByCRLF = true
    case .strings: stringCells = given.value.map { .columns($0) } ?? .all
    case .noFlatten: flattens = false
    case .allColumns: unitesAllColumns = true
    case .noPager: (usesPager, isInteractive) = (false, false)
    case .interactive: (usesPager, isInteractive) = (true, true)
    case .all: printsAll = true
    case .count: counts = true
    case .quiet: isQuiet = true
    case .each: command = value
    case .resume: positionFile = value
    case .stats: showsStatistics = true
    case .explain: explains = true
    case .schema, .noProgress, .help, .version:
      // Not available, so never given; or a request, which is no part of an invocation.
      break
    }
  }

  /// A count of rows, pages or cells: digits only.
  private static func rowCount(_ given: GivenOption, from least: Int) throws(UsageError) -> Int {
    let value = given.value ?? []
    var number = 0
    var isGood = !value.isEmpty
    for byte in value where isGood {
      let digit = Int(byte) - 0x30
      let (product, productOverflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, sumOverflow) = product.addingReportingOverflow(digit)
      isGood = digit >= 0 && digit <= 9 && !productOverflow && !sumOverflow
      number = sum
    }
    if !isGood || number < least {
      throw invalid(given, expected: "a whole number from \(least) to \(Int.max)")
    }
    return min(number, mostRows)
  }

  /// Other words for formats.
  private static let synonyms = [
    (word: "ndjson", name: "jsonl"), (word: "md", name: "markdown"), (word: "tab", name: "tsv"),
  ]

  private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ given: GivenOption
  ) throws(UsageError) -> Choice {
    let value = given.value ?? []
    if let choice = Choice.allCases.first(where: { $0.rawValue.utf8.elementsEqual(value) }) { return choice }
    let names = Choice.allCases.map(\.rawValue)
    let synonym = synonyms.first { $0.word.utf8.elementsEqual(value) && names.contains($0.name) }
    let near = synonym.map { [$0.name] } ?? OptionsNearMiss.nearest(to: value, among: names)
    throw invalid(
      given, expected: OptionsNearMiss.list(names, last: "or"), hint: OptionsNearMiss.question(near))
  }

  private static func delimiter(_ given: GivenOption) throws(UsageError) -> UInt8 {
    let value = given.value ?? []
    if value.elementsEqual("tab".utf8) || value.elementsEqual("\\t".utf8) { return UInt8(ascii: "\t") }
    guard value.count == 1, let byte = value.first, byte < 0x80, Dialect.canDelimit(byte) else {
      throw invalid(given, expected: "one ASCII character that is no quote and ends no line, or 'tab'")
    }
    return byte
  }

  /// A number of bytes: digits, and a suffix for a power of 1024.
  private static func byteCount(_ given: GivenOption) throws(UsageError) -> Int {
    let value = given.value ?? []
    let shifts: [UInt8: Int] = [UInt8(ascii: "K"): 10, UInt8(ascii: "M"): 20, UInt8(ascii: "G"): 30]
    let shift = value.last.flatMap { shifts[$0 & 0xDF] }
    let digits = shift == nil ? value[...] : value.dropLast()
    let number = digits.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? Int(String(decoding: digits, as: UTF8.self)) : nil
    if let number {
      let (size, overflows) = number.multipliedReportingOverflow(by: 1 << (shift ?? 0))
      if size > 0 && !overflows { return min(size, ReadingLimits.mostRecordSize) }
    }
    throw invalid(given, expected: "a size such as 64K, 512M or 2G, or a number of bytes")
  }

  /// An encoding that can be read here.
  private static func encoding(_ given: GivenOption) throws(UsageError) -> String {
    let value = given.value ?? []
    let name = String(decoding: value, as: UTF8.self)
    if name.utf8.elementsEqual(value) && Transcoding.isKnown(name) { return name }
    throw invalid(given, expected: "an encoding that this system knows; see 'iconv -l'")
  }

  /// Names joined by points, or one point.
  private static func recordsPath(_ given: GivenOption) throws(UsageError) -> [String] {
    let value = given.value ?? []
    if value.elementsEqual(".".utf8) { return [] }
    let names = value.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    if names.contains(where: \.isEmpty) {
      throw invalid(given, expected: "names joined by points, such as 'data.items', or '.' for the object itself")
    }
    return names.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func invalid(_ given: GivenOption, expected: String, hint: String = "") -> UsageError {
    UsageError(
      "invalid value \(Diagnostics.quoted(given.value ?? [])) for '\(given.spelling)'; expected \(expected)\(hint)")
  }
}
