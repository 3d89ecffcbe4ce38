#!/usr/bin/env python3
"""Tiles that take their time, and a record of who asked for which and stayed for it, for tests.

    GET /t/<path>        a tile; after the delay, if its number is a multiple of --every
    GET /record          JSON: every request for a tile in the order of their arrival, as
                         [connection, path, "answered"|"left"|"open"], and how many connections were
                         open at once

Prints `port N` once it is bound; ends when its standard input does. One thread, so that counts need
no lock; connections are kept alive, and a client that goes away is seen at once.
"""

import argparse
import asyncio
import json
import sys

BODY = b"a tile, more or less"


class Server:
    def __init__(self, delay_s, every):
        self.delay_s = delay_s
        self.every = every
        self.requests = []
        self.connections = 0
        self.open = self.open_max = 0

    async def serve(self, reader, writer):
        self.connections += 1
        number = self.connections
        self.open += 1
        self.open_max = max(self.open_max, self.open)
        try:
            while await self.exchange(number, reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.open -= 1
            writer.close()

    async def exchange(self, number, reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        path = head.split(b" ")[1].decode()
        if path == "/record":
            record = {"requests": self.requests, "open_max": self.open_max}
            self.write(writer, json.dumps(record).encode(), "application/json")
            await writer.drain()
            return False
        entry = [number, path, "open"]
        self.requests.append(entry)
        # Nobody sends two requests at once here: what comes before the answer is the end.
        gone = asyncio.ensure_future(reader.read(1))
        delay_s = self.delay_s if len(self.requests) % self.every == 0 else 0
        done, _ = await asyncio.wait({gone}, timeout=delay_s)
        if done:
            entry[2] = "left"
            return False
        gone.cancel()
        try:
            await gone
        except asyncio.CancelledError:
            pass
        entry[2] = "answered"
        self.write(writer, BODY, "image/png")
        await writer.drain()
        return True

    @staticmethod
    def write(writer, body, kind):
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n"
            b"Cache-Control: max-age=3600\r\n\r\n%s" % (kind.encode(), len(body), body)
        )


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--delay-ms", type=float, default=0)
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    state = Server(options.delay_ms / 1000, options.every)
    server = await asyncio.start_server(state.serve, "127.0.0.1", 0, backlog=4096)
    print("port", server.sockets[0].getsockname()[1], flush=True)
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main())
