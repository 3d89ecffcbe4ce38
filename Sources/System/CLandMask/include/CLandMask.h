// Which tiles of zoom 8 are land: 65,536 bits, made by generate.py.
#ifndef CLANDMASK_H
#define CLANDMASK_H

// 8,192 bytes. Bit x % 8 (the lowest first) of byte 32 * y + x / 8 is tile 8/x/y.
const unsigned char *_Nonnull tilebench_land_mask(void);

#endif
