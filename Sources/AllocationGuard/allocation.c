// malloc and its kin, and pthread_create, as glibc lets a program replace them: the program's own come before the library's, for all that is linked to it.
// Memory comes from the library's heap and goes back there, so `free` stays the library's.

#define _GNU_SOURCE

#include "AllocationGuard.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

static void (*on_failure)(enum allocation_failure);

void allocation_guard_on_failure(void (*handler)(enum allocation_failure)) { on_failure = handler; }

void allocation_guard_spare_memory(size_t stack_size) {
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, 1);
#endif
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes)) return;
  if (!pthread_attr_setstacksize(&attributes, stack_size)) pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(IS_SANITIZED)

// Exported by glibc for this very purpose, and declared in no header.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static void *checked(void *memory) {
  if (__builtin_expect(!memory, 0) && on_failure) on_failure(NO_MEMORY);
  return memory;
}

void *malloc(size_t size) { return checked(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return checked(__libc_calloc(count, size)); }

void *realloc(void *memory, size_t size) {
  void *const moved = __libc_realloc(memory, size);
  // Of size 0 nothing is left, which is no failure.
  return size ? checked(moved) : moved;
}

void *aligned_alloc(size_t alignment, size_t size) { return checked(__libc_memalign(alignment, size)); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || alignment & (alignment - 1)) return EINVAL;
  void *const got = checked(__libc_memalign(alignment, size));
  if (!got) return ENOMEM;
  *memory = got;
  return 0;
}

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

// Dispatch always gives attributes, and tries again a second after a failure. This program gives none, and does without a thread.
enum { MOST_FAILURES = 3 };

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
  static _Atomic(create_function *) found;
  static _Atomic int failures;
  create_function *create = found;
  if (!create) found = create = (create_function *)dlsym(RTLD_NEXT, "pthread_create");
  if (!create) return EAGAIN;
  const int status = create(thread, attributes, body, argument);
  if (!attributes) return status;
  if (!status) {
    failures = 0;
  } else if (++failures >= MOST_FAILURES && on_failure) {
    on_failure(NO_THREAD);
  }
  return status;
}

#endif
