// liblzma for Swift, which cannot see macros with casts in them.
#pragma once
#include <lzma.h>

// Reads .xz files one after the other until the input ends.
static inline lzma_ret tb_lzma_decoder(lzma_stream *stream, uint64_t memory_bytes_max) {
    return lzma_stream_decoder(stream, memory_bytes_max, LZMA_CONCATENATED);
}
