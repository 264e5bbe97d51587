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

/// A program of the system that tests may use where it is there.
package enum SystemProgram {
  /// Its path; nil where it is not there.
  package static func path(_ name: String) -> String? {
    ["/usr/bin/", "/bin/", "/usr/local/bin/"].map { $0 + name }.first { unsafe access($0, X_OK) == 0 }
  }

  /// What a program makes of some bytes; nil where it is not there.
  package static func run(_ name: String, _ arguments: [String], on bytes: [UInt8]) throws -> [UInt8]? {
    guard let path = path(name) else { return nil }
    return try ProcessRunner(program: path).run(arguments, input: .bytes(bytes)).standardOutput
  }
}
