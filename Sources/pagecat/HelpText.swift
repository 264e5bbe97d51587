// What --help and --version print, made from the table of options.

enum HelpText {
  static let version = "pagecat 0.1.0\n"
  static let usage = "pagecat [OPTION]... [FILE]..."

  /// The widest line.
  static let width = 80
  /// Where the explanations begin.
  private static let indentation = 26

  /// The text of --help.
  static func help() -> String {
    var text = """
      Usage: \(usage)
      Print a JSON or CSV dataset of any size in the order and selection asked for,
      one page at a time. Without FILE, or where it is -, read standard input.

        pagecat activities.json --sort startDate:desc --limit 20

      """
    for group in OptionGroup.allCases {
      let definitions = OptionTable.available.filter { $0.group == group }
      if definitions.isEmpty { continue }
      text += "\n\(group.rawValue):\n"
      for definition in definitions { text += entry(definition) }
    }
    let adding = OptionsNearMiss.list(OptionTable.available.filter(\.isRepeatable).map { "--\($0.name)" }, last: "and")
    text += """

      On a terminal the rows are shown in a pager, where H is its help; anywhere
      else every row is printed, or with --limit or --page that one page.
      A later option replaces an earlier one of the same name, except that
      \(adding) add up. PAGECAT_OPTIONS holds options that are used
      only when standard output is a terminal.

      Exit status: 0 done, 1 no row where rows were asked for, 2 wrong usage,
      3 input or output failed, 4 records were left out, 5 a stale --resume file.

      """
    return text
  }

  /// The names of an option with what follows them, as in `-n, --limit N`.
  static func names(_ definition: OptionDefinition) -> String {
    let letter = definition.letter.map { "-" + String(decoding: [$0], as: UTF8.self) + ", " } ?? "    "
    switch definition.argument {
    case .none: return "\(letter)--\(definition.name)"
    case .required(let metavariable): return "\(letter)--\(definition.name) \(metavariable)"
    case .optional(let metavariable): return "\(letter)--\(definition.name)[=\(metavariable)]"
    }
  }

  private static func entry(_ definition: OptionDefinition) -> String {
    let names = "  " + names(definition)
    let blanks = String(repeating: " ", count: indentation)
    var text = names
    if names.utf8.count + 2 > indentation {
      text += "\n" + blanks
    } else {
      text += String(blanks.dropFirst(names.utf8.count))
    }
    var room = width - indentation
    for word in definition.help.split(separator: " ") {
      let needed = word.utf8.count + (room == width - indentation ? 0 : 1)
      if needed > room {
        text += "\n" + blanks
        room = width - indentation
      } else if needed > word.utf8.count {
        text += " "
        room -= 1
      }
      text += word
      room -= word.utf8.count
    }
    return text + "\n"
  }
}
