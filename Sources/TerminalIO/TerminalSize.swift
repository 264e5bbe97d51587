// How large the terminal is.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

package enum TerminalSize {
  /// Cells of a line of the terminal that standard output goes to; what COLUMNS says, or 80, where it does not tell.
  package static func columns() -> Int {
    var size = winsize()
    if unsafe ioctl(1, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 { return Int(size.ws_col) }
    if let value = unsafe getenv("COLUMNS"), let columns = unsafe Int(String(cString: value)), columns > 0 {
      return columns
    }
    return 80
  }
}
