// `pagecat-bench feed FILE`: a file into the pipe on standard output, page by page as the system has it, without a copy. Who reads from
// such a pipe is measured alone: the writer takes next to nothing of the processor.

import Glibc

struct FeedCommand {
  private let path: String

  init(_ arguments: inout Arguments) throws(BenchError) {
    guard let path = arguments.next(), arguments.next() == nil else { throw .usage("feed needs one file") }
    self.path = path
  }

  func run() throws(BenchError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(path) }
    defer { close(descriptor) }
    // As much at a time as a pipe may hold.
    let size = 1 << 20
    while true {
      let sent = sendfile(STDOUT_FILENO, descriptor, nil, size)
      if sent == 0 { return }
      if sent < 0 && errno != EINTR { throw .system(path) }
    }
  }
}
