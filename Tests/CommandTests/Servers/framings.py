#!/usr/bin/env python3
"""Every framing of an HTTP/1.1 answer, legal and illegal: GET /Z/X/Y.png is answered by framing X.

    GET /framings   their names, in order
    GET /ledger     how many requests each had, and how many connections there were

Prints `port N` once it is bound; ends when its standard input does.
"""

import asyncio
import gzip
import json
import sys
import zlib

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 60
BIG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 2000
OK = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n"


def length(body, head=OK, more=b""):
    return head + more + b"Content-Length: %d\r\n\r\n" % len(body) + body


def chunks(body, size, extension=b"", trailers=b""):
    parts = [body[i : i + size] for i in range(0, len(body), size)]
    lines = b"".join(b"%x%s\r\n%s\r\n" % (len(p), extension, p) for p in parts)
    return OK + b"Transfer-Encoding: chunked\r\n\r\n" + lines + b"0\r\n" + trailers + b"\r\n"


# name: (bytes, whether the connection is closed behind them, seconds between two parts of them).
FRAMINGS = {
    "length": (length(PNG), False, None),
    "length, a large body": (length(BIG), False, None),
    "length, byte by byte": (length(PNG), False, 0.0),
    "empty body": (length(b""), False, None),
    "chunks": (chunks(PNG, 7), False, None),
    "chunks of a large body": (chunks(BIG, 5000), False, None),
    "chunks, byte by byte": (chunks(PNG, 7), False, 0.0),
    "chunks with extensions and trailers": (chunks(PNG, 30, b";a=b", b"X-T: 1\r\n"), False, None),
    "until close": (OK + b"\r\n" + PNG, True, None),
    "until close, a large body": (OK + b"\r\n" + BIG, True, None),
    "closed though kept": (length(PNG), True, None),
    "said to be closed": (length(PNG, more=b"Connection: close\r\n"), True, None),
    "said to be closed, and left open": (length(PNG, more=b"Connection: close\r\n"), False, None),
    "HTTP/1.0": (length(PNG, OK.replace(b"1.1", b"1.0")), True, None),
    "HTTP/1.0, kept": (
        length(PNG, OK.replace(b"1.1", b"1.0"), b"Connection: keep-alive\r\n"),
        False,
        None,
    ),
    "bare line feeds": (length(PNG).replace(b"\r\n", b"\n").replace(b"PNG\n\x1a", b"PNG\r\n\x1a"), False, None),
    "interim answers": (b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + length(PNG), False, None),
    "204": (b"HTTP/1.1 204 No Content\r\n\r\n", False, None),
    "304": (b"HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n", False, None),
    "404": (length(b"none", b"HTTP/1.1 404 Not Found\r\n"), False, None),
    "500 and close": (length(b"oops", b"HTTP/1.1 500 No\r\n"), True, None),
    "a folded header": (length(PNG, more=b"X-Folded: a\r\n b\r\n"), False, None),
    "a head of 64 kB": (length(PNG, more=b"".join(b"X-%d: %s\r\n" % (i, b"a" * 1000) for i in range(63))), False, None),
    "more than was said": (length(PNG) + b"more", False, None),
    "gzip": (length(gzip.compress(PNG), more=b"Content-Encoding: gzip\r\n"), False, None),
    "deflate": (length(zlib.compress(PNG), more=b"Content-Encoding: deflate\r\n"), False, None),
    "gzip of a large body": (length(gzip.compress(BIG), more=b"Content-Encoding: gzip\r\n"), False, None),
    "no gzip after all": (length(PNG, more=b"Content-Encoding: gzip\r\n"), True, None),
    "nothing": (b"", True, None),
    "cut off in the body": (length(PNG)[:-10], True, None),
    "cut off in a chunk": (chunks(PNG, 30)[:-30], True, None),
    "cut off between chunks": (chunks(PNG, 30)[:-5], True, None),
    "no HTTP": (b"SSH-2.0-OpenSSH_9.2\r\n", True, None),
    "no number": (OK + b"Content-Length: four\r\n\r\n" + PNG, True, None),
    "no chunk": (OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n" + PNG, True, None),
    "a header without a colon": (OK + b"Nonsense\r\nContent-Length: 0\r\n\r\n", True, None),
    "never": (None, False, None),
    "half a body, then nothing": (length(PNG)[:-10], False, None),
}
NAMES = list(FRAMINGS)
asked = dict.fromkeys(NAMES, 0)
connections = 0


async def answer(path, writer):
    """False: the connection is to be closed."""
    global connections
    if path in ("/framings", "/ledger"):
        ledger = {"asked": asked, "connections": connections}
        body = json.dumps(NAMES if path == "/framings" else ledger).encode()
        writer.write(length(body) if path == "/framings" else length(body))
        return False
    name = NAMES[int(path.split("/")[2])]
    asked[name] += 1
    content, is_closed, pause = FRAMINGS[name]
    if content is None:
        return True
    if pause is None:
        writer.write(content)
    else:
        for byte in content:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(pause)
    await writer.drain()
    return not is_closed


async def serve(reader, writer):
    global connections
    is_first = True
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ")[1].decode()
            if is_first and path not in ("/framings", "/ledger"):
                connections += 1
            is_first = False
            if not await answer(path, writer):
                break
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print("port", server.sockets[0].getsockname()[1], flush=True)
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, sys.stdin.buffer.read)


asyncio.run(main())
