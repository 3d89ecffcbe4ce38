#include "CLandMask.h"

static const unsigned char mask[8192] = {
#embed "land-z8.bin"
};

const unsigned char *tilebench_land_mask(void) {
    return mask;
}
