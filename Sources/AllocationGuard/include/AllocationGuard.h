// What happens where the system gives no memory, or no thread. Of no memory Swift traps and C++ throws what nobody catches; both end
// the process by a signal, with a message that is not for people. Of no thread Dispatch tries again for ever. None of them has a hook, so
// the C library's functions are replaced by ones that call it and look at what it gave.
//
// Only in a program that links this; with another C library than glibc, and under a sanitizer, nothing is replaced.

#ifndef ALLOCATION_GUARD_H
#define ALLOCATION_GUARD_H

#include <stddef.h>

enum allocation_failure { NO_MEMORY, NO_THREAD };

/// Sets what is called, on any thread, where there is no memory, or no thread for who cannot do without. It must not allocate, nor return.
void allocation_guard_on_failure(void (*handler)(enum allocation_failure));

/// For a process that may take little memory: one heap for all threads (each would reserve address space for its own), and threads with
/// small stacks, also those that others start.
///
/// @param stack_size in bytes.
void allocation_guard_spare_memory(size_t stack_size);

#endif
