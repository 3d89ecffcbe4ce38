// libcurl for Swift. Its setters and getters are variadic, which Swift cannot call, and the header
// hides them behind type-checking macros: each wrapper below fixes one argument type, with the name
// in parentheses to step round the macro.
#pragma once
#include <curl/curl.h>
#include <stdbool.h>

static inline CURLcode tb_curl_set_long(CURL *easy, CURLoption option, long value) {
    return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode tb_curl_set_text(CURL *easy, CURLoption option, const char *value) {
    return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode tb_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode tb_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return (curl_easy_setopt)(easy, option, value);
}

// Write and header callbacks share this shape.
typedef size_t (*tb_curl_data_callback)(char *data, size_t size, size_t count, void *context);
static inline CURLcode tb_curl_set_data_callback(
    CURL *easy, CURLoption option, tb_curl_data_callback callback) {
    return (curl_easy_setopt)(easy, option, callback);
}

static inline CURLcode tb_curl_set_prerequest(CURL *easy, curl_prereq_callback callback) {
    return (curl_easy_setopt)(easy, CURLOPT_PREREQFUNCTION, callback);
}

static inline CURLcode tb_curl_set_progress(CURL *easy, curl_xferinfo_callback callback) {
    return (curl_easy_setopt)(easy, CURLOPT_XFERINFOFUNCTION, callback);
}

static inline CURLcode tb_curl_set_close_socket(CURL *easy, curl_closesocket_callback callback) {
    return (curl_easy_setopt)(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
}

static inline CURLcode tb_curl_set_debug(CURL *easy, curl_debug_callback callback) {
    return (curl_easy_setopt)(easy, CURLOPT_DEBUGFUNCTION, callback);
}

static inline CURLcode tb_curl_set_ssl_context(CURL *easy, curl_ssl_ctx_callback callback) {
    return (curl_easy_setopt)(easy, CURLOPT_SSL_CTX_FUNCTION, callback);
}

static inline CURLcode tb_curl_get_long(CURL *easy, CURLINFO info, long *value) {
    return (curl_easy_getinfo)(easy, info, value);
}

static inline CURLcode tb_curl_get_off(CURL *easy, CURLINFO info, curl_off_t *value) {
    return (curl_easy_getinfo)(easy, info, value);
}

static inline CURLcode tb_curl_get_text(CURL *easy, CURLINFO info, char **value) {
    return (curl_easy_getinfo)(easy, info, value);
}

static inline CURLcode tb_curl_get_pointer(CURL *easy, CURLINFO info, void **value) {
    return (curl_easy_getinfo)(easy, info, value);
}

static inline CURLcode tb_curl_get_list(CURL *easy, CURLINFO info, struct curl_slist **value) {
    return (curl_easy_getinfo)(easy, info, value);
}

static inline CURLcode tb_curl_get_socket(CURL *easy, curl_socket_t *value) {
    return (curl_easy_getinfo)(easy, CURLINFO_ACTIVESOCKET, value);
}

static inline CURLcode tb_curl_get_private(CURL *easy, void **value) {
    return (curl_easy_getinfo)(easy, CURLINFO_PRIVATE, value);
}

static inline CURLMcode tb_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return (curl_multi_setopt)(multi, option, value);
}

static inline CURLMcode tb_curl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
    return (curl_multi_setopt)(multi, option, value);
}

static inline CURLMcode tb_curl_multi_set_socket_callback(
    CURLM *multi, curl_socket_callback callback) {
    return (curl_multi_setopt)(multi, CURLMOPT_SOCKETFUNCTION, callback);
}

static inline CURLMcode tb_curl_multi_set_timer_callback(
    CURLM *multi, curl_multi_timer_callback callback) {
    return (curl_multi_setopt)(multi, CURLMOPT_TIMERFUNCTION, callback);
}

// CURLMsg keeps the result in a union, which Swift sees as overlapping storage.
static inline CURLcode tb_curl_message_result(const CURLMsg *message) {
    return message->data.result;
}

// curl_global_init's flags are macros with casts.
static inline CURLcode tb_curl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

// The versions are numbers behind macros. HTTP/2 is asked for over TLS; the server may choose 1.1.
static inline long tb_curl_http_version(bool is_http1_only) {
    return is_http1_only ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS;
}
