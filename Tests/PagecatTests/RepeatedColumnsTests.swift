// A column that --columns names more than once: as often as it is named where a row has places, once where it has keys.

import TestSupport
import Testing

struct RepeatedColumnsTests {
  private let records = "{\"id\":1,\"gear\":{\"x\":\"a\",\"y\":2}}\n{\"id\":2,\"gear\":{\"x\":\"b\"}}\n"
  private let cells = "id,name\n1,a\n2,\"b \"\"c\"\"\"\n"

  private func run(_ text: String, _ columns: String, _ more: [String]) throws -> ProcessResult {
    try ProcessRunner.pagecat().run(["--columns", columns] + more, input: .bytes(Array(text.utf8)))
  }

  @Test(arguments: [
    ("csv", "id,name,id\n1,a,1\n2,\"b \"\"c\"\"\",2\n"), ("tsv", "id\tname\tid\n1\ta\t1\n2\t\"b \"\"c\"\"\"\t2\n"),
    ("table", "id  name   id\n 1  a       1\n 2  b \"c\"   2\n"),
    ("markdown", "| id | name | id |\n| --- | --- | --- |\n| 1 | a | 1 |\n| 2 | b \"c\" | 2 |\n"),
  ])
  func `places are filled as often as they are asked for`(_ format: String, expected: String) throws {
    let result = try run(cells, "id,name,id", ["--to", format])
    #expect(result.output == expected)
    #expect(result.status == 0 && result.errors.isEmpty)
  }

  @Test func `so are those of JSON, and groups add what is not there yet`() throws {
    #expect(try run(records, "gear.x,id,gear.x", ["--to", "csv"]).output == "gear.x,id,gear.x\na,1,a\nb,2,b\n")
    #expect(try run(records, "gear.x,gear.*", ["--to", "csv"]).output == "gear.x,gear.y\na,2\nb,\n")
    #expect(
      try run(records, "gear.*,gear.x", ["--to", "csv"]).output == "gear.x,gear.y,gear.x\na,2,a\nb,,b\n")
    #expect(try run(records, "id,gear.x,id", ["--hide", "gear.x", "--to", "csv"]).output == "id,id\n1,1\n2,2\n")
  }

  @Test func `an object has a key once, and a note says so`() throws {
    let result = try run(records, "id,gear.x,id,absent,absent", ["--to", "jsonl"])
    #expect(result.output == "{\"id\":1,\"gear.x\":\"a\"}\n{\"id\":2,\"gear.x\":\"b\"}\n")
    #expect(
      result.errors.contains(
        "pagecat: --columns: an object has a key once, also where it is named again: 'id', 'absent'\n"))
    #expect(try run(cells, "id,id", ["--to", "json"]).output == "[\n{\"id\":1},\n{\"id\":2}\n]\n")
  }

  @Test func `a name that no record had is told once`() throws {
    let result = try run(records, "absent,id,absent", ["--to", "csv"])
    #expect(result.output == "absent,id,absent\n,1,\n,2,\n")
    #expect(result.errors.split(separator: "\n").count == 1)
  }
}
