// The line that is typed: keys as readline has them, history, completion; and that it holds at any width.

import Rendering
import TerminalIO
import TestSupport
import Testing

private let columns = ["distance", "distant", "elapsed", "Start Time", "größe", "in"].map { ViewerColumn($0) }

private func viewer(width: Int = 40) -> ViewerFixture {
  ViewerFixture(columns, ListedRows([]), width: width, height: 6)
}

@Suite struct ViewerLineEditorTests {
  /// `|` stands for the cursor.
  @Test(arguments: [
    ("abc", "abc|"), ("abc\u{1B}[D", "ab|c"), ("abc\u{1B}[D\u{1B}[Dx", "ax|bc"), ("abc\u{1}x", "x|abc"),
    ("abc\u{1}\u{5}x", "abcx|"),
    ("abc\u{1B}[H\u{1B}[C\u{1B}[3~", "a|c"), ("abc\u{7F}\u{7F}", "a|"), ("one two\u{17}", "one |"),
    ("one two\u{15}", "|"),
    ("one two\u{1B}b\u{B}", "one |"), ("one two\u{1B}b\u{1B}bX", "X|one two"), ("one two\u{1}\u{1B}fX", "oneX| two"),
    ("one two\u{1B}[1;5DX", "one X|two"), ("a\u{1B}[D\u{1B}[D\u{1B}[Db", "b|a"), ("漢字\u{1B}[Dx", "漢x|字"),
    ("e\u{301}\u{7F}x", "x|"), ("e\u{1B}[D\u{1B}[C\u{301}\u{1B}[Dx", "x|e\u{301}"), ("👩‍💻\u{7F}y", "y|"),
    ("ab\u{2}\u{4}", "a|"),
  ])
  func edits(_ keys: String, _ expected: String) {
    var viewer = viewer()
    viewer.type("&" + keys)
    let editor = viewer.state.prompt?.editor
    let text = editor?.text ?? ""
    let before = editor?.textBeforeCursor ?? ""
    #expect(before + "|" + text.dropFirst(before.count) == expected)
  }

  @Test func deletingThePromptLeavesIt() {
    var viewer = viewer()
    viewer.type("&a\u{7F}")
    #expect(viewer.state.prompt != nil)
    viewer.type("\u{7F}")
    #expect(viewer.state.prompt == nil)
  }

  @Test func historyIsKeptForEachKind() {
    var viewer = viewer()
    viewer.type("/one\r/two\r/one\r/thr\u{1B}[A")
    #expect(viewer.state.prompt?.editor.text == "one")
    viewer.type("\u{1B}[A\u{1B}[A\u{1B}[A")
    #expect(viewer.state.prompt?.editor.text == "two")
    viewer.type("\u{1B}[B\u{1B}[B\u{1B}[B")
    #expect(viewer.state.prompt?.editor.text == "thr")
    viewer.type("␛:\u{1B}[A")
    #expect(viewer.state.prompt?.editor.text == "")
  }

  @Test func theFilterIsEditedFromWhatItIs() {
    var viewer = viewer()
    viewer.state.accept(filter: "a > 1")
    viewer.type("&0\r")
    #expect(viewer.effects == [.filter("a > 10")])
  }

  @Test(arguments: [
    ("&el\t", "elapsed"), ("&x == 1 and el\t", "x == 1 and elapsed"), ("&dis\t", "distan"), ("&dis\t\t", "distance"),
    ("&dis\t\t\t", "distant"), ("&dis\t\t\t\t", "distance"), ("&dis\t\u{1B}[Z", "distant"), ("&st\t", "`Start Time`"),
    ("&`Start\t", "`Start Time`"), ("&`start t\t > 1", "`Start Time` > 1"), ("&gr\t", "größe"), ("&i\t", "`in`"),
    ("&zz\t", "zz"), ("&el > 1\u{1}\u{1B}f\t", "elapsed > 1"), (":so\t", "sort"), (":sort el\t", "sort elapsed"),
    (":sort dist:desc,st\t", "sort dist:desc,Start Time"), (":w el\t", "w el"), ("/el\t", "el"),
    (":sort elapsed:d\t", "sort elapsed:distan"),
    ("&el\t\u{7F}\u{7F}\u{7F}\t", "elapsed"),
  ])
  func completes(_ keys: String, _ expected: String) {
    var viewer = viewer()
    viewer.type(keys)
    #expect(viewer.state.prompt?.editor.text == expected)
  }

  @Test func candidatesAreShown() {
    var viewer = viewer()
    viewer.type("&dis\t")
    #expect(viewer.terminal.text(ofLine: 4) == "&distan" && viewer.terminal.text(ofLine: 5) == " distance  distant")
  }

  @Test(arguments: [1, 2, 3, 5, 10, 40]) func theCursorStaysInView(_ width: Int) {
    var random = SeededGenerator(seed: UInt64(width))
    var viewer = viewer(width: width)
    viewer.type("&")
    let keys = ["a", "漢", "e\u{301}", "👩‍💻", " ", "\u{1B}[D", "\u{1B}[C", "\u{1B}b", "\u{7F}", "\u{1}", "\u{5}"]
    for _ in 0..<300 {
      viewer.type(random.pick(keys))
      if viewer.state.prompt == nil { viewer.type("&") }
      #expect(viewer.isClean && viewer.terminal.isCursorVisible)
      guard width > 5, let editor = viewer.state.prompt?.editor else { continue }
      // What stands before the cursor on the screen is what stands before it in the text.
      let line = viewer.terminal.lines[viewer.terminal.cursor.lineIndex]
      let before = line[1..<viewer.terminal.cursor.columnIndex].map(\.text).joined()
      #expect(editor.textBeforeCursor.hasSuffix(before))
    }
  }
}
