// How the layout of a JSON input is found, and how a wrapped one is read to its end.

import Reading
import Testing

private func detect(
  _ input: String, isFinal: Bool = true, prefersLines: Bool = false, path: [String]? = nil
) -> JSONLayoutDetection {
  let bytes = Array(input.utf8)
  return JSONLayoutDetector.detect(bytes.span, isFinal: isFinal, prefersLines: prefersLines, recordsPath: path)
}

private func layout(_ detection: JSONLayoutDetection) -> JSONLayout? {
  if case .found(let layout, _) = detection { layout } else { nil }
}

struct JSONLayoutTests {
  @Test(arguments: ["", " \n", "[]", "[{\"a\":1}]", "42", "{\"a\":1}", "{\"a\":[1,{}]}", "{\"a\":[]}", "{}"])
  func plainValues(_ input: String) {
    #expect(layout(detect(input)) == .values)
  }

  @Test(arguments: [
    "{\"a\":1}\n{\"a\":2}", "{\"a\":[{}]} {", "{}1", "\u{1E}{\"a\":1}\n\u{1E}{\"a\":2}", "{\"a\":}\n{}",
  ])
  func valuesThatFollow(_ input: String) {
    #expect(layout(detect(input)) == .lines)
  }

  @Test func moreBytes() {
    #expect(detect("", isFinal: false) == .needsMoreBytes)
    #expect(detect("{\"a\":[{\"b\":1}]", isFinal: false) == .needsMoreBytes)
    #expect(detect("{\"a\":[{\"b\":1}]}\n", isFinal: false) == .needsMoreBytes)
    #expect(layout(detect("[", isFinal: false)) == .values)
    #expect(layout(detect("{", isFinal: false, prefersLines: true)) == .lines)
  }

  @Test func wrappers() {
    let input = "{\"n\":1,\"errors\":[],\"data\":{\"ids\":[1],\"items\":[ {\"a\":1}]},\"more\":[{}]}"
    guard case .found(let found, let note) = detect(input) else {
      Issue.record("no layout")
      return
    }
    #expect(found.kind == .wrapped)
    #expect(found.pathText == "data.items")
    #expect(note == "records are the array 'data.items'; passed over, being empty: 'errors'")
    #expect(layout(detect(input, path: ["more"]))?.pathText == "more")
    #expect(layout(detect(input, path: ["data", "ids"]))?.pathText == "data.ids")
    #expect(layout(detect(input, path: [])) == .values)
    guard case .missing = detect(input, path: ["nothing"]) else {
      Issue.record("a path that is not there")
      return
    }
  }

  @Test func longWrapperIsTakenAtTheBound() {
    let record = "{\"text\":\"" + String(repeating: "x", count: 1000) + "\"},"
    let long = "{\"items\":[" + String(repeating: record, count: 1100)
    #expect(layout(detect(long, isFinal: false))?.pathText == "items")
    let late = "{\"head\":\"" + String(repeating: "x", count: 1_200_000)
    #expect(detect(late, isFinal: false) == .needsMoreBytes)
    #expect(layout(detect(late + "\",\"items\":[{", isFinal: false))?.pathText == "items")
    #expect(layout(detect(late + "\"}{}")) == .lines)
    // How much is at hand by then makes no difference.
    let whole = late + "\",\"items\":[{\"a\":1}]}\n{}"
    for count in [0, 1, 2, 3, 4] { #expect(layout(detect(String(whole.dropLast(count))))?.pathText == "items") }
    #expect(detect(late + "\",\"items\":[]}", isFinal: false) == .needsMoreBytes)
  }

  /// Damaged objects, and the path of the array of records where they wrap some; nil where they are records.
  static let damaged: [(text: String, path: String?)] = [
    // Elements that are damaged say nothing: the first sound one does.
    ("{\"rows\":[x,{\"a\":1},{\"a\":2}]}", "rows"),
    ("{\"rows\":[tru,{\"a\":1}]}\n", "rows"),
    ("{\"rows\":[{\"a\":x},{\"a\":1}]}", "rows"),
    ("{\"rows\":[01 , x, [y,{}], \"\\q\",\n{\"a\":1} ]}", "rows"),
    ("{\"rows\":[,{\"a\":1}]}", "rows"),
    ("{\"rows\":[x,{\"a\":y}]}", "rows"),
    ("{\"other\":[1,2],\"none\":[],\"in\":{\"rows\":[x,{\"a\":1}]}}", "in.rows"),
    ("{\"rows\":[1,x,{\"a\":1}]}", nil),
    ("{\"rows\":[x,1,{\"a\":1}]}", nil),
    ("{\"rows\":[x,y]}", nil),
    ("{\"rows\":[x]}", nil),
    ("{\"a\":x,\"b\":[1]}", nil),
    // What does not close, and nothing to be read after it.
    ("{\"rows\":[x,{\"a\":1},{\"a\":2}", "rows"),
    ("{\"rows\":[x,{\"a\":1", "rows"),
    ("{\"rows\":[x,{\"a\":1}", "rows"),
    ("{\"rows\":[x", nil),
    ("{\"rows\":[x}", nil),
    // Several values are records, the first one too, wherever it is damaged.
    ("{\"laps\":[x,{\"n\":1}]}\n{\"a\":1}\n", nil),
    ("{\"laps\":[{\"n\":1},x]}\n{\"a\":1}\n", nil),
    ("{\"laps\":[{\"n\":1}],\"b\":x}{\"a\":1}", nil),
    ("{\"laps\":[x,{\"n\":1}\n{\"a\":1}\n", nil),
    ("{\"laps\":[x,{\"n\":1},\n{\"a\":1}\n", nil),
    ("{\"laps\":[x\n{\"a\":1}\n", nil),
    ("{\"laps\":[\"x\n{\"a\":1}\n", nil),
    ("{\"a\":1,\"laps\":[{\"n\":1},x]", "laps"),
  ]

  @Test(arguments: damaged)
  func `a damaged object that wraps records is one still`(_ text: String, _ path: String?) {
    let whole = detect(text)
    #expect(layout(whole)?.pathText == path ?? "" && layout(whole)?.kind == (path == nil ? .lines : .wrapped))
    // Never anything else by less of it.
    for count in 0..<text.utf8.count {
      let early = detect(String(decoding: text.utf8.prefix(count), as: UTF8.self), isFinal: false)
      #expect(early == .needsMoreBytes || early == whole, "\(count)")
    }
  }

  @Test func `a damaged object of any length is judged by no more than the bound`() {
    let long = "{\"rows\":[x,{\"a\":1}," + String(repeating: "{\"a\":2},\n", count: 120_000)
    #expect(long.utf8.count > 1 << 20)
    #expect(layout(detect(long, isFinal: false))?.pathText == "rows")
    #expect(layout(detect(long))?.pathText == "rows")
    #expect(layout(detect(long + "1]}\n{}"))?.pathText == "rows")
    // An element without an end is looked at no further either.
    let open = "{\"rows\":[x" + String(repeating: "x", count: 1 << 20)
    #expect(layout(detect(open, isFinal: false)) == .lines)
    let string = "{\"rows\":[x,{\"a\":\"" + String(repeating: "x", count: 1 << 20)
    #expect(detect(string, isFinal: false) == .needsMoreBytes)
    #expect(layout(detect(string + "\"}]}", isFinal: false))?.pathText == "rows")
  }

  @Test func `names in the note are cut and made harmless`() {
    let long = String(repeating: "n", count: 5000)
    let input = "{\"e\(long)\":[],\"\(long)\\u001b[31m\":{\"x\":[{}]}}"
    guard case .found(_, let note?) = detect(input) else {
      Issue.record("no note")
      return
    }
    #expect(note.count < 250 && !note.contains("\u{1B}"))
    #expect(note.hasPrefix("records are the array 'nnn") && note.contains(".x'; passed over, being empty: 'ennn"))
  }

  @Test(
    arguments: [
      ("{\"a\":0,\"b\":{\"items\":[{\"x\":1}, 2 ,{\"x\":3}],\"z\":[[1,{}]]},\"c\":null}\n", nil),
      ("{\"b\":{\"items\":[{\"x\":1}, 2 ,{\"x\":3}]}}\n{}", 38),
      ("{\"b\":{\"items\":[{\"x\":1}, 2 ,{\"x\":3}]}", 36),
      ("{\"b\":{\"items\":[{\"x\":1}, 2 ,{\"x\":3}]],\"c\":1}", 35),
      ("{\"b\":{\"items\":[{\"x\":1}, 2 ,{\"x\":3}],\"c\":01}}", 40),
      ("{\"b\":{\"items\":[{\"x\":1}, 2 ,{\"x\":3}", 34),
    ] as [(String, Int?)])
  func wrappedRecords(_ input: String, _ damage: Int?) {
    let bytes = Array(input.utf8)
    guard let open = input.utf8.firstIndex(of: UInt8(ascii: "[")) else { return }
    let offset = input.utf8.distance(from: input.utf8.startIndex, to: open)
    for step in jsonSteps {
      for reader in JSONReader.allCases {
        let scan = scanJSON(
          bytes, layout: .wrapped(path: [], arrayOffset: offset), step: step, reader: reader)
        #expect(scan.records == ["{\"x\":1}", "2", "{\"x\":3}"])
        #expect(scan.damage == damage, "\(input) by \(step): \(scan.reason ?? "")")
        if damage == nil { #expect(scan.position == .ended) }
      }
    }
  }

  @Test func limitsSplitAScanWithoutGapOrOverlap() {
    let input = Array("[{\"a\":1}, {\"a\":2},\n{\"a\":3} ,4,{\"a\":5}]".utf8)
    let whole = scanJSON(input)
    for limit in 0...input.count {
      var first = JSONScanner(fields: [], layout: .values)
      var batch = RecordBatch(fieldsPerRecord: 0)
      let result = first.scan(input.span, from: 0, limit: limit, isFinal: true, into: &batch)
      if result.stop == .windowEnd {
        #expect(batch.records.count == whole.records.count)
        continue
      }
      #expect(result.stop == .limitReached)
      if first.position == .betweenValues {
        #expect(result.consumed == 0)
        continue
      }
      #expect(first.position == .beforeElement)
      #expect(batch.records.allSatisfy { $0.start < limit })
      var second = JSONScanner(fields: [], layout: .values, resumingAt: .elementStart)
      let rest = second.scan(input.span, from: result.consumed, limit: .max, isFinal: true, into: &batch)
      #expect(rest.stop == .windowEnd)
      let records = batch.records.map { String(decoding: input[$0.range], as: UTF8.self) }
      #expect(records == whole.records)
    }
  }

  @Test func rangesMeetInTheMiddle() {
    let records = (0..<200).map { "{\"id\":\($0),\"laps\":[{\"n\":1},{\"n\":2}]}" }
    let input = Array("{\"data\":{\"items\":[\(records.joined(separator: ",\n  "))]},\"end\":1}\n".utf8)
    guard case .found(let layout, _) = JSONLayoutDetector.detect(input.span, isFinal: true, prefersLines: false) else {
      Issue.record("no layout")
      return
    }
    var batch = RecordBatch(fieldsPerRecord: 0)
    var first = JSONScanner(fields: [], layout: layout)
    _ = first.scan(input.span, from: 0, limit: 100, isFinal: true, into: &batch)
    guard let separator = JSONRecordSeparator(input.span, between: batch.records[0], and: batch.records[1]),
      let middle = separator.nextRecord(in: input.span, from: input.count / 2)
    else {
      Issue.record("no separator")
      return
    }
    batch.removeAll()
    var left = JSONScanner(fields: [], layout: layout)
    let end = left.scan(input.span, from: 0, limit: middle, isFinal: true, into: &batch)
    #expect(end == ScanResult(consumed: middle, stop: .limitReached))
    #expect(left.position == .beforeElement)
    var right = JSONScanner(fields: [], layout: layout, resumingAt: .elementStart)
    let last = right.scan(input.span, from: middle, limit: .max, isFinal: true, into: &batch)
    #expect(last == ScanResult(consumed: input.count, stop: .windowEnd))
    #expect(right.position == .ended)
    #expect(batch.records.map { String(decoding: input[$0.range], as: UTF8.self) } == records)
  }
}
