// A file that is there as long as somebody holds it.

import Glibc

/// A file in the folder for temporary files, removed with the last reference.
package final class TemporaryFile: Sendable {
  package let path: String

  /// - Parameter ending: of the name, with its dot.
  package init(_ bytes: [UInt8], ending: String = "") throws {
    var template = "/tmp/pagecat-test-XXXXXX\(ending)".utf8CString.map { $0 }
    let descriptor = unsafe mkstemps(&template, Int32(ending.utf8.count))
    if descriptor < 0 { throw ProcessError("cannot make a file", errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 { throw ProcessError("cannot write \(path)", errno) }
      rest = rest.dropFirst(count)
    }
  }

  package convenience init(_ text: String, ending: String = "") throws {
    try self.init(Array(text.utf8), ending: ending)
  }

  deinit { unsafe unlink(path) }
}
