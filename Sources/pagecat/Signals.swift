// What the program does about signals. SIGINT, SIGTERM and SIGHUP keep what they do by default, which ends a shell
// loop too; there is nothing to restore yet. What needs care is SIGPIPE, and SIGXFSZ.

import Glibc

enum Signals {
  /// Gives SIGPIPE its default meaning, whatever the parent left (some runtimes ignore it, and children inherit that):
  /// a reader that closes its pipe then ends this process and the decompressors it started.
  static func restoreDefaults() {
    _ = signal(SIGPIPE, SIG_DFL)
  }

  /// Makes a write beyond the largest size of a file (`ulimit -f`) fail by EFBIG, which is an error like a full disk's.
  /// Children get the default action back when they are started.
  static func ignoreFileSizeLimit() {
    _ = signal(SIGXFSZ, SIG_IGN)
  }

  /// Ends the process as a write to a closed pipe would have done.
  static func endByBrokenPipe() -> Never {
    restoreDefaults()
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGPIPE)
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(SIGPIPE)
    // Not reached; the status is what a shell shows for the signal.
    _exit(128 + SIGPIPE)
  }

  /// Runs `body` so that a write to a closed pipe in it fails instead of ending the process.
  ///
  /// The signal goes to the thread that wrote, so it is blocked for this thread, and taken away if it came. The
  /// process-wide disposition stays as it is, because children would inherit it.
  static func withoutBrokenPipe(_ body: () -> Void) {
    var set = sigset_t()
    var pending = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGPIPE)
    unsafe sigpending(&pending)
    let wasPending = unsafe sigismember(&pending, SIGPIPE) == 1
    unsafe pthread_sigmask(SIG_BLOCK, &set, &before)
    body()
    if !wasPending {
      var noTime = timespec()
      while unsafe sigtimedwait(&set, nil, &noTime) == -1 && errno == EINTR {}
    }
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}
