#include "CBuildFacts.h"

const char *tb_build_commit(void) { return TILEBENCH_COMMIT; }
const char *tb_build_configuration(void) { return TILEBENCH_CONFIGURATION; }
const char *tb_build_swift(void) { return TILEBENCH_SWIFT; }
