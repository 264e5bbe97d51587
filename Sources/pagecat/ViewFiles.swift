// What the files on show are like in the file system, to be compared with what they were: grown, shorter, another, gone.

import Glibc
import Reading

/// The files of a dataset as they were when they were opened.
struct ViewFiles {
  enum Change {
    case grown
    case shrunk(String)
    case replaced(String)
    case removed(String)
  }

  private struct File {
    let name: String
    let path: [CChar]
    let device: UInt
    let number: UInt
    let size: Int
  }

  private var files: [File] = []
  /// Whether all inputs are files that can be opened again.
  let areRegular: Bool
  private var lastLook = 0
  /// A change that a person was told of is not told again.
  private var isTold = false

  init(_ inputs: [DatasetInput]) {
    areRegular = inputs.allSatisfy(\.isRegularFile)
    for input in inputs {
      guard case .file(let path) = input.location else { continue }
      var information = stat()
      let terminated = path.map { CChar(bitPattern: $0) } + [0]
      guard unsafe stat(terminated, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { continue }
      files.append(
        File(
          name: input.name, path: terminated, device: UInt(information.st_dev), number: UInt(information.st_ino),
          size: input.source.size ?? Int(information.st_size)))
    }
    lastLook = ViewFiles.now()
  }

  /// Looks whether something has changed, twice a second at most.
  mutating func look() -> Change? {
    let now = ViewFiles.now()
    if now - lastLook < ViewLimits.followMilliseconds - 20 { return nil }
    lastLook = now
    var isGrown = false
    for file in files {
      var information = stat()
      if unsafe stat(file.path, &information) != 0 { return tell(.removed(file.name)) }
      if UInt(information.st_dev) != file.device || UInt(information.st_ino) != file.number {
        return tell(.replaced(file.name))
      }
      if Int(information.st_size) < file.size { return tell(.shrunk(file.name)) }
      if Int(information.st_size) > file.size { isGrown = true }
    }
    return isGrown ? .grown : nil
  }

  private mutating func tell(_ change: Change) -> Change? {
    if isTold { return nil }
    isTold = true
    return change
  }

  private static func now() -> Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1000 + Int(time.tv_nsec) / 1_000_000
  }
}
