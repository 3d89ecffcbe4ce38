// OpenSSL: the digest of a scenario, and what a TLS session speaks.
#pragma once
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
