// Any text as a filter, run on a few records and on some of the input; and as a regular expression, searched for in the rest.
// That each input of bounded size ends in time is for the fuzzer's own clock to see.

import Fetching
import Reading

private let jsonLines = Array(
  """
  {"a":1,"b":"text","c":{"d":[1,"x",null]},"date":"2024-06-15T12:00:00Z","tags":["run","Ride"],"f":false}
  {"a":"1","b":null,"c":[],"date":"2024-06-15","tags":[],"é":"É\\u0041\\n","f":true}
  {"a":-1.50e3,"b":"","c":{"d":{"e":"ß"}},"tags":"run","date":1718452800}

  """.utf8)
private let csv = Array(
  "a,b,date,f\n1,text,2024-06-15,true\n,\"\",x,\n\"1\",\"a \"\"b\"\"\",2024-06-15 12:00,0x\n".utf8)
private let now = 1_718_452_800

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var input = unsafe FuzzInput(start, count)
  let choice = input.parameter()
  let source = input.piece()
  let rest = input.rest()
  if choice & 3 == 3 {
    checkPattern(source, repeated(rest, choice >> 5), ignoresCase: choice & 4 != 0)
  } else {
    checkFilter(String(decoding: source, as: UTF8.self), rest)
  }
  return 0
}

private func checkFilter(_ source: String, _ record: [UInt8]) {
  let predicate: Predicate
  do throws(PredicateError) {
    predicate = try Predicate(parsing: source, now: now)
  } catch {
    check(
      error.range.lowerBound >= 0 && error.range.upperBound <= source.utf8.count, "an error beyond the expression")
    let lines = error.message.split(separator: "\n", omittingEmptySubsequences: false)
    check(!error.problem.isEmpty && lines.count == 3, "an error in \(lines.count) lines")
    let isHarmless = error.message.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control }
    check(isHarmless, "an error with control characters")
    return
  }
  // More parentheses may be too many; what is said then is checked above.
  let negated = try? Predicate(parsing: "not (\(source))", now: now)
  let twice = predicate.combined(with: predicate)
  let negatedTwice = negated.map { $0.combined(with: predicate) }
  let inputs = [
    evaluate(predicate, record: record), negated.map { evaluate($0, record: record) }, evaluate(twice, record: record),
    negatedTwice.map { evaluate($0, record: record) },
  ]
  guard let plain = inputs[0] else { return }
  if let negated = inputs[1] { check(negated == plain.map { !$0 }, "'not' is not the opposite of \(source)") }
  check(inputs[2] == plain, "'and' with itself makes a difference to \(source)")
  if let none = inputs[3] { check(!none.contains(true), "'\(source)' and 'not' of it hold") }
}

private func evaluate(_ predicate: Predicate, record: [UInt8]) -> [Bool] {
  var program = PredicateProgram(predicate)
  var results: [Bool] = []
  for text in [jsonLines, record] {
    var scanner = JSONScanner(fields: predicate.fields, layout: .lines)
    run(&scanner, text, predicate.fields.count, &program, &results)
  }
  var other = PredicateProgram(predicate)
  for text in [csv, record] {
    let names = ["a", "b", "date", "f"].map { Array($0.utf8) }
    var columns: [Int] = []
    for field in predicate.fields {
      let column = names.firstIndex(of: field.text) ?? -1
      columns.append(columns.contains(column) ? -1 : column)
    }
    var scanner = CSVScanner(dialect: .comma, columnIndexes: columns)
    run(&scanner, text, columns.count, &other, &results)
  }
  program.addCounts(of: other)
  for note in program.notes() {
    check(
      note.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }, "a note with control characters")
  }
  return results
}

private func run(
  _ scanner: inout some RecordScanner, _ text: [UInt8], _ fieldCount: Int, _ program: inout PredicateProgram,
  _ results: inout [Bool]
) {
  var batch = RecordBatch(fieldsPerRecord: fieldCount, recordLimit: 16)
  _ = scanner.scan(text.span, from: 0, limit: .max, isFinal: true, into: &batch)
  let first = results.count
  for _ in 0..<2 {
    // The second time with scratch that holds what was left there.
    for index in batch.records.indices {
      results.append(program.evaluate(text.span, batch.fields.span, at: index * fieldCount))
    }
  }
  let count = batch.records.count
  check(
    results[first..<(first + count)].elementsEqual(results[(first + count)...]), "a second evaluation differs")
}

private func checkPattern(_ source: [UInt8], _ text: [UInt8], ignoresCase: Bool) {
  do throws(PatternError) {
    let pattern = try Pattern(source, ignoresCase: ignoresCase)
    var matcher = PatternMatcher(pattern)
    var tight = PatternMatcher(pattern, tableLimit: 600)
    let isFound = matcher.matches(text.span, in: 0..<text.count)
    check(tight.matches(text.span, in: 0..<text.count) == isFound, "a small table makes a difference")
    check(matcher.matches(text.span, in: 0..<text.count) == isFound, "a second search differs")
    // Slower by the size of the pattern, and asked for on what is shown alone.
    let part = text.count / 3..<min(text.count, text.count / 3 + 500)
    let isInPart = matcher.matches(text.span, in: part)
    let first = matcher.firstMatch(text.span, in: part)
    check((first != nil) == isInPart, "the first match of what does not match, or none")
    guard let first else { return }
    check(first.lowerBound >= part.lowerBound && first.upperBound <= part.upperBound, "a match outside of the text")
    let next = first.upperBound + (first.isEmpty ? 1 : 0)
    if let second = matcher.firstMatch(text.span, in: part, from: next) {
      check(second.lowerBound >= next, "a second match before the end of the first")
    }
  } catch {
    check(error.offset >= 0 && error.offset <= source.count && !error.reason.isEmpty, "an error beyond the pattern")
  }
}
