// The command line of pagecat-bench, read from left to right.

import Glibc

struct Arguments {
  private var rest: ArraySlice<String>

  init(_ arguments: ArraySlice<String>) {
    rest = arguments
  }

  mutating func next() -> String? {
    rest.popFirst()
  }

  mutating func value(of option: String) throws(BenchError) -> String {
    guard let value = rest.popFirst() else { throw .usage("\(option) needs a value") }
    return value
  }

  mutating func number(of option: String) throws(BenchError) -> UInt64 {
    let value = try value(of: option)
    guard let number = UInt64(value) else { throw .usage("\(option) \(value): not a whole number") }
    return number
  }

  mutating func number(of option: String, in range: ClosedRange<Int>) throws(BenchError) -> Int {
    let number = try number(of: option)
    guard let number = Int(exactly: number), range.contains(number) else {
      throw .usage("\(option) \(number): from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}

extension Arguments {
  mutating func format(of option: String) throws(BenchError) -> GeneratedFormat {
    let value = try value(of: option)
    guard let format = GeneratedFormat(rawValue: value) else {
      throw .usage("\(option) \(value): one of csv, jsonl, json")
    }
    return format
  }
}

/// Prints one message on standard error.
func report(_ message: String) {
  var line = "pagecat-bench: \(message)\n"
  line.withUTF8 { bytes in
    // Nothing is left to tell anybody when standard error itself cannot be written.
    _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count)
  }
}
