// Work on all cores: how often it runs, and whether it gives way.

import Glibc
import Reading
import Synchronization
import Testing

struct WorkerThreadsTests {
  private final class Seen: Sendable {
    let threads = Mutex<[(thread: pthread_t, priority: Int32)]>([])

    func note() { threads.withLock { $0.append((pthread_self(), getpriority(0, 0))) } }
  }

  @Test(arguments: [1, 2, 5]) func `work that does not give way runs on the calling thread too`(count: Int) {
    let seen = Seen()
    let own = (thread: pthread_self(), priority: getpriority(0, 0))
    WorkerThreads.run(count, givesWay: false) { seen.note() }
    let threads = seen.threads.withLock { $0 }
    #expect(threads.count == count)
    #expect(threads.contains { pthread_equal($0.thread, own.thread) != 0 })
    #expect(threads.allSatisfy { $0.priority == own.priority })
  }

  @Test(arguments: [1, 2, 5]) func `work that gives way leaves the calling thread as it was`(count: Int) {
    let seen = Seen()
    let own = (thread: pthread_self(), priority: getpriority(0, 0))
    WorkerThreads.run(count, givesWay: true) { seen.note() }
    let threads = seen.threads.withLock { $0 }
    #expect(threads.count == count)
    #expect(!threads.contains { pthread_equal($0.thread, own.thread) != 0 })
    #expect(threads.allSatisfy { $0.priority == min(19, own.priority + WorkerThreads.courtesy) })
    #expect(getpriority(0, 0) == own.priority)
  }
}
