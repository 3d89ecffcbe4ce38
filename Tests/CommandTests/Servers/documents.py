"""Serves documents that describe tiles, and the tiles, and keeps a record of what it was asked.

    GET /tiles.json              TileJSON 3
    GET /locked/tiles.json       the same, and its tiles, for ?key=TOKEN only
    GET /style.json              a style: two sources here (one by its TileJSON), one elsewhere
    GET /wmts/kvp, /wmts/rest    WMTS capabilities; /wmts/degrees: RESTful, in EPSG:4326
    GET /wms11, /wms13           WMS; GetMap checks the order of the axes of its box
    GET /rest/services/A/MapServer
    GET /moved.json              302 to /tiles.json; /away.json: 302 to another host
    GET /bomb.xml /deep.json /huge.json /far.json /date.json     hostile
    GET /asked                   {"path": times} of all the others

Tiles are PNGs; what is asked for wrongly is answered with 400 and why. Says "port N" at its start.
"""

import collections
import http.server
import json
import os
import sys
import threading
import urllib.parse

TOKEN = "s3cret+key/1="
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c020000000b4944415478da6364f80f"
    "00010501012718e3660000000049454e44ae426082"
)
ASKED = collections.Counter()
LOCK = threading.Lock()


def wmts(base, degrees, rest):
    matrices = ""
    for level in range(6):
        denominator = (279541132.0143589 if degrees else 559082264.0287178) / 2**level
        corner = "90 -180" if degrees else "-20037508.342789244 20037508.342789244"
        width = 2 ** (level + 1) if degrees else 2**level
        matrices += (
            f"<TileMatrix><ows:Identifier>m:{level:02}</ows:Identifier>"
            f"<ScaleDenominator>{denominator}</ScaleDenominator>"
            f"<TopLeftCorner>{corner}</TopLeftCorner><TileWidth>256</TileWidth>"
            f"<TileHeight>256</TileHeight><MatrixWidth>{width}</MatrixWidth>"
            f"<MatrixHeight>{2 ** level}</MatrixHeight></TileMatrix>"
        )
    crs = "urn:ogc:def:crs:EPSG::4326" if degrees else "urn:ogc:def:crs:EPSG::3857"
    operations = (
        '<ows:OperationsMetadata><ows:Operation name="GetTile"><ows:DCP><ows:HTTP>'
        f'<ows:Get xlink:href="{base}/wmts/kvp?">'
        '<ows:Constraint name="GetEncoding"><ows:AllowedValues><ows:Value>KVP</ows:Value>'
        "</ows:AllowedValues></ows:Constraint></ows:Get></ows:HTTP></ows:DCP></ows:Operation>"
        "</ows:OperationsMetadata>"
    )
    kind = "degrees" if degrees else "rest"
    resource = (
        '<ResourceURL format="image/png" resourceType="tile" template="'
        f'{base}/wmts/{kind}/{{Style}}/{{TileMatrixSet}}/{{TileMatrix}}/{{TileRow}}/{{TileCol}}.png"/>'
    )
    return f"""<?xml version="1.0"?>
<Capabilities xmlns="http://www.opengis.net/wmts/1.0" xmlns:ows="http://www.opengis.net/ows/1.1"
 xmlns:xlink="http://www.w3.org/1999/xlink" version="1.0.0">
{"" if rest else operations}<Contents><Layer><ows:Title>Roads</ows:Title>
<ows:Identifier>roads</ows:Identifier><Style isDefault="true"><ows:Identifier>day</ows:Identifier>
</Style><Format>image/png</Format><TileMatrixSetLink><TileMatrixSet>grid</TileMatrixSet>
</TileMatrixSetLink>{resource if rest else ""}</Layer><TileMatrixSet>
<ows:Identifier>grid</ows:Identifier><ows:SupportedCRS>{crs}</ows:SupportedCRS>{matrices}
</TileMatrixSet></Contents></Capabilities>"""


def wms(base, version):
    name = "WMS_Capabilities" if version == "1.3.0" else "WMT_MS_Capabilities"
    crs = "CRS" if version == "1.3.0" else "SRS"
    space = ' xmlns="http://www.opengis.net/wms"' if version == "1.3.0" else ""
    path = "wms13" if version == "1.3.0" else "wms11"
    return f"""<?xml version="1.0"?>
<{name}{space} version="{version}" xmlns:xlink="http://www.w3.org/1999/xlink"><Service>
<Name>WMS</Name><Title>Maps</Title></Service><Capability><Request><GetMap>
<Format>image/png</Format><DCPType><HTTP><Get><OnlineResource xlink:href="{base}/{path}?"/></Get>
</HTTP></DCPType></GetMap></Request><Layer><Title>All</Title><{crs}>EPSG:4326</{crs}>
<{crs}>EPSG:3857</{crs}><Layer><Name>relief</Name><Title>Relief</Title></Layer></Layer>
</Capability></{name}>"""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, kind, body, headers=()):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def json(self, value):
        self.answer(200, "application/json", json.dumps(value).encode())

    def xml(self, text):
        self.answer(200, "text/xml", text.encode())

    def refuse(self, why, status=400):
        self.answer(status, "text/plain", why.encode())

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))
        low = {name.lower(): value for name, value in query.items()}
        base = f"http://127.0.0.1:{self.server.server_port}"
        if url.path == "/asked":
            with LOCK:
                return self.json(dict(ASKED))
        with LOCK:
            ASKED[url.path] += 1
        parts = url.path.strip("/").split("/")
        if parts[0] == "locked" and query.get("key") != TOKEN:
            return self.refuse("no key", 401)
        if parts[-1] == "tiles.json":
            folder = "locked/t" if parts[0] == "locked" else "t"
            return self.json(
                {
                    "tilejson": "3.0.0", "name": "Streets",
                    "tiles": [f"{base}/{folder}/{{z}}/{{x}}/{{y}}.png"],
                    "minzoom": 2, "maxzoom": 6, "bounds": [5, 45, 11, 48],
                }
            )
        if parts[0] in ("t", "r") or parts[:2] == ["locked", "t"]:
            return self.tile(parts[-3:], deepest=6 if parts[0] != "r" else 4)
        if parts[0] == "wmts":
            return self.wmts(parts, low, base)
        if parts[0] in ("wms11", "wms13"):
            return self.wms("1.3.0" if parts[0] == "wms13" else "1.1.1", low, base)
        if url.path.startswith("/rest/services/A/MapServer"):
            return self.arcgis(parts, query)
        return self.document(url.path, base)

    def document(self, path, base):
        if path == "/style.json":
            here = f"{base}/r/{{z}}/{{x}}/{{y}}.png"
            return self.json(
                {
                    "version": 8, "name": "Map",
                    "sources": {
                        "streets": {"type": "raster", "url": f"{base}/tiles.json"},
                        "relief.hill": {
                            "type": "raster", "tiles": [here], "tileSize": 256, "maxzoom": 4,
                        },
                        "elsewhere": {
                            "type": "raster",
                            "tiles": ["https://third.example.org/{z}/{x}/{y}.png"],
                        },
                    },
                    "layers": [
                        {"id": name, "type": "raster", "source": name}
                        for name in ("streets", "relief.hill", "elsewhere")
                    ],
                }
            )
        if path == "/moved.json":
            return self.answer(302, "text/plain", b"", [("Location", "/tiles.json")])
        if path == "/away.json":
            away = [("Location", "http://third.example.org/tiles.json")]
            return self.answer(302, "text/plain", b"", away)
        if path == "/other.json":
            return self.json(
                {"tilejson": "2.2.0", "tiles": ["https://tiles.example.org/{z}/{x}/{y}.png"]}
            )
        if path == "/date.json":
            return self.json(
                {
                    "tilejson": "2.2.0", "tiles": [f"{base}/t/{{z}}/{{x}}/{{y}}.png"],
                    "minzoom": 3, "maxzoom": 5, "bounds": [170, -20, -170, 20],
                }
            )
        if path == "/far.json":
            return self.json(
                {
                    "tilejson": "2.2.0", "tiles": [f"{base}/t/{{z}}/{{x}}/{{y}}.png"],
                    "minzoom": 0, "maxzoom": 99,
                }
            )
        if path == "/deep.json":
            return self.answer(200, "application/json", b'{"tilejson":' * 100000)
        if path == "/bomb.xml":
            return self.xml(
                '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">'
                + "".join(
                    f'<!ENTITY {chr(98 + n)} "{("&" + chr(97 + n) + ";") * 10}">'
                    for n in range(9)
                )
                + "]><Capabilities>&j;</Capabilities>"
            )
        if path == "/huge.json":
            return self.huge()
        return self.refuse("there is no such document", 404)

    def huge(self):
        """Up to 100 MB, as long as somebody reads."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(100 << 20))
        self.end_headers()
        try:
            self.wfile.write(b'{"tilejson": "3.0.0", "tiles": ["')
            for _ in range(100):
                self.wfile.write(b"a" * (1 << 20))
        except OSError:
            self.close_connection = True

    def tile(self, numbers, deepest):
        try:
            z, x, y = (int(text.removesuffix(".png")) for text in numbers)
        except ValueError:
            return self.refuse("no tile")
        if not (0 <= z <= deepest and 0 <= x < 2**z and 0 <= y < 2**z):
            return self.refuse("no such tile")
        return self.answer(200, "image/png", PNG)

    def wmts(self, parts, low, base):
        kind = parts[1]
        if low.get("request") == "GetCapabilities" or (len(parts) == 2 and not low):
            return self.xml(wmts(base, kind == "degrees", rest=kind != "kvp"))
        if kind == "kvp":
            wanted = {
                "service": "WMTS", "request": "GetTile", "version": "1.0.0", "layer": "roads",
                "style": "day", "tilematrixset": "grid", "format": "image/png",
            }
            if any(low.get(name) != value for name, value in wanted.items()):
                return self.refuse("not asked as a WMTS is")
            matrix, row, column = low["tilematrix"], low["tilerow"], low["tilecol"]
        else:
            if len(parts) != 7 or parts[2:4] != ["day", "grid"]:
                return self.refuse("no such path")
            matrix, row, column = parts[4:]
        matrix = urllib.parse.unquote(matrix)
        if not matrix.startswith("m:"):
            return self.refuse("no such matrix")
        level, row, column = int(matrix[2:]), int(row), int(column.removesuffix(".png"))
        width = 2 ** (level + 1) if kind == "degrees" else 2**level
        if not (0 <= level < 6 and 0 <= row < 2**level and 0 <= column < width):
            return self.refuse("TileOutOfRange")
        return self.answer(200, "image/png", PNG)

    def wms(self, version, low, base):
        if low.get("request") == "GetCapabilities":
            return self.xml(wms(base, version))
        crs = low.get("crs" if version == "1.3.0" else "srs")
        if (
            low.get("request") != "GetMap" or low.get("version") != version
            or low.get("layers") != "relief" or "styles" not in low or crs is None
            or low.get("width") != "256" or low.get("height") != "256"
        ):
            return self.refuse("not asked as a WMS is")
        box = [float(number) for number in low["bbox"].split(",")]
        if crs == "EPSG:4326":
            # Latitude first in 1.3.0, longitude first in 1.1.1; the world's box tells them apart.
            south, west, north, east = box if version == "1.3.0" else (box[i] for i in (1, 0, 3, 2))
            # The target's bounds are Switzerland: 5 to 11 east, 45 to 48 north.
            fits = west < 11 and east > 5 and south < 48 and north > 45 and west < east
            fits = fits and south < north and -90 <= south and north <= 90
        else:
            fits = box[0] < box[2] and box[1] < box[3] and box[0] < 1.3e6 and box[2] > 5e5
        return self.answer(200, "image/png", PNG) if fits else self.refuse(f"wrong box {box}")

    def arcgis(self, parts, query):
        if len(parts) == 4:
            if query.get("f") != "json":
                return self.answer(200, "text/html", b"<html>a page</html>")
            extent = {"xmin": 5e5, "ymin": 5.5e6, "xmax": 1.3e6, "ymax": 6.2e6}
            extent["spatialReference"] = {"wkid": 102100, "latestWkid": 3857}
            return self.json(
                {
                    "currentVersion": 10.9, "mapName": "Layers", "singleFusedMapCache": True,
                    "capabilities": "Map,Tilemap", "fullExtent": extent, "initialExtent": extent,
                    "spatialReference": {"wkid": 102100, "latestWkid": 3857},
                    "tileInfo": {
                        "rows": 256, "cols": 256, "format": "PNG",
                        "origin": {"x": -20037508.342787, "y": 20037508.342787},
                        "spatialReference": {"wkid": 102100, "latestWkid": 3857},
                        "lods": [
                            {
                                "level": level, "resolution": 156543.033928 / 2**level,
                                "scale": 591657527.591555 / 2**level,
                            }
                            for level in range(7)
                        ],
                    },
                }
            )
        z, row, column = parts[-3:]
        # Switzerland lies in the second quarter of rows and beyond the middle of columns.
        if int(z) > 2 and not int(row) < int(column):
            return self.refuse("row and column are exchanged")
        return self.tile([z, column, row], deepest=6)


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(f"port {server.server_port}", flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    # The test closes stdin when it has ended, however it ended.
    sys.stdin.read()
    os._exit(0)
