// Work on all cores at once. Plain threads of the C library: the scan blocks in reads and is never suspended, and the
// pool of Swift's concurrency has just as many threads as there are cores.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import Synchronization

package enum WorkerThreads {
  /// The number of cores that this process may use.
  package static let coreCount: Int = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

  private static let givesWay = Atomic(false)

  /// From now on, work on all cores gives way to whoever waits for a person: a thread that wakes up for a key need not wait
  /// until one that scans has had its turn. For the whole process, and for good.
  package static func giveWay() { givesWay.store(true, ordering: .relaxed) }

  /// What a thread that gives way is behind others by. Linux gives it a tenth of a core that others want, and all of one
  /// that nobody wants.
  package static let courtesy: Int32 = 10

  /// Runs `body` once on each of `count` threads and returns when all have ended. The calling thread is among them, unless
  /// the work gives way, which a thread could not take back.
  ///
  /// Where the system gives fewer threads, `body` runs fewer times, but at least once: it has to take its work from a
  /// shared place.
  package static func run(_ count: Int, _ body: @escaping @Sendable () -> Void) {
    run(count, givesWay: givesWay.load(ordering: .relaxed), body)
  }

  package static func run(_ count: Int, givesWay: Bool, _ body: @escaping @Sendable () -> Void) {
    var threads: [pthread_t] = []
    for _ in (givesWay ? 0 : 1)..<max(1, count) {
      let thread = create {
        if givesWay { lowerPriority() }
        body()
      }
      if let thread { threads.append(thread) }
    }
    if !givesWay || threads.isEmpty { body() }
    for thread in threads { pthread_join(thread, nil) }
  }

  /// Lowers the priority of the calling thread. That it is the thread's and not the process's is a trait of Linux.
  private static func lowerPriority() {
    #if os(Linux)
      // PRIO_PROCESS, whose type differs from one C library to the next.
      let kind: Int32 = 0
      errno = 0
      let current = getpriority(kind, 0)
      if current == -1 && errno != 0 { return }
      _ = setpriority(kind, 0, min(19, current + courtesy))
    #endif
  }

  /// Runs `body` on a thread of its own, which nobody waits for. Signals go to other threads.
  ///
  /// - Returns: whether the thread could be started.
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    // The new thread inherits what is blocked, so that a closed pipe is an error of its write and not a signal.
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    guard let thread = create(body) else { return false }
    pthread_detach(thread)
    return true
  }

  /// A thread that is to be joined or detached; nil where the system gives none.
  fileprivate static func create(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
    var thread = pthread_t()
    let box = unsafe Unmanaged.passRetained(Box(body))
    let status = unsafe pthread_create(
      &thread, nil,
      { argument in
        guard let argument = unsafe argument else { return nil }
        unsafe Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    if status == 0 { return thread }
    unsafe box.release()
    return nil
  }

  private final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}

/// A piece of work on a thread of its own.
package final class BackgroundWork: Sendable {
  private let thread: pthread_t?

  /// Starts the work; does it at once and here where the system gives no thread.
  package init(_ body: @escaping @Sendable () -> Void) {
    thread = WorkerThreads.create(body)
    if thread == nil { body() }
  }

  /// Waits until the work is done. To be called once.
  package func wait() {
    if let thread { pthread_join(thread, nil) }
  }
}
