// jemalloc, linked as the process's allocator, and its statistics. Built without the library when
// a sanitizer or valgrind brings an allocator of its own; then every figure is absent (0).
#pragma once
#include <stdbool.h>
#include <stdint.h>

// The library's version text, or NULL when it is not linked.
const char *tb_jemalloc_version(void);

// Bytes in live allocations, and bytes of physical memory the allocator holds. False: no figures.
bool tb_jemalloc_statistics(uint64_t *allocated, uint64_t *resident);

// Bytes that the calling thread has allocated since it began; needs no epoch.
uint64_t tb_jemalloc_thread_allocated(void);
