// --explain: instead of rows, how the inputs are understood, what is asked of them, and how it would be answered.

import Fetching
import Reading

struct ExplainCommand {
  private let query: Query
  private let invocation: Invocation

  init(_ query: Query, invocation: Invocation) {
    self.query = query
    self.invocation = invocation
  }

  /// The explanation: a name and a value a line.
  var text: String {
    var lines: [(String, String)] = query.inputs.map { ("input", "\(quoted($0.name)): \(Self.description(of: $0))") }
    let names = query.columns.names
    if !names.isEmpty {
      lines.append(("columns", "\(names.count): \(list(names.map { Diagnostics.quoted($0) }, atMost: 12))"))
    }
    lines.append(("filter", query.descriptor.predicate.map { quoted($0.source) } ?? "none: every record"))
    if query.descriptor.sortBy.isEmpty { lines.append(("sort", "none: the order of the file")) }
    for sort in query.descriptor.sortBy { lines.append(("sort", Self.description(of: sort))) }
    lines.append(("rows", rows))
    lines.append(("plan", plan))
    let width = lines.map(\.0.count).max() ?? 0
    return lines.map { name, value in
      name + String(repeating: " ", count: width - name.count + 2) + value + "\n"
    }.joined()
  }

  private static func description(of input: DatasetInput) -> String {
    let access = input.source.isSeekable ? "a file" : "a stream"
    switch input.content {
    case .empty: return "no record; \(access)"
    case .csv(let dialect, let header):
      let delimiter = dialect.delimiter == UInt8(ascii: "\t") ? "tab" : Diagnostics.quoted([dialect.delimiter])
      let names = dialect.hasHeaderRow ? "named by the first record" : "named by position"
      return "\(input.format.rawValue), delimiter \(delimiter), \(header.width) columns \(names); \(access)"
    case .json(let layout):
      switch layout.kind {
      case .values: return "json, values one after another, arrays read as their elements; \(access)"
      case .lines: return "jsonl, one record a value; \(access)"
      case .wrapped: return "json, records in the array \(Diagnostics.quoted(layout.pathText.utf8)); \(access)"
      }
    }
  }

  private static func description(of sort: SortDescriptor) -> String {
    var parts = [Diagnostics.quoted(sort.key.text), sort.order == .reverse ? "descending" : "ascending"]
    let kind =
      switch sort.kind {
      case .auto: "each value by its own kind"
      case .text: "as text by code point"
      case .number: "as numbers"
      case .date: "as dates"
      case .dateFormat(let format): "as dates of the form \(Diagnostics.quoted(format.utf8))"
      case .dmy: "as dates, day first"
      case .mdy: "as dates, month first"
      case .epoch: "as seconds or milliseconds since 1970"
      case .natural: "as text, digit runs by value"
      case .locale: "as text by the locale"
      }
    parts.append(kind)
    if sort.ignoresCase { parts.append("ignoring case") }
    parts.append(sort.nulls == .first ? "null and missing first" : "null and missing last")
    return parts.joined(separator: ", ")
  }

  private var rows: String {
    let first = query.descriptor.fetchOffset + 1
    guard let limit = query.descriptor.fetchLimit else {
      return "all from row \(first), in pages of \(invocation.pageSize)"
    }
    return limit == 0 ? "none, the columns only" : "\(limit) from row \(first)"
  }

  private var plan: String {
    let threads = query.inputs.contains { $0.source.isSeekable } ? "; files by ranges on all cores" : ""
    switch FetchPlan(for: query.descriptor) {
    case .stream: return "early stop: records in order, read no further than the rows asked for"
    case .topRows(let capacity): return "heap: one pass that keeps the best \(capacity) rows\(threads)"
    case .fullOrder: return "full order: one pass for the keys, which are sorted; rows are read again\(threads)"
    }
  }

  private func quoted(_ text: String) -> String { Diagnostics.harmless(text.utf8) }

  private func list(_ names: [String], atMost count: Int) -> String {
    names.prefix(count).joined(separator: ", ") + (names.count > count ? ", …" : "")
  }
}
