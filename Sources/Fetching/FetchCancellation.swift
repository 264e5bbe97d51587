// A flag that a fetch looks at now and then, as it runs on threads that know nothing of tasks; it tells how far it is, too.

package import Reading

/// Tells a fetch that nobody wants its rows any more.
package typealias FetchCancellation = ScanMonitor
