// Stage one for JSON: the kernel and its twin in Swift leave the same masks. (That they are right is shown by the scanner's tests,
// but a mask that is too strict would only be slow there.)

import Testing

@testable import Reading

struct JSONStageOneTests {
  @Test(arguments: [UInt64](0..<40)) func kernelAndTwinLeaveTheSameMasks(seed: UInt64) {
    var maker = JSONMaker(random: SplitMix64(state: seed))
    while maker.text.count < 6000 {
      maker.object(0)
      maker.add(maker.random.pick(["\n", "", " ", "\r\n\r\n  "]))
    }
    #expect(!maker.text.isEmpty)
    let kernel = masks(maker.text, usesKernel: true, blocksAtOnce: maker.random.pick([1, 2, 5, 32]))
    let twin = masks(maker.text, usesKernel: false, blocksAtOnce: 32)
    #expect(kernel.first { $0.isSuspect } == nil)
    for (block, (kernel, twin)) in zip(kernel, twin).enumerated() where kernel != twin {
      let text = String(decoding: maker.text[(block * 64)..<(block * 64 + 64)], as: UTF8.self)
      Issue.record("block \(block) of seed \(seed), \(text.debugDescription): \(kernel) and \(twin)")
      break
    }
  }

  /// One byte is changed in sound text: what is no longer JSON is suspect to both in the same block or the next.
  @Test(arguments: [UInt64](100..<140)) func kernelAndTwinSuspectTheSame(seed: UInt64) {
    var maker = JSONMaker(random: SplitMix64(state: seed))
    while maker.text.count < 1000 {
      maker.object(0)
      maker.add(maker.random.pick(["\n", ""]))
    }
    for _ in 0..<100 {
      var text = maker.text
      text[maker.random.below(text.count)] = maker.random.pick(Array("{}[]:,\"\\ 019.-+eEtfnu\u{1}\n\u{FF}".utf8))
      let kernel = masks(text, usesKernel: true, blocksAtOnce: 32).firstIndex { $0.isSuspect }
      let twin = masks(text, usesKernel: false, blocksAtOnce: 32).firstIndex { $0.isSuspect }
      #expect(kernel == twin, "\(String(decoding: text, as: UTF8.self).debugDescription)")
      if kernel != twin { return }
    }
  }

  /// What is sound is read by blocks to its end: were the walk too strict, the checker would read it, slowly.
  @Test(arguments: [UInt64](200..<240)) func soundRecordsMakeNoDetour(seed: UInt64) {
    var maker = JSONMaker(random: SplitMix64(state: seed))
    let isInArray = seed % 2 == 0
    var recordCount = 0
    while maker.text.count < 10_000 {
      if recordCount > 0 {
        maker.add(isInArray ? maker.random.pick([",", ",\n", " , "]) : maker.random.pick(["\n", "", " "]))
      }
      maker.object(0)
      recordCount += 1
    }
    var batch = RecordBatch(fieldsPerRecord: 1)
    var scanner = JSONBlockScanner(JSONWantedFields([FieldName("name")]))
    var end = 0
    let stop = unsafe maker.text.withUnsafeBufferPointer { buffer in
      guard let bytes = buffer.baseAddress else { return JSONBlockStop.detour }
      return unsafe scanner.scan(
        JSONBlockWindow(bytes: bytes, count: buffer.count, limit: .max, isInArray: isInArray), from: &end, into: &batch)
    }
    #expect(stop == .windowEnd)
    #expect(end == maker.text.count)
    #expect(batch.records.count == recordCount)
  }

  private func masks(_ text: [UInt8], usesKernel: Bool, blocksAtOnce: Int) -> [StructuralMasks] {
    var memory = [UInt64](repeating: 0, count: unsafe JSONStageOne.wordCount)
    var masks: [StructuralMasks] = []
    let blockCount = text.count / 64
    let padded = text + [UInt8](repeating: 0x20, count: 64)
    unsafe memory.withUnsafeMutableBufferPointer { memory in
      unsafe padded.withUnsafeBufferPointer { padded in
        guard let memory = memory.baseAddress, let bytes = padded.baseAddress else { return }
        var stage = unsafe JSONStageOne(memory, usesKernel: usesKernel)
        while masks.count < blockCount {
          let blocks = min(blocksAtOnce, blockCount - masks.count)
          unsafe stage.read(
            bytes + masks.count * 64, blocks: blocks,
            keys: JSONKeyFilter(lengths: UnsafeBufferPointer(start: nil, count: 0), count: -1))
          for block in 0..<blocks { unsafe masks.append(stage.masks(of: block)) }
        }
      }
    }
    return masks
  }
}
