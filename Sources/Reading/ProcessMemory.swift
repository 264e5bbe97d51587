// How much memory the system lets this process take, by `ulimit -v` and `ulimit -d`. Mostly there is no such limit, and
// nothing changes. Where there is one, what is decided by the size of the machine is decided by what is left instead: a
// limit that is met in the middle of work can only end it.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

package enum ProcessMemory {
  /// Bytes that the process could still take when this was first asked for; nil: as many as there are.
  package static let room: Int? = {
    let space = limit(of: spaceLimit)
    let data = limit(of: dataLimit)
    if space == nil && data == nil { return nil }
    let used = usedPages() ?? (space: 0, data: 0)
    let pageSize = max(1, sysconf(Int32(_SC_PAGESIZE)))
    return max(0, min((space ?? .max) - used.space * pageSize, (data ?? .max) - used.data * pageSize))
  }()

  /// The most threads to work on: one needs a stack and buffers of its own.
  package static var mostThreads: Int { (room ?? .max) < roomForThreads ? 1 : .max }

  /// Whether all that waits on a thread of its own may be given one. Some of those that start such threads (Dispatch) wait
  /// for ever where they get none.
  package static var hasRoomForBackground: Bool { (room ?? .max) >= roomForBackground }

  /// The bytes that a sort may take, of those asked for: besides it there are buffers, rows to print and what is printed.
  package static func bounded(_ memory: Int) -> Int {
    room.map { min(memory, max(leastMemory, $0 / 5)) } ?? memory
  }

  /// RLIMIT_AS and RLIMIT_DATA of Linux, which Swift does not import alike everywhere.
  private static let spaceLimit: Int32 = 9
  private static let dataLimit: Int32 = 2
  private static let roomForThreads = 192 << 20
  private static let roomForBackground = 64 << 20
  private static let leastMemory = 1 << 20

  private static func limit(of resource: Int32) -> Int? {
    var limit = rlimit()
    // The type of the first argument differs from one C library to the next.
    #if canImport(Glibc)
      let status = unsafe getrlimit(__rlimit_resource_t(UInt32(resource)), &limit)
    #else
      let status = unsafe getrlimit(resource, &limit)
    #endif
    // RLIM_INFINITY, which Swift does not import, is no Int.
    return status == 0 ? Int(exactly: limit.rlim_cur) : nil
  }

  /// Pages of address space, and those of data, as Linux counts them.
  private static func usedPages() -> (space: Int, data: Int)? {
    guard case .success(let file) = SystemCall.openForReading(Array("/proc/self/statm".utf8)) else { return nil }
    defer { SystemCall.close(file) }
    var bytes = [UInt8](repeating: 0, count: 256)
    guard case .success(let count) = SystemCall.read(file, into: &bytes, at: 0, count: bytes.count) else { return nil }
    let numbers = bytes[..<count].split { $0 <= 0x20 }.map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
    return numbers.count > 5 ? (numbers[0], numbers[5]) : nil
  }
}
