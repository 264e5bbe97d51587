// What every output format is to the rest: rows go in, bytes are appended to a buffer. A printer does no I/O, keeps no
// rows but the page it lays out, and says nothing by itself: what is worth a note is counted in `PrintNotes`.

package import Reading

/// A column of the output.
package struct OutputColumn: Sendable, Equatable {
  /// The name that no other column has (UTF-8).
  package var name: [UInt8]
  /// The name as the file has it, which another column may have too. CSV and TSV show this one.
  package var originalName: [UInt8]

  package init(name: [UInt8], originalName: [UInt8]? = nil) {
    self.name = name
    self.originalName = originalName ?? name
  }

  package init(_ name: String) { self.init(name: Array(name.utf8)) }
}

/// Appends JSON text with the white space outside its strings removed.
package typealias JSONCompactor = @Sendable (_ text: Span<UInt8>, _ output: inout [UInt8]) -> Void

/// What a printer met that its reader should hear of.
package struct PrintNotes: Sendable, Equatable {
  /// Rows printed so far.
  package var rowCount = 0
  /// Pieces of text that were no UTF-8, or lone surrogates, and became U+FFFD.
  package var replacedCount = 0
  /// The row with the first of them, counted from 0 over all that was printed.
  package var firstReplacedRowIndex: Int?
  /// Cells that were cut.
  package var cutCellCount = 0
  /// Columns left out at the right.
  package var leftOutColumnCount = 0
  /// Columns, as indexes, that JSON output has partly bare (numbers, true, false) and partly as strings.
  package var partlyBareColumnIndexes: [Int] = []

  package init() {}

  /// Counts pieces that were replaced in the row that is being printed.
  mutating func countReplaced(_ count: Int) {
    if count == 0 { return }
    if firstReplacedRowIndex == nil { firstReplacedRowIndex = rowCount }
    replacedCount &+= count
  }
}

/// Turns rows into the bytes of one output format.
///
/// The order of calls: `begin`, then for each page any number of `print` and one `endPage`, then `finish`.
package protocol PagePrinter {
  /// What is worth a note so far; complete after `finish`.
  var notes: PrintNotes { get }

  /// Appends what stands before the first row.
  mutating func begin(into output: inout [UInt8])

  /// Prints a row, or keeps it until the end of the page.
  ///
  /// - Parameters:
  ///   - record: the bytes of the record.
  ///   - fields: one field a column, in the order of the columns, with positions in `record`; the cells of a CSV
  ///     record beyond the header's width may follow.
  mutating func print(record: Span<UInt8>, fields: Span<Field>, into output: inout [UInt8])

  /// Prints a CSV record of exactly these columns without its fields, if it is known that they are not needed.
  ///
  /// - Parameter delimiter: what stands between its cells.
  /// - Returns: whether it was printed.
  mutating func printWhole(record: Span<UInt8>, delimiter: UInt8, into output: inout [UInt8]) -> Bool

  /// Appends what was kept of the page.
  mutating func endPage(into output: inout [UInt8])

  /// Appends what stands after the last row.
  mutating func finish(into output: inout [UInt8])
}

extension PagePrinter {
  package mutating func begin(into output: inout [UInt8]) {}
  package mutating func printWhole(record: Span<UInt8>, delimiter: UInt8, into output: inout [UInt8]) -> Bool { false }
  package mutating func endPage(into output: inout [UInt8]) {}
  package mutating func finish(into output: inout [UInt8]) {}
}

/// The names that cells beyond the header's width get: `c9`, or `c9_2` where a column is already called `c9`.
struct MadeNames {
  private let taken: Set<[UInt8]>
  private var names: [[UInt8]] = []
  private let firstIndex: Int
  private let hiddenCount: Int

  /// - Parameter hidden: the names of columns that are not among these, but have their places before the cells too.
  init(columns: [OutputColumn], hidden: [[UInt8]]) {
    taken = Set(columns.map(\.name) + hidden)
    firstIndex = columns.count
    hiddenCount = hidden.count
  }

  /// The name of the cell at `index`, counted from the first of the columns.
  mutating func name(at index: Int) -> [UInt8] {
    while names.count <= index - firstIndex {
      let plain = Array("c\(firstIndex + hiddenCount + names.count + 1)".utf8)
      var name = plain
      var suffix = 2
      while taken.contains(name) {
        name = plain + Array("_\(suffix)".utf8)
        suffix += 1
      }
      names.append(name)
    }
    return names[index - firstIndex]
  }
}

extension Span where Element == Field {
  /// The field at `index`; missing beyond the end.
  @inline(__always)
  func fieldOrMissing(at index: Int) -> Field { index < count ? self[index] : .missing }
}

extension Field {
  /// The positions, cut to the bytes that a record has.
  @inline(__always)
  func range(in record: Span<UInt8>) -> Range<Int> {
    let lower = min(Int(start), record.count)
    return lower..<min(lower &+ Int(count), record.count)
  }
}
