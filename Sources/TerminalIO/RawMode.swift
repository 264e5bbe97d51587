// The settings of a terminal (termios): saved, made raw, given back. Nothing is written to the terminal here.

import Glibc

/// Key by key, without echo and without signals from keys: Ctrl-C, Ctrl-Z and the like are keys.
struct RawMode {
  private let descriptor: Int32
  /// The settings from before.
  let saved: termios

  /// Remembers how the terminal is set; nil where there is none.
  init?(_ descriptor: Int32) {
    var settings = termios()
    guard unsafe tcgetattr(descriptor, &settings) == 0 else { return nil }
    self.descriptor = descriptor
    saved = settings
  }

  func begin() {
    var settings = saved
    settings.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON)
    settings.c_oflag &= ~tcflag_t(OPOST)
    settings.c_cflag |= tcflag_t(CS8)
    settings.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN | ISIG)
    // A read gives what is there, at least one byte (VMIN 1), at once (VTIME 0).
    settings.c_cc.6 = 1
    settings.c_cc.5 = 0
    apply(settings)
  }

  /// - Parameter waits: whether what was written is waited for; a terminal that takes nothing would be waited for in vain.
  func end(waits: Bool) { apply(saved, waits: waits) }

  private func apply(_ settings: termios, waits: Bool = true) {
    var settings = settings
    // Waits until what was written is out (TCSADRAIN), and does not throw keys away that were typed ahead.
    while unsafe tcsetattr(descriptor, waits ? TCSADRAIN : TCSANOW, &settings) != 0 && errno == EINTR {}
  }
}
