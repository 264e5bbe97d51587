// A file for one test, gone with the last reference to it.

import Glibc

package final class TemporaryFile: Sendable {
  package let path: String

  /// - Parameters:
  ///   - bytes: what stands in it.
  ///   - ending: the end of its name, with a point.
  package init(_ bytes: [UInt8], ending: String = "") {
    var template = Array("/tmp/pagecat-test.XXXXXX\(ending)".utf8CString)
    let descriptor = unsafe mkstemps(&template, Int32(ending.utf8.count))
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var done = 0
    while done < bytes.count {
      let put = unsafe bytes.withUnsafeBytes {
        unsafe write(descriptor, $0.baseAddress?.advanced(by: done), bytes.count - done)
      }
      if put <= 0 { break }
      done += put
    }
    close(descriptor)
  }

  deinit { _ = unsafe unlink(path) }
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
