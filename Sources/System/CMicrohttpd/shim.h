// GNU libmicrohttpd for Swift. MHD_start_daemon is variadic; the options are passed as an array.
#pragma once
#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>

static inline struct MHD_Daemon *tb_mhd_start(
    unsigned int flags, uint16_t port, MHD_AccessHandlerCallback handler, void *context,
    const struct MHD_OptionItem *options) {
    return MHD_start_daemon(
        flags, port, NULL, NULL, handler, context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

// MHD_get_connection_info is variadic. NULL: no context was set when the connection began.
static inline void *tb_mhd_connection_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

static inline int tb_mhd_connection_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

// The peer's address as text of at most `capacity` bytes, an IPv4 one in IPv6 form as IPv4. Empty:
// unknown.
static inline void tb_mhd_connection_address(
    struct MHD_Connection *connection, char *text, socklen_t capacity) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    text[0] = 0;
    if (info == NULL || info->client_addr == NULL) return;
    if (info->client_addr->sa_family == AF_INET) {
        const struct sockaddr_in *address = (const struct sockaddr_in *)info->client_addr;
        inet_ntop(AF_INET, &address->sin_addr, text, capacity);
    } else if (info->client_addr->sa_family == AF_INET6) {
        const struct sockaddr_in6 *address = (const struct sockaddr_in6 *)info->client_addr;
        if (IN6_IS_ADDR_V4MAPPED(&address->sin6_addr)) {
            inet_ntop(AF_INET, &address->sin6_addr.s6_addr[12], text, capacity);
        } else {
            inet_ntop(AF_INET6, &address->sin6_addr, text, capacity);
        }
    }
}
