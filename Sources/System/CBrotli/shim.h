// Brotli for Swift: bodies of answers.
#pragma once
#include <brotli/decode.h>
