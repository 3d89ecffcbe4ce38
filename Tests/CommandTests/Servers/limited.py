#!/usr/bin/env python3
"""A tile server with a limit that no clock decides: of each run it answers so many requests, the
others with 429. GET /Z/X/Y.png?run=NAME is a request of the run NAME; at a fixed rate and for a
fixed time the limit stands for a number of requests per second.

    limited.py LIMIT [REFUSED [DELAY]]   REFUSED: the number of one run that is refused as a whole,
                                         0 none; DELAY: seconds that each answer takes

    GET /ledger     the numbers of requests of the runs, in their order

Prints `port N` once it is bound; ends when its standard input does.
"""

import asyncio
import json
import sys

LIMIT = int(sys.argv[1])
REFUSED = int(sys.argv[2]) if len(sys.argv) > 2 else 0
DELAY = float(sys.argv[3]) if len(sys.argv) > 3 else 0
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 60
runs = {}


def framed(status, body):
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n" % (status, len(body)) + body


def answer(path):
    run = path.partition("?run=")[2]
    runs[run] = runs.get(run, 0) + 1
    is_refused = list(runs).index(run) + 1 == REFUSED
    if is_refused or runs[run] > LIMIT:
        return framed(b"429 Too Many Requests", b"")
    return framed(b"200 OK", PNG)


async def serve(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ")[1].decode()
            if path == "/ledger":
                writer.write(framed(b"200 OK", json.dumps(list(runs.values())).encode()))
                break
            await asyncio.sleep(DELAY)
            writer.write(answer(path))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=1000)
    print("port", server.sockets[0].getsockname()[1], flush=True)
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, sys.stdin.buffer.read)


asyncio.run(main())
