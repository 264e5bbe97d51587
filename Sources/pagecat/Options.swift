// What was written on the command line: which options, in which order, with which values, and the files. Names are
// checked here, values are not: what they mean together is the business of `Invocation`.
//
// Arguments are bytes. A file's name need not be UTF-8, and neither need the value of a filter.

import Glibc

/// The command line cannot be understood.
struct UsageError: Error, Equatable {
  let message: String

  init(_ message: String) {
    self.message = message
  }
}

/// One option as given.
struct GivenOption: Equatable, Sendable {
  let option: Option
  /// Its value; nil where it takes none, or where an optional one was left out.
  let value: [UInt8]?
  /// How it was spelled, `--limit` or `-n`, for messages.
  let spelling: String
}

/// The options and files of one command line.
struct Options: Equatable, Sendable {
  /// Something to print instead of doing anything.
  enum Request: Equatable, Sendable {
    case help, version
  }

  /// The options in the order given.
  var given: [GivenOption] = []
  /// The files in the order given; `-` stands for standard input.
  var files: [[UInt8]] = []
  /// The first of `--help` and `--version`. What stands after it is not looked at.
  var request: Request?

  init() {}

  /// Reads the arguments that follow the program's name.
  init(arguments: [[UInt8]]) throws(UsageError) {
    var rest = arguments[...]
    var areOptionsOver = false
    while request == nil, let argument = rest.popFirst() {
      if areOptionsOver || argument.first != Ascii.hyphen || argument.count == 1 {
        files.append(argument)
      } else if argument.count == 2 && argument[1] == Ascii.hyphen {
        areOptionsOver = true
      } else if argument[1] == Ascii.hyphen {
        try readLong(argument, &rest)
      } else {
        try readLetters(argument, &rest)
      }
    }
  }

  /// Reads the options kept in an environment variable, written as a shell's words.
  init(words: [UInt8], ofVariable variable: String) throws(UsageError) {
    do throws(UsageError) {
      try self.init(arguments: Options.split(words))
      if let file = files.first {
        throw UsageError("expected options only, found \(Diagnostics.quoted(file))")
      }
      if request != nil {
        throw UsageError("--help and --version cannot stand in it")
      }
    } catch {
      throw UsageError("\(variable): \(error.message)")
    }
  }

  /// Reads `--name`, `--name=value` or `--name value`.
  private mutating func readLong(_ argument: [UInt8], _ rest: inout ArraySlice<[UInt8]>) throws(UsageError) {
    let body = argument.dropFirst(2)
    let equals = body.firstIndex(of: Ascii.equals)
    let name = Array(body[..<(equals ?? body.endIndex)])
    guard let definition = OptionTable.definition(named: name) else {
      throw Options.unknown(name)
    }
    let spelling = "--" + definition.name
    let attached = equals.map { Array(body[($0 + 1)...]) }
    switch definition.argument {
    case .none:
      if let attached {
        throw UsageError("option '\(spelling)' takes no value, got \(Diagnostics.quoted(attached))")
      }
      add(definition, nil, spelling)
    case .optional:
      if attached?.isEmpty == true { throw Options.empty(spelling) }
      add(definition, attached, spelling)
    case .required(let metavariable):
      add(definition, try Options.value(attached, &rest, of: spelling, metavariable), spelling)
    }
  }

  /// Reads `-n20`, `-n 20` and flags in a bundle, of which the last may take a value.
  private mutating func readLetters(_ argument: [UInt8], _ rest: inout ArraySlice<[UInt8]>) throws(UsageError) {
    var index = 1
    while request == nil && index < argument.count {
      guard let definition = OptionTable.definition(lettered: argument[index]) else {
        throw Options.unknownLetter(at: index, in: argument)
      }
      let spelling = "-" + String(decoding: [argument[index]], as: UTF8.self)
      index += 1
      switch definition.argument {
      case .none, .optional:
        add(definition, nil, spelling)
      case .required(let metavariable):
        let attached = index < argument.count ? Array(argument[index...]) : nil
        add(definition, try Options.value(attached, &rest, of: spelling, metavariable), spelling)
        return
      }
    }
  }

  private mutating func add(_ definition: OptionDefinition, _ value: [UInt8]?, _ spelling: String) {
    switch definition.option {
    case .help: request = .help
    case .version: request = .version
    default: given.append(GivenOption(option: definition.option, value: value, spelling: spelling))
    }
  }

  /// The value that is attached to an option, or else the next argument.
  private static func value(
    _ attached: [UInt8]?, _ rest: inout ArraySlice<[UInt8]>, of spelling: String, _ metavariable: String
  ) throws(UsageError) -> [UInt8] {
    if let attached {
      if attached.isEmpty { throw empty(spelling) }
      return attached
    }
    guard let next = rest.popFirst() else {
      throw UsageError("option '\(spelling)' needs a value: \(spelling) \(metavariable)")
    }
    if next.isEmpty { throw empty(spelling) }
    // A value may begin with a hyphen, but hardly be one of our options: there it was forgotten.
    if isOption(next) {
      throw UsageError(
        "option '\(spelling)' needs a value: \(spelling) \(metavariable); found \(Diagnostics.quoted(next)) instead")
    }
    return next
  }

  /// Whether an argument is `--name`, `--name=value` or `-n` of an option that exists.
  private static func isOption(_ argument: [UInt8]) -> Bool {
    if argument.starts(with: [Ascii.hyphen, Ascii.hyphen]) {
      return OptionTable.definition(named: Array(argument.dropFirst(2).prefix { $0 != Ascii.equals })) != nil
    }
    return argument.count == 2 && argument[0] == Ascii.hyphen && OptionTable.definition(lettered: argument[1]) != nil
  }

  private static func empty(_ spelling: String) -> UsageError {
    UsageError("option '\(spelling)' needs a value that is not empty")
  }

  private static func unknown(_ name: [UInt8]) -> UsageError {
    UsageError("unknown option \(Diagnostics.quoted(Array("--".utf8) + name))\(hint(for: name))")
  }

  private static func hint(for name: [UInt8]) -> String {
    let suggestions = OptionTable.suggestions(for: name)
    return suggestions.isEmpty ? "; see 'pagecat --help'" : OptionsNearMiss.question(suggestions)
  }

  private static func unknownLetter(at index: Int, in argument: [UInt8]) -> UsageError {
    // A bundle may go on with any bytes; what is quoted is a whole character.
    let letter = String(decoding: argument[index...].prefix(4), as: UTF8.self).unicodeScalars.prefix(1)
    let option = "unknown option " + Diagnostics.quoted("-\(String(letter))".utf8)
    // Nothing else is in the argument: no need to quote it too.
    if argument.elementsEqual("-\(String(letter))".utf8) { return UsageError("\(option); see 'pagecat --help'") }
    let place = option + " in \(Diagnostics.quoted(argument))"
    if argument.dropFirst().allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
      return UsageError(place + "; did you mean '-n \(Diagnostics.harmless(argument.dropFirst()))'?")
    }
    return UsageError(place + hint(for: Array(argument.dropFirst().prefix { $0 != Ascii.equals })))
  }

  /// Splits text into words as a shell does: at blanks outside quotes; `'…'` is literal, in `"…"` a backslash protects
  /// `"`, `\`, `$` and a backquote, elsewhere any character. Nothing is expanded.
  static func split(_ text: [UInt8]) throws(UsageError) -> [[UInt8]] {
    var words: [[UInt8]] = []
    // nil between words, so that '' is a word too.
    var word: [UInt8]?
    var quote: UInt8?
    var index = 0
    while index < text.count {
      let byte = text[index]
      let next = index + 1 < text.count ? text[index + 1] : nil
      index += 1
      switch (quote, byte) {
      case (Ascii.apostrophe, Ascii.apostrophe), (Ascii.quote, Ascii.quote):
        quote = nil
      case (nil, Ascii.apostrophe), (nil, Ascii.quote):
        quote = byte
        word = word ?? []
      case (nil, Ascii.blank), (nil, Ascii.tab), (nil, Ascii.lineFeed):
        if let word { words.append(word) }
        word = nil
      case (nil, Ascii.backslash):
        guard let next else { throw UsageError("a backslash stands at its end") }
        word = (word ?? []) + [next]
        index += 1
      case (Ascii.quote, Ascii.backslash):
        if let next, [Ascii.quote, Ascii.backslash, Ascii.dollar, Ascii.backquote].contains(next) {
          word = (word ?? []) + [next]
          index += 1
        } else {
          word?.append(byte)
        }
      default:
        word = (word ?? []) + [byte]
      }
    }
    if let quote {
      throw UsageError("a quote is not closed: \(String(decoding: [quote], as: UTF8.self))")
    }
    if let word { words.append(word) }
    return words
  }

  /// The arguments of this process after its name, as bytes.
  static func processArguments() -> [[UInt8]] {
    let count = Int(CommandLine.argc)
    return count < 2 ? [] : (1..<count).compactMap { unsafe bytes(CommandLine.unsafeArgv[$0]) }
  }

  /// The value of an environment variable, as bytes.
  static func environmentVariable(_ name: String) -> [UInt8]? {
    unsafe bytes(getenv(name))
  }

  private static func bytes(_ text: UnsafeMutablePointer<CChar>?) -> [UInt8]? {
    guard let text = unsafe text else { return nil }
    return unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
  }
}

/// The characters that the command line is made of.
private enum Ascii {
  static let tab = UInt8(ascii: "\t")
  static let lineFeed = UInt8(ascii: "\n")
  static let blank = UInt8(ascii: " ")
  static let quote = UInt8(ascii: "\"")
  static let dollar = UInt8(ascii: "$")
  static let apostrophe = UInt8(ascii: "'")
  static let hyphen = UInt8(ascii: "-")
  static let equals = UInt8(ascii: "=")
  static let backslash = UInt8(ascii: "\\")
  static let backquote = UInt8(ascii: "`")
}
