// The pagers that are compared: how each is started, which keys it takes, and what it can be asked to do in the background.

/// A pager.
struct PagerProgram {
  /// Also the name of the program.
  let name: String
  let frameEnd: FrameEnd
  let keys: Keys
  /// The arguments for a file of a format; nil where it cannot show one.
  let arguments: @Sendable (GeneratedFormat, String) -> [String]?

  /// What makes it move.
  struct Keys {
    var down = "j"
    var up = "k"
    var pageDown = "\u{1B}[6~"
    var pageUp = "\u{1B}[5~"
    var left = "h"
    var right = "l"

    var first = "g0"

    /// For the first rows and columns, also where a pass takes the view back to the first row at any time: every key
    /// changes the screen, and stays among the rows that are there as long as everything is not in order.
    static let onwardCount = 40
    var onward: [String] {
      [
        down, right, down, left, down, right, pageDown, left, down, right, down, left, down, right, down, left, down,
        right, down, left,
      ]
    }

    /// Every key changes the screen, wherever it is in a result, from the first row on.
    var mixed: [String] {
      [
        down, down, right, down, pageDown, up, down, right, pageDown, up, left, down, pageUp, down, left, down,
        pageDown,
      ]
    }
  }

  /// A pass through all records in the background.
  struct Pass {
    let name: String
    /// What starts it, one after the other in turn, so that there is always something to do.
    let starts: [String]
  }

  /// pagecat's; the others have none, or one that takes the keys with it.
  static let passes = [
    Pass(name: "a sort", starts: ["S", "s"]),
    Pass(name: "a search", starts: ["/no such text\r"]),
    Pass(name: "a count", starts: ["="]),
  ]

  static let pagecat = PagerProgram(name: "pagecat", frameEnd: .mark, keys: Keys()) { _, path in
    ["--interactive", path]
  }

  static let peers = [
    PagerProgram(
      name: "less", frameEnd: .silence, keys: Keys(left: "\u{1B}OD", right: "\u{1B}OC")
    ) { _, path in ["-S", path] },
    PagerProgram(name: "vd", frameEnd: .silence, keys: Keys()) { _, path in [path] },
    PagerProgram(
      name: "pspg", frameEnd: .silence, keys: Keys(left: "\u{1B}OD", right: "\u{1B}OC")
    ) { format, path in format == .csv ? ["--csv", "--csv-header", "on", "-f", path] : nil },
  ]
}
