// Which format an input has: by its first bytes, and only then by its name.

/// The formats of input.
package enum InputFormat: String, Sendable, Equatable, CaseIterable {
  case json, jsonl, csv, tsv
}

package enum FormatDetector {
  /// What the first bytes of an input say before any format is known.
  package enum Signature: Sendable, Equatable {
    case utf8ByteOrderMark
    /// UTF-16 or UTF-32 with a byte order mark.
    case utf16(name: String)
    /// Text in UTF-16 without a byte order mark.
    case utf16WithoutMark
    /// Compressed, with this program's format.
    case compressed(program: String)
    case none
  }

  /// Looks at the first bytes.
  ///
  /// - Parameter bytes: the beginning of the input; 6 bytes decide everything.
  package static func signature(of bytes: Span<UInt8>) -> Signature {
    func begins(_ magic: [UInt8]) -> Bool {
      guard bytes.count >= magic.count else { return false }
      return magic.indices.allSatisfy { bytes[$0] == magic[$0] }
    }
    if begins([0xEF, 0xBB, 0xBF]) { return .utf8ByteOrderMark }
    if begins([0xFF, 0xFE, 0, 0]) { return .utf16(name: "UTF-32LE") }
    if begins([0, 0, 0xFE, 0xFF]) { return .utf16(name: "UTF-32BE") }
    if begins([0xFF, 0xFE]) { return .utf16(name: "UTF-16LE") }
    if begins([0xFE, 0xFF]) { return .utf16(name: "UTF-16BE") }
    if begins([0x1F, 0x8B]) { return .compressed(program: "gzip") }
    if begins([0x28, 0xB5, 0x2F, 0xFD]) { return .compressed(program: "zstd") }
    if begins([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) { return .compressed(program: "xz") }
    if begins([0x42, 0x5A, 0x68]) && bytes.count >= 6 && bytes[4] == 0x41 && bytes[5] == 0x59 {
      return .compressed(program: "bzip2")
    }
    if begins([0x04, 0x22, 0x4D, 0x18]) { return .compressed(program: "lz4") }
    // ASCII text in UTF-16 has a zero in every second byte.
    if bytes.count >= 4 {
      let zeros = (0..<4).map { bytes[$0] == 0 }
      if zeros == [false, true, false, true] || zeros == [true, false, true, false] { return .utf16WithoutMark }
    }
    return .none
  }

  /// The format of an input.
  ///
  /// - Parameters:
  ///   - name: the file's name or path.
  ///   - bytes: its beginning without a byte order mark, at least `ReadingLimits.sniffSize` bytes of it if it has as many
  ///     after leading white space.
  ///   - firstIndex: the first byte that is no white space.
  package static func format(name: [UInt8], bytes: Span<UInt8>, firstIndex: Int) -> InputFormat {
    let ending = Self.ending(of: name)
    let first = bytes[firstIndex]
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == 0x1E {
      let isTextName = ["csv", "tsv", "tab", "txt"].contains(ending)
      if !isTextName || isSoundJSON(bytes, from: firstIndex) {
        return ["jsonl", "ndjson"].contains(ending) ? .jsonl : .json
      }
    }
    switch ending {
    case "json", "geojson": return .json
    case "jsonl", "ndjson": return .jsonl
    case "tsv", "tab": return .tsv
    default: return .csv
    }
  }

  /// Whether the beginning is JSON as far as it goes.
  private static func isSoundJSON(_ bytes: Span<UInt8>, from firstIndex: Int) -> Bool {
    var scanner = JSONScanner(fields: [], layout: .values)
    var batch = RecordBatch(fieldsPerRecord: 0)
    let window = bytes.extracting(firstIndex..<min(bytes.count, firstIndex + ReadingLimits.sniffSize))
    let result = scanner.scan(window, from: 0, limit: .max, isFinal: false, into: &batch)
    if case .damage = result.stop { return false }
    return true
  }

  /// The last ending of a name in small letters, those of compressed files left out.
  static func ending(of name: [UInt8]) -> String {
    var parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).dropFirst()
    while let last = parts.popLast() {
      let ending = String(decoding: last, as: UTF8.self).lowercased()
      if !["gz", "gzip", "zst", "zstd", "xz", "bz2", "lz4"].contains(ending) { return ending }
    }
    return ""
  }
}
