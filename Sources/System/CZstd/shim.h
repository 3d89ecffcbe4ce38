// Zstandard for Swift: bodies of answers.
#pragma once
#include <zstd.h>
