// One pager with one file: started, left alone, scrolled, and kept busy while keys come.

import Glibc

struct PagerTrial {
  let program: PagerProgram
  /// Its path.
  let path: String
  let arguments: [String]
  /// A text that stands in a line near the bottom of the first screen.
  let lowText: String
  let columnCount: Int
  let lineCount: Int
  let keyCount: Int
  let runCount: Int
  /// How long a first screen, and then the end of loading, is waited for.
  let patience: Nanoseconds

  /// How long an answer to a key is waited for.
  private static let answerTime = Nanoseconds.milliseconds(2000)
  /// Between an answer and the next key; a person's fastest key repeat is slower.
  private static let shortestPause = 4
  private static let pauseSpread = 12
  /// How long nothing is done while nothing should happen.
  private static let idleTime = Nanoseconds.milliseconds(2000)
  /// A pass of which nothing was seen in so many pauses is over.
  private static let quietPauses = 3
  private static let mostRounds = 200
  /// A pass that is over before the first key, so often in turn, is not measured.
  private static let mostFruitlessRounds = 3

  private var random = SplitMix64(seed: 1, recordIndex: 0)

  init(
    _ program: PagerProgram, path: String, arguments: [String], lowText: String, columnCount: Int, lineCount: Int,
    keyCount: Int, runCount: Int, patience: Nanoseconds
  ) {
    self.program = program
    self.path = path
    self.arguments = arguments
    self.lowText = lowText
    self.columnCount = columnCount
    self.lineCount = lineCount
    self.keyCount = keyCount
    self.runCount = runCount
    self.patience = patience
  }

  /// Hands over each measure as soon as it is there.
  ///
  /// - Returns: whether there was a screen at all.
  mutating func run(_ take: (PagerMeasure) -> Void) throws(BenchError) -> Bool {
    var firstScreens = Samples()
    var reader = try start(&firstScreens)
    // A program that takes seconds takes them every time.
    for _ in 1..<runCount where firstScreens.maximum < 2000 && !firstScreens.isEmpty {
      reader = try start(&firstScreens)
    }
    take(PagerMeasure("first full screen, ms", firstScreens, goal: .median(20)))
    if firstScreens.isEmpty { return false }

    let isLoading = !settle(&reader)
    let qualifier = isLoading ? " while loading" : ""
    if !isLoading {
      let before = reader.terminal.processorTime
      reader.drain(until: .now + Self.idleTime)
      var idle = Samples()
      idle.add(milliseconds(reader.terminal.processorTime - before))
      take(PagerMeasure("CPU in 2 s without keys, ms", idle, goal: .maximum(1)))
    }
    take(
      PagerMeasure("bytes for a line scrolled" + qualifier, scroll(&reader), fractionDigits: 0, goal: .maximum(4096)))

    let before = reader.terminal.processorTime
    var latencies = Samples()
    press(program.keys.mixed, count: keyCount, &reader) { latencies.add($0) }
    var costs = Samples()
    costs.add(milliseconds(reader.terminal.processorTime - before) / Double(max(1, latencies.count)))
    take(PagerMeasure("key to frame\(qualifier), ms", latencies, goal: .percentile99(5)))
    take(PagerMeasure("CPU for a key\(qualifier), ms", costs))
    // Far enough that whatever is kept of rows is full.
    press([program.keys.pageDown], count: keyCount, &reader) { _ in }
    var peak = Samples()
    if let mebibytes = reader.terminal.peakMebibytes { peak.add(mebibytes) }
    take(PagerMeasure("peak memory while scrolling, MiB", peak, fractionDigits: 1, goal: .maximum(32)))
    return true
  }

  /// Key by key while passes run, one after another.
  mutating func run(during pass: PagerProgram.Pass, _ take: (PagerMeasure) -> Void) throws(BenchError) {
    var ignored = Samples()
    var reader = try start(&ignored)
    _ = settle(&reader)
    var latencies = Samples()
    var round = 0
    var fruitlessCount = 0
    while latencies.count < keyCount && round < Self.mostRounds && fruitlessCount < Self.mostFruitlessRounds {
      let countBefore = latencies.count
      reader.terminal.send(program.keys.first)
      _ = settle(&reader)
      reader.terminal.send(pass.starts[round % pass.starts.count])
      round += 1
      var quietCount = 0
      for keyIndex in 0..<PagerProgram.Keys.onwardCount where quietCount < Self.quietPauses {
        let before = reader.terminal.processorTime
        let start = Nanoseconds.now
        pause(&reader)
        // Nothing but the pass uses the processor between an answer and the next key.
        let isBusy = (reader.terminal.processorTime - before) * 3 > .now - start
        quietCount = isBusy ? 0 : quietCount + 1
        let keys = program.keys.onward
        if let frame = press(keys[keyIndex % keys.count], &reader) {
          if isBusy { latencies.add(milliseconds(frame.time - keyTime)) }
        } else {
          report("\(program.name) did not answer a key during \(pass.name)")
        }
      }
      fruitlessCount = latencies.count == countBefore ? fruitlessCount + 1 : 0
    }
    take(PagerMeasure("key to frame during \(pass.name), ms", latencies, goal: .percentile99(16)))
  }

  // MARK: Steps

  private func start(_ times: inout Samples) throws(BenchError) -> FrameReader {
    let terminal = try PseudoTerminal([path] + arguments, columnCount: columnCount, lineCount: lineCount)
    var reader = FrameReader(terminal, frameEnd: program.frameEnd, lineCount: lineCount)
    if let time = reader.appearance(of: lowText, until: terminal.startTime + patience) {
      times.add(milliseconds(time - terminal.startTime))
    }
    return reader
  }

  /// Waits until the program does nothing any more.
  ///
  /// - Returns: false where it still does after all patience.
  private func settle(_ reader: inout FrameReader) -> Bool {
    let end = Nanoseconds.now + patience
    repeat {
      let before = reader.terminal.processorTime
      reader.drain(until: .now + .milliseconds(300))
      if reader.terminal.processorTime - before < .milliseconds(15) { return true }
    } while .now < end
    return false
  }

  /// Scrolls line by line, from the last line of the screen.
  private mutating func scroll(_ reader: inout FrameReader) -> Samples {
    var counts = Samples()
    var waiting = 0
    for index in 0..<(lineCount + keyCount) {
      reader.terminal.send(program.keys.down)
      let frame = reader.answer(until: .now + Self.answerTime)
      let trailing = pause(&reader)
      // Before, the cursor only moves to the last line, in programs that have one.
      if index >= lineCount, let frame { counts.add(Double(frame.byteCount + trailing)) }
      waiting = frame == nil ? waiting + 1 : 0
      if waiting > 5 { break }
    }
    return counts
  }

  private mutating func press(
    _ keys: [String], count: Int, _ reader: inout FrameReader, _ take: (Double) -> Void
  ) {
    var unanswered = 0
    for index in 0..<count where unanswered <= 5 {
      if let frame = press(keys[index % keys.count], &reader) {
        take(milliseconds(frame.time - keyTime))
      } else {
        unanswered += 1
      }
      pause(&reader)
    }
    if unanswered > 0 { report("\(program.name) did not answer \(unanswered) keys") }
  }

  /// When the last key was sent.
  private var keyTime: Nanoseconds = 0

  private mutating func press(_ key: String, _ reader: inout FrameReader) -> Frame? {
    keyTime = .now
    reader.terminal.send(key)
    return reader.answer(until: keyTime + Self.answerTime)
  }

  /// Waits for a while that varies, so that keys do not fall in step with anything.
  ///
  /// - Returns: the bytes that came.
  @discardableResult
  private mutating func pause(_ reader: inout FrameReader) -> Int {
    reader.drain(until: .now + .milliseconds(Self.shortestPause + random.below(Self.pauseSpread)))
  }

  private func milliseconds(_ duration: Nanoseconds) -> Double { Double(duration) / 1_000_000 }
}
