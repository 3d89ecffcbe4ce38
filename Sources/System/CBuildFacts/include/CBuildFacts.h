// What this binary was built from and by, fixed when it was compiled.
#pragma once

// The commit, with `+changes` when the tree differed from it; "unknown" unless built by make.
const char *tb_build_commit(void);

// "debug" or "release".
const char *tb_build_configuration(void);

// The compiler's version: exact when built by make, else its minor version ("6.3").
const char *tb_build_swift(void);
