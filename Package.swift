// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: settings)
}

let package = Package(
  name: "pagecat",
  products: [.executable(name: "pagecat", targets: ["pagecat"])],
  targets: [
    .target(name: "ScanningKernels"),
    module("Reading", ["ScanningKernels"]),
    module("Paging"),
    module("TerminalIO"),
    module("Fetching", ["Reading", "Paging", "ScanningKernels"]),
    module("Rendering", ["Reading", "Paging", "TerminalIO"]),
    .executableTarget(
      name: "pagecat", dependencies: ["Reading", "Fetching", "Paging", "TerminalIO", "Rendering"],
      swiftSettings: settings),
    .executableTarget(name: "pagecat-bench", swiftSettings: settings),

    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    tests("ReadingTests", ["Reading"]),
    tests("FetchingTests", ["Reading", "Fetching", "Paging"]),
    tests("PagingTests", ["Paging"]),
    tests("TerminalIOTests", ["TerminalIO"]),
    tests("RenderingTests", ["Reading", "Rendering", "TerminalIO"]),
    tests(
      "PagecatTests", ["pagecat", "pagecat-bench", "Reading", "Fetching", "Paging", "Rendering", "TerminalIO"]),
  ]
)
