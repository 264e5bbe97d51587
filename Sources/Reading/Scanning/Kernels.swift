// Whether the processor has vectors for which the kernels of ScanningKernels are worth taking; asked of it once.

import ScanningKernels

enum Kernels {
  static let areFast = scanning_kernels_are_fast()
}
