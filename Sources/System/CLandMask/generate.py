#!/usr/bin/env python3
"""Makes land-z8.bin from land-110m.json: which of the 65,536 tiles of zoom 8 are land.

land-110m.json holds the rings of Natural Earth's 1:110m land (public domain,
naturalearthdata.com) on the Web Mercator square, 4096 units a side: x, y, then the differences to
the next points. A tile is land when at least half of 16 x 16 points spread over it are inside a
ring (even-odd rule).

Bit x % 8 (the lowest first) of byte 32 * y + x // 8 is tile 8/x/y.
"""

import json
import pathlib

SIDE = 256
UNITS = 4096 // SIDE

here = pathlib.Path(__file__).parent
rings = []
for numbers in json.loads((here / "land-110m.json").read_text()):
    x, y = 0, 0
    ring = []
    for dx, dy in zip(numbers[0::2], numbers[1::2]):
        x, y = x + dx, y + dy
        ring.append((x, y))
    rings.append(ring)

points_inside = [[0] * SIDE for _ in range(SIDE)]
for row in range(SIDE * UNITS):
    line = row + 0.5
    crossings = []
    for ring in rings:
        for (x0, y0), (x1, y1) in zip(ring, ring[1:] + ring[:1]):
            if (y0 > line) != (y1 > line):
                crossings.append(x0 + (line - y0) * (x1 - x0) / (y1 - y0))
    crossings.sort()
    for west, east in zip(crossings[0::2], crossings[1::2]):
        for column in range(max(round(west), 0), min(round(east), SIDE * UNITS)):
            points_inside[row // UNITS][column // UNITS] += 1

mask = bytearray(SIDE * SIDE // 8)
for y in range(SIDE):
    for x in range(SIDE):
        if 2 * points_inside[y][x] >= UNITS * UNITS:
            mask[32 * y + x // 8] |= 1 << x % 8
(here / "land-z8.bin").write_bytes(mask)
