// zlib for Swift. The init functions are macros that pass the header's version.
#pragma once
#include <zlib.h>

static inline int tb_deflate_init(z_stream *stream, int level, int window_bits) {
    return deflateInit2(stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}

static inline int tb_inflate_init(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}
