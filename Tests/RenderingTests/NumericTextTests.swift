// What counts as a number, and what is one in JSON.

import Rendering
import Testing

@Suite struct NumericTextTests {
  @Test(arguments: [
    ("0", true, true), ("-0", true, true), ("1.10", true, true), ("1e400", true, true), ("1E+5", true, true),
    ("-1.5e-7", true, true), ("12345678901234567890", true, true),
    ("007", true, false), ("+1", true, false), (".5", true, false), ("-.5", true, false), ("-01", true, false),
    ("", false, false), ("-", false, false), ("+", false, false), (".", false, false), ("1.", false, false),
    ("1e", false, false), ("1e+", false, false), ("e5", false, false), ("1.e5", false, false), ("--1", false, false),
    ("1 ", false, false), (" 1", false, false), ("1,000", false, false), ("0x1F", false, false), ("nan", false, false),
    ("inf", false, false), ("1.2.3", false, false), ("１", false, false), ("2024-01-01", false, false),
  ])
  func forms(_ text: String, _ isNumber: Bool, _ isJSONNumber: Bool) {
    let bytes = Array("x\(text)1".utf8)
    #expect(NumericText.isNumber(bytes.span, in: 1..<(bytes.count - 1)) == isNumber)
    #expect(NumericText.isJSONNumber(bytes.span, in: 1..<(bytes.count - 1)) == isJSONNumber)
  }
}
