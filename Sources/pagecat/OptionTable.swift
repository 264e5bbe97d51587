// The one table of all options. Parsing, `--help`, the suggestions for a mistyped name and whatever else speaks of
// options are made from it, so that none of them can know an option that the others do not.

import Reading

/// An option by its meaning, whichever way it is spelled.
enum Option: CaseIterable, Sendable {
  case filter, sort, limit, offset, page, columns, hide, margin
  case from, delimiter, noHeaderRow, records, encoding, onError
  case to, noHeading, wide, cut, color, crlf, strings, noFlatten, allColumns
  case noPager, interactive, all
  case count, schema, explain, each, resume
  case memory, stats, noProgress, quiet, help, version

  /// Options that a later version brings: neither shown nor accepted. Take one out of this list when it works.
  static let unavailable: [Option] = [
    .schema, .noProgress,
  ]
}

/// A heading of `--help`.
enum OptionGroup: String, CaseIterable, Sendable {
  case rows = "Which rows and columns, in which order"
  case input = "Input"
  case output = "Output"
  case pages = "Pages"
  case answers = "Instead of rows"
  case other = "Other"
}

/// What the table knows about an option.
struct OptionDefinition: Sendable {
  /// What stands after the name.
  enum Argument: Sendable, Equatable {
    case none
    /// A value that must be there, with its metavariable.
    case required(String)
    /// A value that may be there, after `=` only, with its metavariable.
    case optional(String)
  }

  let option: Option
  /// The name after `--`.
  let name: String
  /// The letter after `-`.
  let letter: UInt8?
  var argument: Argument {
    // Every run comes by here: put together by hand, which needs nothing of the runtime.
    choices.isEmpty ? givenArgument : .required(choices.reduce("") { $0.isEmpty ? $1 : $0 + "|" + $1 })
  }
  /// What stands after it where it has no choices. Every run makes the whole table, and asks for a few.
  private let givenArgument: Argument
  /// The values that are possible, where there are only some.
  let choices: [String]
  /// Whether the option adds to an earlier one of the same name, where others replace it.
  let isRepeatable: Bool
  let group: OptionGroup
  /// What it does, in a line or two, without a full stop.
  let help: String
  /// Names that other programs have for it; not accepted, only used to suggest the right one.
  let alsoKnownAs: [String]

  /// Whether this version has the option.
  var isAvailable: Bool { !Option.unavailable.contains(option) }

  fileprivate init(
    _ option: Option, _ name: String, _ letter: Unicode.Scalar? = nil, _ argument: Argument = .none,
    choices: [String] = [], isRepeatable: Bool = false, in group: OptionGroup, alsoKnownAs: [String] = [],
    help: String
  ) {
    self.option = option
    self.name = name
    self.letter = letter.map { UInt8(ascii: $0) }
    givenArgument = argument
    self.choices = choices
    self.isRepeatable = isRepeatable
    self.group = group
    self.help = help
    self.alsoKnownAs = alsoKnownAs
  }
}

enum OptionTable {
  /// Every option, also those that are not available yet, in the order of `--help`.
  static let all: [OptionDefinition] = [
    OptionDefinition(
      .filter, "filter", "f", .required("EXPR"), isRepeatable: true, in: .rows, alsoKnownAs: ["where", "query"],
      help: "keep the records where EXPR holds: 'distance > 40000'; may be repeated, then all must hold"),
    OptionDefinition(
      .sort, "sort", "s", .required("KEY[:MODIFIER]...[,KEY...]"), isRepeatable: true, in: .rows,
      alsoKnownAs: ["order", "order-by", "sort-by"],
      help:
        "order by KEY, then by the next; modifiers: asc, desc, text, number, date, natural, nocase, nulls-first, ..."),
    OptionDefinition(
      .limit, "limit", "n", .required("N"), in: .rows, alsoKnownAs: ["head", "lines", "rows", "page-size"],
      help: "rows on a page (\(Invocation.defaultLimit)); 0 for the columns only"),
    OptionDefinition(
      .offset, "offset", nil, .required("N"), in: .rows, alsoKnownAs: ["skip", "start"],
      help: "rows to pass over before the first page"),
    OptionDefinition(
      .page, "page", "p", .required("N"), in: .rows, help: "which page to print, counted from 1"),
    OptionDefinition(
      .columns, "columns", "c", .required("A,B,..."), in: .rows, alsoKnownAs: ["select", "fields"],
      help: "columns to print, in this order; 'gear.*': a group"),
    OptionDefinition(
      .hide, "hide", nil, .required("A,B,..."), in: .rows, alsoKnownAs: ["exclude", "drop"],
      help: "all columns but these"),

    OptionDefinition(
      .from, "from", nil, choices: InputFormat.allCases.map(\.rawValue), in: .input,
      alsoKnownAs: ["input-format"],
      help: "the input's format, if content and name do not tell"),
    OptionDefinition(
      .delimiter, "delimiter", nil, .required("C"), in: .input, alsoKnownAs: ["separator"],
      help: "what stands between the fields of CSV, or 'tab'"),
    OptionDefinition(
      .noHeaderRow, "no-header-row", in: .input, alsoKnownAs: ["no-header"],
      help: "CSV without names: its columns are c1, c2, ..."),
    OptionDefinition(
      .records, "records", nil, .required("PATH"), in: .input,
      help: "where the array of records is in a JSON object; '.' for the object itself"),
    OptionDefinition(
      .encoding, "encoding", nil, .required("NAME"), in: .input, alsoKnownAs: ["charset"],
      help: "the encoding of input without a byte order mark, by a name that iconv knows"),
    OptionDefinition(
      .onError, "on-error", nil, choices: DamageChoice.allCases.map(\.rawValue), in: .input,
      help: "what to do about a damaged record of JSON: end there, or leave it out (stop)"),

    OptionDefinition(
      .to, "to", "t", choices: OutputFormat.allCases.map(\.rawValue), in: .output,
      alsoKnownAs: ["format", "output", "output-format"],
      help: "the format to print (table)"),
    OptionDefinition(
      .noHeading, "no-heading", in: .output, alsoKnownAs: ["no-header", "no-headings"],
      help: "leave out the line of column names"),
    OptionDefinition(
      .wide, "wide", in: .output, alsoKnownAs: ["full", "no-cut"], help: "cut no cell and leave out no column"),
    OptionDefinition(
      .cut, "cut", nil, .required("N"), in: .output, alsoKnownAs: ["truncate", "max-width"],
      help: "cut cells of a table at N characters, in a pipe or file too"),
    OptionDefinition(
      .color, "color", nil, choices: ColorChoice.allCases.map(\.rawValue), in: .output, alsoKnownAs: ["colour"],
      help: "colour and bold (auto: on a terminal, unless NO_COLOR is set)"),
    OptionDefinition(
      .crlf, "crlf", in: .output, help: "end the lines of csv and tsv by CR LF"),
    OptionDefinition(
      .strings, "strings", nil, .optional("A,B,..."), in: .output,
      help: "in json and jsonl, keep all cells of CSV (or of these columns) as text"),
    OptionDefinition(
      .noFlatten, "no-flatten", in: .output, help: "print a nested object as JSON in one column"),
    OptionDefinition(
      .allColumns, "all-columns", in: .output,
      help: "read all records for their columns before the first row is printed"),

    OptionDefinition(
      .all, "all", in: .pages, help: "print every row, even with --limit"),
    OptionDefinition(
      .margin, "margin", nil, .required("N"), in: .pages,
      help: "rows to have ready beyond those in view (limit - 10, but at least 1)"),
    OptionDefinition(
      .noPager, "no-pager", in: .pages, help: "print to a terminal as to a pipe"),
    OptionDefinition(
      .interactive, "interactive", "i", in: .pages, help: "open the pager even if everything fits the screen"),
    OptionDefinition(
      .each, "each", nil, .required("COMMAND"), in: .pages,
      help: "run a shell command for every page, with the page on its standard input"),
    OptionDefinition(
      .resume, "resume", nil, .required("FILE"), in: .pages,
      help: "go on after the position that is kept in FILE"),

    OptionDefinition(.count, "count", in: .answers, help: "print the number of matching records"),
    OptionDefinition(
      .schema, "schema", in: .answers, help: "print the columns with their kinds, nulls and extremes"),
    OptionDefinition(
      .explain, "explain", in: .answers, help: "print how the input is understood and what would be done"),

    OptionDefinition(
      .memory, "memory", nil, .required("SIZE"), in: .other,
      help: "what an order may use, and a record be at most (512M); K, M, G: powers of 1024"),
    OptionDefinition(
      .stats, "stats", in: .other,
      help:
        "say at the end what was read and used, and which pages were ready in time or late: waited for by the reader"),
    OptionDefinition(.noProgress, "no-progress", in: .other, help: "show no progress"),
    OptionDefinition(
      .quiet, "quiet", in: .other, alsoKnownAs: ["silent"], help: "print no notes, only errors"),
    OptionDefinition(.help, "help", "h", in: .other, alsoKnownAs: ["usage"], help: "print this and end"),
    OptionDefinition(.version, "version", in: .other, help: "print the version and end"),
  ]

  /// The options that this version has.
  static let available: [OptionDefinition] = all.filter(\.isAvailable)

  /// The available option of the name `name`, which must be whole.
  static func definition(named name: [UInt8]) -> OptionDefinition? {
    all.first { $0.name.utf8.elementsEqual(name) && $0.isAvailable }
  }

  /// The available option of the letter `letter`.
  static func definition(lettered letter: UInt8) -> OptionDefinition? {
    all.first { $0.letter == letter && $0.isAvailable }
  }

  /// The names nearest to `name`, which is no option's: those it is the beginning of, those that other programs call
  /// so, and those within a few slips of the keyboard.
  static func suggestions(for name: [UInt8]) -> [String] {
    let known = available.filter { definition in
      definition.alsoKnownAs.contains { $0.utf8.elementsEqual(name) }
        || (name.count >= 2 && definition.name.utf8.starts(with: name))
    }
    let names = known.isEmpty ? OptionsNearMiss.nearest(to: name, among: available.map(\.name)) : known.map(\.name)
    return names.prefix(3).map { "--" + $0 }
  }
}
