// What terminals send and what it means, and that it means the same wherever reads cut it.

import TerminalIO
import TestSupport
import Testing

/// Decodes bytes in pieces of the given sizes, the last size for all that is left.
private func decoded(_ bytes: [UInt8], sizes: [Int] = [], timesOut: Bool = true) -> [InputEvent] {
  var decoder = KeyDecoder()
  var events: [InputEvent] = []
  var start = 0
  for size in sizes where start < bytes.count {
    let piece = Array(bytes[start..<min(bytes.count, start + size)])
    decoder.feed(piece.span, into: &events)
    start += piece.count
  }
  let rest = Array(bytes[start...])
  decoder.feed(rest.span, into: &events)
  if timesOut && decoder.isWaiting { decoder.timeOut(into: &events) }
  return events
}

private let table: [(String, InputEvent)] = [
  ("a", .key(.character("a"))), ("Z", .key(.character("Z"))), (" ", .key(.character(" "))),
  ("é", .key(.character("é"))), ("漢", .key(.character("漢"))), ("😀", .key(.character("😀"))),
  ("\r", .key(Key(.enter))), ("\t", .key(Key(.tab))), ("\u{7F}", .key(Key(.backspace))),
  ("\u{8}", .key(Key(.backspace))), ("\n", .key(.control("j"))), ("\u{3}", .key(.control("c"))),
  ("\u{0}", .key(.control(" "))), ("\u{1A}", .key(.control("z"))), ("\u{1F}", .key(.control("_"))),
  ("\u{1B}", .key(Key(.escape))), ("\u{1B}b", .key(Key(.character("b"), .alt))),
  ("\u{1B}é", .key(Key(.character("é"), .alt))), ("\u{1B}\u{7F}", .key(Key(.backspace, .alt))),
  ("\u{1B}[", .key(Key(.character("["), .alt))), ("\u{1B}O", .key(Key(.character("O"), .alt))),
  ("\u{1B}[A", .key(Key(.up))), ("\u{1B}[B", .key(Key(.down))), ("\u{1B}[C", .key(Key(.right))),
  ("\u{1B}[D", .key(Key(.left))), ("\u{1B}OA", .key(Key(.up))), ("\u{1B}OD", .key(Key(.left))),
  ("\u{1B}[H", .key(Key(.home))), ("\u{1B}[F", .key(Key(.end))), ("\u{1B}OH", .key(Key(.home))),
  ("\u{1B}[1~", .key(Key(.home))), ("\u{1B}[4~", .key(Key(.end))), ("\u{1B}[7~", .key(Key(.home))),
  ("\u{1B}[8~", .key(Key(.end))), ("\u{1B}[2~", .key(Key(.insert))), ("\u{1B}[3~", .key(Key(.delete))),
  ("\u{1B}[5~", .key(Key(.pageUp))), ("\u{1B}[6~", .key(Key(.pageDown))),
  ("\u{1B}OP", .key(Key(.function(1)))), ("\u{1B}OS", .key(Key(.function(4)))),
  ("\u{1B}[11~", .key(Key(.function(1)))), ("\u{1B}[[A", .key(Key(.function(1)))),
  ("\u{1B}[[E", .key(Key(.function(5)))), ("\u{1B}[15~", .key(Key(.function(5)))),
  ("\u{1B}[17~", .key(Key(.function(6)))), ("\u{1B}[21~", .key(Key(.function(10)))),
  ("\u{1B}[23~", .key(Key(.function(11)))), ("\u{1B}[24~", .key(Key(.function(12)))),
  ("\u{1B}[1;5C", .key(Key(.right, .control))), ("\u{1B}[1;2A", .key(Key(.up, .shift))),
  ("\u{1B}[1;3D", .key(Key(.left, .alt))), ("\u{1B}[1;8H", .key(Key(.home, [.shift, .alt, .control]))),
  ("\u{1B}[3;5~", .key(Key(.delete, .control))), ("\u{1B}[15;2~", .key(Key(.function(5), .shift))),
  ("\u{1B}[1;2P", .key(Key(.function(1), .shift))), ("\u{1B}[Z", .key(Key(.tab, .shift))),
  ("\u{1B}Oc", .key(Key(.right, .control))), ("\u{1B}[a", .key(Key(.up, .shift))),
  ("\u{1B}[3^", .key(Key(.delete, .control))), ("\u{1B}OM", .key(Key(.enter))),
  ("\u{1B}Oq", .key(.character("1"))), ("\u{1B}[97;5u", .key(.control("a"))),
  ("\u{1B}[27;5;106~", .key(.control("j"))), ("\u{1B}[13;2u", .key(Key(.enter, .shift))),
  ("\u{1B}[97;2u", .key(.character("A"))), ("\u{1B}[97:65;1:1u", .key(.character("a"))),
  ("\u{1B}[<0;1;1M", .mouse(MouseEvent(.press(0), columnIndex: 0, lineIndex: 0))),
  ("\u{1B}[<2;120;40m", .mouse(MouseEvent(.release(2), columnIndex: 119, lineIndex: 39))),
  ("\u{1B}[<64;5;6M", .mouse(MouseEvent(.wheelUp, columnIndex: 4, lineIndex: 5))),
  ("\u{1B}[<65;5;6M", .mouse(MouseEvent(.wheelDown, columnIndex: 4, lineIndex: 5))),
  ("\u{1B}[<69;5;6M", .mouse(MouseEvent(.wheelDown, columnIndex: 4, lineIndex: 5, .shift))),
  ("\u{1B}[<32;2;3M", .mouse(MouseEvent(.drag(0), columnIndex: 1, lineIndex: 2))),
  ("\u{1B}[200~a\u{1B}[Bb\n\u{1B}\u{1B}[201~", .paste(Array("a\u{1B}[Bb\n\u{1B}".utf8))),
  ("\u{1B}[200~\u{1B}[201~", .paste([])),
]

@Suite struct KeyDecoderTests {
  @Test(arguments: table.indices) func decodes(_ index: Int) {
    #expect(decoded(Array(table[index].0.utf8)) == [table[index].1])
  }

  @Test(arguments: [
    "\u{1B}[999~", "\u{1B}[?1;2c", "\u{1B}[1;1R\u{1B}[", "\u{1B}[<3;1;1M", "\u{1B}[<0;1M", "\u{1B}[<35;1;1M",
    "\u{1B}[57344u", "\u{1B}[>0;276;0c", "\u{1B}[\(String(repeating: "1", count: 300))A", "\u{1B}[I",
  ])
  func passesOverWhatIsNoKey(_ text: String) {
    let events = decoded(Array(text.utf8), timesOut: false)
    #expect(events.isEmpty || text.hasPrefix("\u{1B}[1;1R"))
    #expect(decoded(Array((text + "x").utf8), timesOut: false).count <= 1 + events.count)
  }

  @Test(
    arguments: [
      [0xFF, 0x61], [0xC3, 0x61], [0xE6, 0xBC, 0x61], [0xC0, 0x80, 0x61], [0xED, 0xA0, 0x80, 0x61],
      [0x80, 0x61], [0xF8, 0x61], [0xC2, 0x9B, 0x61],
    ] as [[UInt8]])
  func ignoresInvalidBytes(_ bytes: [UInt8]) {
    #expect(decoded(bytes) == [.key(.character("a"))])
  }

  @Test func anEscapeEndsWhatWasBegun() {
    #expect(decoded(Array("\u{1B}[1;\u{1B}[A".utf8)) == [.key(Key(.up))])
    #expect(decoded(Array("\u{1B}O\u{1B}[A".utf8)) == [.key(Key(.up))])
    #expect(decoded(Array("\u{1B}\u{1B}[A".utf8)) == [.key(Key(.escape)), .key(Key(.up))])
    #expect(decoded([0xE6, 0x1B, 0x5B, 0x41]) == [.key(Key(.up))])
  }

  @Test func onlyATimeOutTellsALoneEscape() {
    var decoder = KeyDecoder()
    var events: [InputEvent] = []
    decoder.feed([0x1B].span, into: &events)
    #expect(events.isEmpty && decoder.isWaiting)
    decoder.feed(Array("[".utf8).span, into: &events)
    #expect(events.isEmpty && decoder.isWaiting)
    decoder.feed(Array("6~".utf8).span, into: &events)
    #expect(events == [.key(Key(.pageDown))] && !decoder.isWaiting)
    decoder.feed([0x1B].span, into: &events)
    decoder.timeOut(into: &events)
    #expect(events.last == .key(Key(.escape)) && !decoder.isWaiting)
  }

  @Test func aLongPasteIsCutAndItsEndStillFound() {
    let text = [UInt8](repeating: 0x78, count: KeyDecoder.longestPaste + 5000)
    let events = decoded(Array("\u{1B}[200~".utf8) + text + Array("\u{1B}[201~q".utf8))
    #expect(events == [.paste(Array(text.prefix(KeyDecoder.longestPaste))), .key(.character("q"))])
  }

  @Test func controlCLeavesAPasteWhoseEndWasLost() {
    let events = decoded(Array("\u{1B}[200~lost\u{3}q".utf8))
    #expect(events == [.key(Key(.character("c"), .control)), .key(.character("q"))])
  }

  @Test func anySplitGivesTheSameKeys() {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<400 {
      var bytes: [UInt8] = []
      for _ in 0..<(1 + random.below(6)) {
        if random.oneIn(5) {
          bytes += (0..<random.below(6)).map { _ in UInt8(random.below(256)) }
        } else {
          bytes += Array(random.pick(table).0.utf8)
        }
      }
      let whole = decoded(bytes)
      #expect(decoded(bytes, sizes: Array(repeating: 1, count: bytes.count)) == whole)
      let sizes = (0..<bytes.count).map { _ in 1 + random.below(4) }
      #expect(decoded(bytes, sizes: sizes) == whole)
    }
    for (text, event) in table {
      let bytes = Array(text.utf8)
      for cut in 0...bytes.count { #expect(decoded(bytes, sizes: [cut]) == [event]) }
    }
  }
}
