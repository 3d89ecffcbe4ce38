#include "CJemalloc.h"

#include <stddef.h>

#ifdef TILEBENCH_NO_JEMALLOC

const char *tb_jemalloc_version(void) { return NULL; }
bool tb_jemalloc_statistics(uint64_t *allocated, uint64_t *resident) {
    *allocated = 0;
    *resident = 0;
    return false;
}
uint64_t tb_jemalloc_thread_allocated(void) { return 0; }

#else

#include <jemalloc/jemalloc.h>

// Calling mallctl is also what keeps the linker from dropping the library.
const char *tb_jemalloc_version(void) {
    const char *version = NULL;
    size_t size = sizeof version;
    return mallctl("version", &version, &size, NULL, 0) == 0 ? version : NULL;
}

bool tb_jemalloc_statistics(uint64_t *allocated, uint64_t *resident) {
    uint64_t epoch = 1;
    size_t epoch_size = sizeof epoch;
    mallctl("epoch", &epoch, &epoch_size, &epoch, epoch_size);
    size_t value = 0, size = sizeof value;
    if (mallctl("stats.allocated", &value, &size, NULL, 0) != 0) return false;
    *allocated = value;
    if (mallctl("stats.resident", &value, &size, NULL, 0) != 0) return false;
    *resident = value;
    return true;
}

uint64_t tb_jemalloc_thread_allocated(void) {
    uint64_t value = 0;
    size_t size = sizeof value;
    return mallctl("thread.allocated", &value, &size, NULL, 0) == 0 ? value : 0;
}

#endif
