// A file read in ranges, by several threads, gives what one scanner gives that reads it from the beginning: the same
// records in the same order, the same fields, the same first error. Most files here are made to mislead the guess of
// where a record begins.

@testable import Reading
import TestSupport
import Testing

struct RangeScanTests {
  @Test func `json whose nested objects look like records`() throws {
    let record = #"{"id":1,"laps":[{"id":1},{"id":2},{"id":3}],"text":"},{\"id\":4},{\"id\":5}"}"#
    try check("[" + Array(repeating: record, count: 12).joined(separator: ",") + "]", ending: ".json")
    try check("[\n" + Array(repeating: record, count: 12).joined(separator: ",\n") + "\n]\n", ending: ".json")
    try check(Array(repeating: record, count: 12).joined(separator: "\n") + "\n", ending: ".jsonl")
    try check(Array(repeating: record, count: 6).joined(separator: " ") + "", ending: ".json")
  }

  @Test func `json lines whose strings and nested arrays hold what stands between records`() throws {
    // What stands between the first two records is `}`, a line feed and `{"id"`; pretty-printed arrays hold it too.
    let nested = "{\"id\":2,\"a\":[{\"id\":1\n}\n,\n{\"id\":7\n}\n]}"
    let plain = #"{"id":1}"#
    try check([plain, plain, nested, plain, nested, plain, plain, nested].joined(separator: "\n"), ending: ".jsonl")
    let inString = #"{"id":3,"s":"[{\"id\":1},{\"id\":2}]"}"#
    try check([plain, plain, inString, inString, plain, inString].joined(separator: "\n"), ending: ".jsonl")
  }

  @Test func `records longer than a range, and ranges without a record`() throws {
    let long = #"{"id":2,"s":""# + String(repeating: "x,{\\\"id\\\":1},", count: 40) + #""}"#
    let short = #"{"id":1}"#
    for separator in [",", ", ", "\n,\n"] {
      try check(
        "[" + [short, short, long, short, long, long, short].joined(separator: separator) + "]", ending: ".json",
        sizes: [1, 2, 7, 13, 64, 100, 333])
    }
    try check("id,s\n1,a\n2,\"" + String(repeating: "line\n", count: 100) + "\"\n3,c\n", ending: ".csv")
  }

  @Test func `what stands behind a wrapped array is read too`() throws {
    let records = (1...20).map { "{\"id\":\($0),\"v\":[{\"id\":0}]}" }.joined(separator: ",")
    for tail in [
      "}", ",\"more\":[{\"id\":99},{\"id\":98}],\"n\":{\"id\":1}}", ",\"n\":01}", ",\"n\":1", "}}", "} 1", "", "]}",
      ",\"text\":\"},{\\\"id\\\":\"}\n\n",
    ] {
      try check("{\"status\":{\"ok\":true},\"items\":[\(records)]\(tail)", ending: ".json", sizes: Self.fewSizes)
      try check(
        "{\"a\":{\"b\":{\"items\":[\(records)]},\"c\":[{\"id\":5},{\"id\":6}]}\(tail)", ending: ".json",
        sizes: Self.fewSizes)
    }
  }

  @Test func `arrays one after another, and values among them`() throws {
    let records = (1...6).map { "{\"id\":\($0)}" }.joined(separator: ",")
    for (ending, text) in [
      (".json", "[\(records)][\(records)]\n[\(records)]"), (".json", "[\(records)] {\"id\":7} {\"id\":8} [\(records)]"),
      (".json", "[\(records)][[{\"id\":1},{\"id\":2}],{\"id\":1},{\"id\":2}]1 2 \"}, {\" [] [[]] {}"),
      (
        ".jsonl",
        "{\"id\":1}\n{\"id\":2}\n[{\"id\":3},{\"id\":4}]\n[1,{\"id\":2},{\"id\":3}]\n{\"id\":5}\n[\n]\n{\"id\":6}\n"
      ),
      (".json", "\u{1E}{\"id\":1}\n\u{1E}{\"id\":2}\n\u{1E}{\"id\":3}\n\u{1E}{\"id\":4}\n"),
      (".json", "[\(records),1,null,\"{\\\"id\\\":1},{\\\"id\\\":2}\",[{\"id\":1},{\"id\":2}],\(records)]"),
    ] {
      try check(text, ending: ending)
    }
  }

  @Test func `damage is found once, at the same place`() throws {
    let good = (1...10).map { "{\"id\":\($0),\"s\":\"line\"}" }
    for bad in [
      "{\"id\":2,}", "{\"id\":02}", "{\"id\":1 \"s\":2}", "{\"id\":\"open}", "[{\"id\":1}", "{\"id\":1}}", "nul",
      "{\"id\":\"\u{1}\"}",
      "{\"id\":\"\\x\"}", "}", "]", "{\"id\":1},", ",",
    ] {
      for position in [2, 5, 9] {
        var records = good
        records.insert(bad, at: position)
        try check("[\n" + records.joined(separator: ",\n") + "\n]", ending: ".json", sizes: Self.fewSizes)
        try check(records.joined(separator: "\n") + "\n", ending: ".jsonl", sizes: Self.fewSizes)
        // Twice: the first counts.
        records.append(bad)
        try check("[" + records.joined(separator: ",") + "]", ending: ".json", sizes: Self.fewSizes)
      }
    }
    try check("[" + good.joined(separator: ","), ending: ".json")
    try check("[" + good.joined(separator: ",") + ",", ending: ".json")
    try check("[" + good.joined(separator: ",") + ",]", ending: ".json")
    try check("[" + good.joined(separator: ",") + "]]", ending: ".json")
    try check("[" + good.joined(separator: ",") + "] x", ending: ".json")
  }

  @Test func `one element that is nested too deep, in the middle, is found at its place`() throws {
    let open = "{\"id\":"
    for (ending, before, between, after, enclosing) in [
      (".json", "[", ",", "]", 1), (".json", "{\"n\":1,\"rows\":[", ",\n", "]}", 2), (".jsonl", "", "\n", "\n", 0),
    ] {
      for (depth, isSound) in [(10_000, true), (10_001, false)] {
        let inner = depth - enclosing
        let deep = String(repeating: open, count: inner) + "1" + String(repeating: "}", count: inner)
        let filler = String(repeating: "x", count: 200)
        let records = (0..<400).map { $0 == 200 ? deep : "{\"id\":\($0),\"t\":\"\(filler)\"}" }
        let text = before + records.joined(separator: between) + after
        // The guesses of ranges that begin inside of the deep one are wrong, and those behind it are right.
        try check(text, ending: ending, sizes: [5000, 30_000])
        let found = sequential(try TemporaryFile(text, ending: ending))
        if isSound {
          #expect(found.error == nil && found.count == 400)
          continue
        }
        #expect(found.records.count == 200)
        let start = before.utf8.count + records[..<200].reduce(0) { $0 + $1.utf8.count + between.utf8.count }
        let offset = start + (inner - 1) * open.utf8.count
        let error = try #require(found.error)
        #expect(error.contains(": record 201 (line "))
        #expect(error.hasSuffix(", byte \(offset)): nested more than 10000 deep"), "\(error.suffix(80))")
      }
    }
  }

  @Test func `a stream that fails does so after the records before it, wherever that is`() throws {
    let records = (0..<7).map { "{\"id\":\($0)}" }
    for (ending, text) in [(".csv", "id\n0\n1\n2\n3\n4\n5\n6\n"), (".jsonl", records.joined(separator: "\n") + "\n")] {
      let bytes = Array(text.utf8)
      for size in 1...bytes.count {
        let found = ranges(ScanConfiguration(threadCount: 3, rangeSize: size, chunkSize: 3)) {
          () throws(ReadError) in
          var options = ReadingOptions()
          options.format = InputFormat(rawValue: String(ending.dropFirst()))
          let stream = PiecewiseStream(bytes, step: 1 + size % 5, failsAtEnd: true)
          return try DatasetInput(
            reading: ByteSource(stage: stream, name: "s"), at: .file(Array("s".utf8)), options: options)
        }
        #expect(found.records.count == 7 && found.error == "s: \(PiecewiseStream.failure)", "ranges of \(size)")
      }
    }
  }

  /// Who came upon it used to read on to its end, whatever the ranges.
  @Test func `white space longer than many ranges`() throws {
    let blank = String(repeating: "\n", count: 30_000)
    try check(
      "id,s\n1,a\n" + blank + "2,b\n" + blank + "3,\"" + blank + "\"\n" + blank, ending: ".csv", sizes: [1000, 9000])
    let records = ["{\"id\":1}", "{\"id\":2}", "{\"id\":3}", "{\"id\":4}"]
    for separator in [blank + ",", "," + blank, blank + "," + blank] {
      try check("[" + records.joined(separator: separator) + blank + "]", ending: ".json", sizes: [1000, 9000])
      try check("[" + records.joined(separator: separator) + "," + blank + "]", ending: ".json", sizes: [1000, 9000])
    }
    try check(records.joined(separator: blank) + blank, ending: ".jsonl", sizes: [1000, 9000])
    try check(blank + records.joined(separator: blank) + blank + "x", ending: ".jsonl", sizes: [1000, 9000])
  }

  @Test func `csv with quoted line breaks everywhere`() throws {
    var text = "id,note,name\n"
    for id in 1...20 {
      text += "\(id),\"two\nlines, \"\"and\"\"\r\n\(id),\"\"x\"\",y\n\",\"\n\"\n"
    }
    try check(text, ending: ".csv", sizes: Self.fewSizes)
    try check(text + "21,\"never closed\n22,x,y\n", ending: ".csv", sizes: Self.fewSizes)
    try check(text + "21,a,b", ending: ".csv", sizes: Self.fewSizes)
    try check(
      "id\n" + Array(repeating: "\"\n\"", count: 40).joined(separator: "\n"), ending: ".csv", sizes: Self.fewSizes)
  }

  @Test func `csv with every line end, blank lines and stray quotes`() throws {
    try check("a,b\r\n1,2\r\n\r\n\r3,4\r5,6\n\n\n7,8\r\n\r\n9,\"\"\r\n\"\r\n\",1\r\n", ending: ".csv")
    try check("a,b\n1,5\" pipe\n2,\"five\" inch\n3,\"closed\"\n4,a\"b\"c\n5,\"x\ny\" z\n6,7\n", ending: ".csv")
    try check("a\n\n\"\"\n\n\n1\n\n", ending: ".csv")
  }

  @Test func `random csv`() throws {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<60 {
      var text = "a,b\n"
      for _ in 0..<generator.below(120) {
        text += generator.pick(["a", ",", "\"", "\n", "\r\n", "\r", "\"\"", "é", "b,\"", "\",", "1"])
      }
      try check(text, ending: ".csv", sizes: [1, 2, 3, 5, 16, 40])
    }
  }

  @Test func `random json, most of it damaged somewhere`() throws {
    var generator = SeededGenerator(seed: 12)
    for round in 0..<60 {
      var pieces: [String] = ["{\"id\":1}", "{\"id\":2}"]
      for _ in 0..<generator.below(30) {
        pieces.append(
          generator.pick([
            "{\"id\":3}", "{\"id\":4,\"a\":[{\"id\":1},{\"id\":2}]}", "{\"id\":\"},{\\\"id\\\":5\"}", "5", "\"s\"",
            "[1]",
            "{\"id\":{\"id\":1}}", "[{\"id\":1},{\"id\":2}]", "{}",
          ]))
      }
      var bytes = Array(
        (round % 2 == 0 ? "[" + pieces.joined(separator: ",") + "]" : pieces.joined(separator: "\n")).utf8)
      if generator.oneIn(2) { bytes[generator.below(bytes.count)] = generator.pick(Array("{}[],:\"\\ \nx0".utf8)) }
      if generator.oneIn(6) { bytes.removeLast(generator.below(bytes.count)) }
      try check(bytes, ending: round % 2 == 0 ? ".json" : ".jsonl", sizes: [1, 2, 3, 5, 16, 40])
    }
  }

  @Test func `files longer than a chunk`() throws {
    let long = String(repeating: "},{\\\"id\\\":0", count: 30_000)
    var records: [String] = []
    for id in 0..<1200 {
      records.append("{\"id\":\(id),\"laps\":[{\"id\":1},{\"id\":2}],\"s\":\"\(id == 600 ? long : "é")\"}")
    }
    try check("[" + records.joined(separator: ",") + "]", ending: ".json", sizes: [30_000])
    records[1190] = "{\"id\":nul}"
    try check(records.joined(separator: "\n"), ending: ".jsonl", sizes: [30_000])
    var text = "id,s\n"
    for id in 0..<4000 { text += "\(id),\"a\n\"\"b\"\"\n\(id),x\"\n" }
    text += "1,\"" + String(repeating: "1,2\n", count: 70_000) + "\"\n3,4\n5,\"open\n6\n"
    try check(text, ending: ".csv", sizes: [30_000])
  }

  private static let fewSizes = [1, 3, 8, 17, 50, 128, 200]

  private func check(_ text: String, ending: String, sizes: [Int]? = nil, _ location: SourceLocation = #_sourceLocation)
    throws
  {
    try check(Array(text.utf8), ending: ending, sizes: sizes, location)
  }

  private func check(
    _ bytes: [UInt8], ending: String, sizes: [Int]? = nil, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let file = try TemporaryFile(bytes, ending: ending)
    let expected = sequential(file)
    for size in sizes ?? [1, 2, 3, 4, 5, 7, 8, 9, 11, 16, 19, 23, 32, 41, 63, 64, 100] {
      for threadCount in [1, 3] {
        let found = ranges(
          file,
          ScanConfiguration(
            threadCount: threadCount, rangeSize: size,
            chunkSize: bytes.count > 100_000 ? ReadingLimits.chunkSize : 16 + size % 50))
        if found != expected {
          #expect(
            found.records.map(\.text) == expected.records.map(\.text),
            "ranges of \(size), \(threadCount) threads: \(String(decoding: bytes.prefix(400), as: UTF8.self))",
            sourceLocation: location)
          #expect(
            found == expected,
            "ranges of \(size), \(threadCount) threads: \(String(decoding: bytes.prefix(400), as: UTF8.self))",
            sourceLocation: location)
          return
        }
      }
      // A stream that comes in pieces of no special size, of which little is held.
      let isLong = bytes.count > 100_000
      let stream = PiecewiseStream(bytes, step: isLong ? 7_001 : 1 + size % 13)
      let found = ranges(
        ScanConfiguration(threadCount: 3, rangeSize: size, chunkSize: isLong ? 10_007 : 3 + size % 29)
      ) { () throws(ReadError) in
        var options = ReadingOptions()
        options.format = InputFormat(rawValue: String(ending.dropFirst()))
        return try DatasetInput(
          reading: ByteSource(stage: stream, name: file.path), at: .file(Array(file.path.utf8)), options: options)
      }
      if found != expected {
        #expect(
          found == expected,
          "stream in ranges of \(size): \(String(decoding: bytes.prefix(400), as: UTF8.self))",
          sourceLocation: location)
        return
      }
    }
  }

  private func open(_ file: TemporaryFile) throws(ReadError) -> DatasetInput {
    try DatasetInput(opening: .file(Array(file.path.utf8)), options: ReadingOptions())
  }

  private func sequential(_ file: TemporaryFile) -> Found {
    var found = Found()
    do throws(ReadError) {
      let input = try open(file)
      let selection = FieldSelection(Found.names, of: input)
      guard let scanner = selection.makeScanner() else { return found }
      var stream = RecordStream(buffer: input.buffer, scanner: scanner)
      var batch = selection.makeBatch()
      var arranged: [Field] = []
      while try stream.next(&batch) {
        if !selection.arrange(batch, into: &arranged) { arranged = batch.fields }
        var nothing: Void = ()
        found.add(batch, fields: arranged.span, buffer: stream.buffer, scratch: &nothing)
      }
      found.count = stream.recordCount
    } catch {
      found.error = error.message
    }
    return found
  }

  private func ranges(_ file: TemporaryFile, _ configuration: ScanConfiguration) -> Found {
    ranges(configuration) { () throws(ReadError) in try open(file) }
  }

  private func ranges(
    _ configuration: ScanConfiguration, _ open: () throws(ReadError) -> DatasetInput
  ) -> Found {
    var found = Found()
    do throws(ReadError) {
      let input = try open()
      let selection = FieldSelection(Found.names, of: input)
      let counts = try RangeScan(input: input, selection: selection, configuration: configuration).run(into: &found)
      found.count = counts.records
    } catch {
      found.error = error.message
      found.count = 0
    }
    return found
  }
}

/// Everything that was read, to be compared.
private struct Found: RecordAccumulator, Equatable {
  struct Record: Equatable {
    var offset: Int
    var text: String
    var fieldCount: UInt32
    var fields: [String]
  }

  static let names = [FieldName("id"), FieldName("s"), FieldName("id"), FieldName("b"), FieldName("value")]

  var records: [Record] = []
  var count = 0
  var error: String?

  mutating func add(
    _ batch: borrowing RecordBatch, fields: Span<Field>, buffer: borrowing ChunkBuffer, scratch: inout Void
  ) {
    for (index, record) in batch.records.enumerated() {
      let (text, values) = buffer.withWindow { window in
        (
          Self.text(window, record.range),
          (0..<Self.names.count).map { name in
            let field = fields[index * Self.names.count + name]
            return "\(field.kind) " + Self.text(window, field.range)
          }
        )
      }
      records.append(
        Record(
          offset: buffer.offset + record.range.lowerBound, text: text, fieldCount: UInt32(record.fieldCount),
          fields: values))
    }
  }

  private static func text(_ window: Span<UInt8>, _ range: Range<Int>) -> String {
    String(decoding: range.map { window[$0] }, as: UTF8.self)
  }

  mutating func finishRange() {}
  mutating func append(_ later: Found) { records += later.records }
  func makeSuccessor() -> Found { Found() }
}
