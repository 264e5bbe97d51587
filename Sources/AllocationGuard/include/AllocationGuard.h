// What happens where the system gives no memory. Swift traps there and C++ throws what nobody catches; both end the process by a
// signal, with a message that is not for people. Neither has a hook, so the C library's functions are replaced by ones that call it and
// look at what it gave.
//
// Only in a program that links this; with another C library than glibc, and under a sanitizer, nothing is replaced.

#ifndef ALLOCATION_GUARD_H
#define ALLOCATION_GUARD_H

#include <stddef.h>

/// Sets what is called, on any thread, where there is no memory. It must not allocate, nor return.
void allocation_guard_on_failure(void (*handler)(void));

/// For a process that may take little memory: one heap for all threads (each would reserve address space for its own), and threads with
/// small stacks, also those that others start.
///
/// @param stack_size in bytes.
void allocation_guard_spare_memory(size_t stack_size);

#endif
