// What can go wrong while reading, as data. Text for people is made here and nowhere else; the place in lines and
// columns is worked out only when an error is really reported.

/// Where in an input something stands. Numbers count from 1, as people see them.
package struct Place: Sendable, Equatable {
  /// The record's number in its input, where it is known.
  package var recordNumber: Int?
  package var lineNumber: Int
  /// In code points from the beginning of the line.
  package var column: Int
  /// In bytes from the beginning of the input, from 0.
  package var offset: Int

  package init(recordNumber: Int? = nil, lineNumber: Int, column: Int, offset: Int) {
    self.recordNumber = recordNumber
    self.lineNumber = lineNumber
    self.column = column
    self.offset = offset
  }

  package var description: String {
    let inside = "line \(lineNumber), column \(column), byte \(offset)"
    if let recordNumber { return "record \(recordNumber) (\(inside))" }
    return inside
  }
}

/// An input that cannot be opened, read or understood.
package struct ReadError: Error, Sendable {
  package enum Problem: Sendable, Equatable {
    /// A system call failed: what was tried, and `errno`.
    case system(String, Int32)
    /// The data is not what its format asks for.
    case damage(String)
    /// A record does not fit into the memory allowed (bytes).
    case recordTooLarge(limit: Int)
    /// There is no array where --records says; the paths of some that are there.
    ///
    /// This depends on the data, but it is a name that is wrong and not the data: nothing was printed yet, the whole
    /// object was looked at, and another name helps. So it is a usage error, as an unknown column is.
    case noRecords(path: String, arrays: [String])
    /// Something this program does not read, with what to do about it.
    case unsupported(String)
    /// A file lost bytes that had been there.
    case shrunk
    /// A file was written anew, so that what was read is of both.
    case rewritten
    /// Nobody wants the result any more.
    case cancelled
  }

  /// The input's name as the person gave it.
  package var inputName: String
  package var problem: Problem
  package var place: Place?

  package init(inputName: String, problem: Problem, place: Place? = nil) {
    self.inputName = inputName
    self.problem = problem
    self.place = place
  }

  /// Works out line and column of an error that knows its offset only.
  mutating func resolvePlace(in source: ByteSource) {
    guard let offset = place?.offset, let found = source.place(ofOffset: offset) else { return }
    place?.lineNumber = found.lineNumber
    place?.column = found.column
  }

  /// One line for people, without the program's name.
  package var message: String {
    var text = inputName
    if let place { text += ": " + place.description }
    switch problem {
    case .system(let action, let code): text += ": \(action): \(SystemCall.message(for: code))"
    case .damage(let reason): text += ": " + reason
    case .recordTooLarge(let limit): text += ": a record is larger than \(limit) bytes"
    case .noRecords(let path, let arrays):
      text += ": no array at '\(SafeName.text(Array(path.utf8), limit: 60))'"
      let names = arrays.prefix(5).map { "'\(SafeName.text(Array($0.utf8), limit: 60))'" }
      text += names.isEmpty ? "; there is no array in it" : "; there are \(names.joined(separator: ", "))"
      if arrays.count > 5 { text += ", …" }
    case .unsupported(let what): text += ": " + what
    case .cancelled: text += ": cancelled"
    case .shrunk: text += ": the file became shorter while it was read" + (place == nil ? "" : ", and ends here now")
    case .rewritten: text += ": the file was written anew while it was read"
    }
    return text
  }
}
