// OpenSSL's digests: the scenario's fingerprint in reports.
#pragma once
#include <openssl/evp.h>
#include <openssl/sha.h>
