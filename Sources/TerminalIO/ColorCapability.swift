// Which colours may be sent. Attributes (bold, reverse) are not colours and always are.

package enum ColorCapability: Sendable, Equatable {
  case none
  /// The sixteen of the palette that every colour terminal has.
  case sixteen
  /// All 256 of xterm's palette.
  case indexed

  /// What the environment tells.
  ///
  /// - Parameters:
  ///   - term: the value of TERM.
  ///   - colorTerm: the value of COLORTERM.
  ///   - noColor: the value of NO_COLOR; any that is not empty forbids colour (https://no-color.org).
  package init(term: String?, colorTerm: String?, noColor: String?) {
    if let noColor, !noColor.isEmpty {
      self = .none
    } else if let colorTerm, !colorTerm.isEmpty {
      self = .indexed
    } else if let term, term.utf8.count >= 8, term.hasSuffix("256color") {
      self = .indexed
    } else if let term, !term.isEmpty, term != "dumb", !term.hasPrefix("vt1"), !term.hasSuffix("-m"),
      !term.hasSuffix("-mono")
    {
      self = .sixteen
    } else {
      self = .none
    }
  }
}
