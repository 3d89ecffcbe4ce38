// OpenSSL: the digest of a scenario, and what a TLS session speaks.
#pragma once
#include <stdbool.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>


// What is wanted of a context's sessions: another name than the one in the URL, and the session
// itself, which libcurl does not give away once a connection stands.
struct tb_ssl_watch {
    // NULL: the URL's own. Must live as long as the context.
    const char *name;
    // Set when the handshake has ended.
    SSL *session;
    // HTTP/2 is offered beside HTTP/1.1, which libcurl does only for requests of its own; its own
    // offer must be off.
    bool offers_http2;
    // Set with the session: HTTP/2 was agreed on (ALPN, RFC 7301).
    bool chose_http2;
};

// libcurl has no option for another name and sets its own when the session is made, so this sets
// ours when the handshake begins, before the first message is written; the certificate is then
// checked against it by OpenSSL itself.
static inline void tb_ssl_watch_session(const SSL *session, int where, int result) {
    (void)result;
    SSL *changed = (SSL *)session;
    struct tb_ssl_watch *watch = SSL_CTX_get_app_data(SSL_get_SSL_CTX(session));
    if (where & SSL_CB_HANDSHAKE_DONE) {
        const unsigned char *protocol = NULL;
        unsigned int length = 0;
        SSL_get0_alpn_selected(session, &protocol, &length);
        watch->chose_http2 = length == 2 && protocol[0] == 'h' && protocol[1] == '2';
        watch->session = changed;
    }
    if ((where & SSL_CB_HANDSHAKE_START) == 0 || watch->name == NULL) return;
    SSL_set_tlsext_host_name(changed, watch->name);
    if (SSL_get_verify_mode(changed) != SSL_VERIFY_NONE) SSL_set1_host(changed, watch->name);
}

// `watch` must live as long as the context.
static inline void tb_ssl_watch_context(void *context, struct tb_ssl_watch *watch) {
    watch->session = NULL;
    SSL_CTX_set_app_data((SSL_CTX *)context, watch);
    SSL_CTX_set_info_callback((SSL_CTX *)context, tb_ssl_watch_session);
    if (!watch->offers_http2) return;
    static const unsigned char protocols[] = "\x02h2\x08http/1.1";
    SSL_CTX_set_alpn_protos((SSL_CTX *)context, protocols, sizeof protocols - 1);
}

// Records go straight between the session and its descriptor from now on: libcurl's own layer below
// the session works only inside libcurl's calls. With read-ahead a record costs one read and not
// two; a request that waits may be moved; buffers of an idle session are given back.
static inline void tb_ssl_take_over(SSL *session, int descriptor) {
    SSL_set_fd(session, descriptor);
    SSL_set_read_ahead(session, 1);
    SSL_set_mode(session, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                              SSL_MODE_RELEASE_BUFFERS);
}

// Reads or writes on a session like recv and send: bytes, 0 when the other side has closed, or -1
// with errno, EAGAIN when it has to wait. ERR_clear_error first, or an older error is taken for
// this call's.
static inline long tb_ssl_result(SSL *session, int result) {
    if (result > 0) return result;
    switch (SSL_get_error(session, result)) {
        case SSL_ERROR_WANT_READ:
        case SSL_ERROR_WANT_WRITE:
            errno = EAGAIN;
            return -1;
        case SSL_ERROR_ZERO_RETURN:
            return 0;
        case SSL_ERROR_SYSCALL:
            // An end of the connection without a farewell is an end all the same.
            if (errno == 0) return 0;
            return -1;
        default:
            errno = EPROTO;
            return -1;
    }
}

static inline long tb_ssl_read(SSL *session, void *bytes, int count) {
    ERR_clear_error();
    errno = 0;
    return tb_ssl_result(session, SSL_read(session, bytes, count));
}

static inline long tb_ssl_write(SSL *session, const void *bytes, int count) {
    ERR_clear_error();
    errno = 0;
    return tb_ssl_result(session, SSL_write(session, bytes, count));
}
