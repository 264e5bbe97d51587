// Whether the processor has vectors for which the kernels of ScanningKernels are worth taking; asked of it once.

import ScanningKernels

package enum Kernels {
  package static let areFast = scanning_kernels_are_fast()
}
