// Which format an input has: by its first bytes, and only then by its name.

/// The formats of input.
package enum InputFormat: String, Sendable, Equatable, CaseIterable {
  case json, jsonl, csv, tsv
}

package enum FormatDetector {
  /// What the first bytes of an input say before any format is known.
  package enum Signature: Sendable, Equatable {
    case utf8ByteOrderMark
    /// UTF-16 or UTF-32 with a byte order mark of so many bytes.
    case byteOrderMark(encoding: String, count: Int)
    /// Text in what must be this encoding, without a byte order mark.
    case utf16WithoutMark(encoding: String)
    case compressed(Decompressor)
    case none
  }

  /// The bytes that formats begin with; where one is the beginning of another, the longer is first.
  private static let signatures: [(bytes: [UInt8], signature: Signature)] = [
    ([0xEF, 0xBB, 0xBF], .utf8ByteOrderMark),
    // https://www.unicode.org/faq/utf_bom.html#bom4
    ([0xFF, 0xFE, 0, 0], .byteOrderMark(encoding: "UTF-32LE", count: 4)),
    ([0, 0, 0xFE, 0xFF], .byteOrderMark(encoding: "UTF-32BE", count: 4)),
    ([0xFF, 0xFE], .byteOrderMark(encoding: "UTF-16LE", count: 2)),
    ([0xFE, 0xFF], .byteOrderMark(encoding: "UTF-16BE", count: 2)),
    // RFC 1952, section 2.3.1
    ([0x1F, 0x8B], .compressed(.gzip)),
    // RFC 8878, section 3.1.1
    ([0x28, 0xB5, 0x2F, 0xFD], .compressed(.zstd)),
    // https://tukaani.org/xz/xz-file-format.txt, section 2.1.1.1
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], .compressed(.xz)),
    // https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md: frames, and those of old
    ([0x04, 0x22, 0x4D, 0x18], .compressed(.lz4)),
    ([0x02, 0x21, 0x4C, 0x18], .compressed(.lz4)),
  ]

  /// What follows "BZh" and a digit in bzip2: the first block, or the end of a stream without one.
  private static let bzip2Blocks: [[UInt8]] = [
    [0x31, 0x41, 0x59, 0x26, 0x53, 0x59], [0x17, 0x72, 0x45, 0x38, 0x50, 0x90],
  ]

  /// Looks at the first bytes.
  ///
  /// - Parameters:
  ///   - bytes: the beginning of the input.
  ///   - isFinal: whether the input ends with them.
  /// - Returns: nil where more bytes are needed, which is only where these begin like something.
  package static func signature(of bytes: Span<UInt8>, isFinal: Bool) -> Signature? {
    // The second byte of UTF-16 may be what tells; there is no record of less than two bytes to be waited with.
    if bytes.count < 2 && !isFinal { return nil }
    var mayBecome = false
    for (magic, signature) in signatures {
      var length = 0
      while length < min(magic.count, bytes.count) && bytes[length] == magic[length] { length += 1 }
      if length == magic.count { return signature }
      if length == bytes.count && !isFinal { return nil }
    }
    if let found = bzip2Signature(bytes, mayBecome: &mayBecome) { return found }
    if mayBecome && !isFinal { return nil }
    // ASCII text in UTF-16 has a zero in every second byte.
    if bytes.count >= 4 {
      let zeros = (0..<4).map { bytes[$0] == 0 }
      if zeros == [false, true, false, true] { return .utf16WithoutMark(encoding: "UTF-16LE") }
      if zeros == [true, false, true, false] { return .utf16WithoutMark(encoding: "UTF-16BE") }
    } else if !isFinal && bytes.indices.contains(where: { bytes[$0] == 0 }) {
      return nil
    }
    return Signature.none
  }

  /// - Parameter mayBecome: set where the bytes are the beginning of a signature.
  private static func bzip2Signature(_ bytes: Span<UInt8>, mayBecome: inout Bool) -> Signature? {
    let digits = UInt8(ascii: "1")...UInt8(ascii: "9")
    for block in bzip2Blocks {
      var length = 0
      while length < min(4 + block.count, bytes.count) {
        let byte = bytes[length]
        let fits =
          switch length {
          case 0: byte == UInt8(ascii: "B")
          case 1: byte == UInt8(ascii: "Z")
          case 2: byte == UInt8(ascii: "h")
          case 3: digits.contains(byte)
          default: byte == block[length - 4]
          }
        if !fits { break }
        length += 1
      }
      if length == 4 + block.count { return .compressed(.bzip2) }
      if length == bytes.count { mayBecome = true }
    }
    return nil
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
