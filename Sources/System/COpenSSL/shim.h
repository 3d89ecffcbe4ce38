// OpenSSL: the digest of a scenario, and what a TLS session speaks.
#pragma once
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>

// Another name for a session than the one in the URL. libcurl has no option for it and sets its own
// name when the session is made, so this sets ours when the handshake begins, before the first
// message is written; the certificate is then checked against it by OpenSSL itself.
// SSL_set_tlsext_host_name and SSL_CTX_set_app_data are macros.
static inline void tb_ssl_name_session(const SSL *session, int where, int result) {
    (void)result;
    if ((where & SSL_CB_HANDSHAKE_START) == 0) return;
    const char *name = (const char *)SSL_CTX_get_app_data(SSL_get_SSL_CTX(session));
    SSL *changed = (SSL *)session;
    SSL_set_tlsext_host_name(changed, name);
    if (SSL_get_verify_mode(changed) != SSL_VERIFY_NONE) SSL_set1_host(changed, name);
}

// `name` must live as long as the context.
static inline void tb_ssl_use_name(void *context, const char *name) {
    SSL_CTX_set_app_data((SSL_CTX *)context, (void *)name);
    SSL_CTX_set_info_callback((SSL_CTX *)context, tb_ssl_name_session);
}
