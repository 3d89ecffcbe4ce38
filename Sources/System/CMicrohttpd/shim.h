// GNU libmicrohttpd for Swift. MHD_start_daemon is variadic; the options are passed as an array.
#pragma once
#include <microhttpd.h>

static inline struct MHD_Daemon *tb_mhd_start(
    unsigned int flags, uint16_t port, MHD_AccessHandlerCallback handler, void *context,
    const struct MHD_OptionItem *options) {
    return MHD_start_daemon(
        flags, port, NULL, NULL, handler, context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}
