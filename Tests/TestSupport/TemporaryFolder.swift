// A folder of a test's own, which goes with it.

import Glibc

package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws {
    var template = Array("/tmp/pagecat-test.XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw ProcessError("cannot make a folder", errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    // Tests make files and no folders in it.
    guard let folder = unsafe opendir(path) else { return }
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != "." && name != ".." { _ = unsafe unlink(path + "/" + name) }
    }
    unsafe closedir(folder)
    _ = unsafe rmdir(path)
  }

  /// The path of a file in the folder.
  package func file(_ name: String) -> String { path + "/" + name }

  /// Writes a file, or adds to one.
  @discardableResult
  package func write(_ text: String, to name: String, appends: Bool = false) throws -> String {
    let file = file(name)
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (appends ? O_APPEND : O_TRUNC)
    let descriptor = unsafe open(file, flags, 0o644)
    guard descriptor >= 0 else { throw ProcessError("cannot write \(file)", errno) }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    var done = 0
    while done < bytes.count {
      let put = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.write(descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done)
      }
      if put < 0 { throw ProcessError("cannot write \(file)", errno) }
      done += put
    }
    return file
  }

  /// What a file holds; nil where there is none.
  package func text(_ name: String) -> String? {
    let descriptor = unsafe open(file(name), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let got = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      if got <= 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<got]
    }
  }

  /// The names of the files, in order.
  package var names: [String] {
    guard let folder = unsafe opendir(path) else { return [] }
    defer { unsafe _ = closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
