// `x`: the command line that shows what is on show, for a script or a colleague, quoted for a shell.

import Reading
import Rendering

extension ViewSession {
  var commandLine: String {
    var words = ["pagecat"]
    func add(_ option: String, _ value: some Sequence<UInt8>) { words += [option, ViewSession.quoted(Array(value))] }
    for file in invocation.files {
      // A file may look like an option.
      let isOption = file.first == UInt8(ascii: "-") && file.count > 1
      words.append(ViewSession.quoted(isOption ? Array("./".utf8) + file : file))
    }
    if let format = invocation.inputFormat { add("--from", format.rawValue.utf8) }
    if let delimiter = invocation.delimiter {
      add("--delimiter", delimiter == UInt8(ascii: "\t") ? Array("tab".utf8) : [delimiter])
    }
    if !invocation.hasHeaderRow { words.append("--no-header-row") }
    if let path = invocation.recordsPath { add("--records", (path.isEmpty ? "." : path.joined(separator: ".")).utf8) }
    if let encoding = invocation.encoding { add("--encoding", encoding.utf8) }
    if invocation.onDamage != .stop { add("--on-error", invocation.onDamage.rawValue.utf8) }
    for filter in invocation.filters { add("--filter", filter) }
    for sort in invocation.sorts { add("--sort", sort) }
    if let columns = invocation.columns { add("--columns", columns) }
    let hidden =
      (invocation.hiddenColumns.map { [$0] } ?? [])
      + (state.hiddenColumnsText.isEmpty ? [] : [Array(state.hiddenColumnsText.utf8)])
    if !hidden.isEmpty { add("--hide", hidden.joined(separator: [UInt8(ascii: ",")])) }
    if !invocation.flattens { words.append("--no-flatten") }
    if invocation.unitesAllColumns { words.append("--all-columns") }
    if let offset = invocation.offset { add("--offset", "\(offset)".utf8) }
    if let limit = invocation.limit { add("--limit", "\(limit)".utf8) }
    let page = state.cursorRow / invocation.pageSize + 1
    if page > 1 { add("--page", "\(page)".utf8) }
    return words.joined(separator: " ")
  }

  /// A word as a shell reads it: as it is where nothing in it means anything, else in single quotation marks, and with
  /// control characters written out, so that the line can be printed.
  private static func quoted(_ bytes: [UInt8]) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    let isPlain =
      !bytes.isEmpty
      && bytes.allSatisfy {
        ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) || "_-./,:@%+=".utf8.contains($0)
      }
    if isPlain { return text }
    let isPrintable = text.utf8.elementsEqual(bytes) && Diagnostics.isHarmless(text)
    if isPrintable {
      return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
    var output = "$'"
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\\"): output += "\\" + String(UnicodeScalar(byte))
      case 0x20...0x7E: output += String(UnicodeScalar(byte))
      default:
        let digits = String(byte, radix: 8)
        output += "\\" + String(repeating: "0", count: 3 - digits.utf8.count) + digits
      }
    }
    return output + "'"
  }
}
