#!/usr/bin/env python3
"""Tiles and tokens from one server that keeps its own ledger: what a client's report must equal.

    GET /token?cell=NAME                the next answer of --renewals; each cell has its own tokens
    GET /Z/X/Y.png?access_token=TOKEN   a tile, or a refusal in the shape of --refuse
    POST /revoke?cell=NAME              ends the tokens of that cell, or of all
    GET /ledger                         the ledger as JSON; is in no count itself

It knows nothing of the client but what HTTP/1.1 without pipelining proves: a request cannot have
been sent before the previous answer on its connection was written. So a request with an old token
is *certainly* stale when a newer token had been used before that answer was written, and it
certainly carries a token known dead when the request for the next token had arrived before it.

Prints `port N` once it is bound; ends when its standard input does. One thread: counts need no
lock, and things happen in the order in which they are written down.
"""

import argparse
import asyncio
import collections
import gzip
import json
import random
import secrets
import sys
import time
import urllib.parse

RENEWALS = "ok 500 401 429 grant close hang malformed truncated html empty no-token slow dead same"
TILES = (
    "good forbidden-half refused-half refused-b refused-or-never mixed never-half never never-first"
    " half-body close redirect mvt"
)
SHAPES = ["401", "403", "498", "499", "498-in-200", "401-cut"]
SLOW_S = 0.8

PNG = b"\x89PNG\r\n\x1a\n"
# One layer "a" of version 2 with one point, as protobuf.
MVT = bytes.fromhex("1a11 0a0161 1207 1801 2203 090000 288020 7802")


class Cell:
    """The tokens of one audience, and how its tiles fare."""

    def __init__(self):
        self.newest = None
        # A refusal that may be taken for the end of the newest token.
        self.may_renew = True
        self.renewals_open = 0
        self.tiles = 0
        self.last_tile = None
        self.gap_max = 0.0

    def served(self):
        now = time.monotonic()
        self.tiles += 1
        if self.last_tile is not None:
            self.gap_max = max(self.gap_max, now - self.last_tile)
        self.last_tile = now


class Token:
    def __init__(self, number, padding, cell):
        self.number = number
        self.cell = cell
        self.text = f"g{number}-{secrets.token_urlsafe(12)}" + "%" * padding
        self.born = time.monotonic()
        self.is_dead = False
        self.was_born_dead = False
        self.first_use = None
        self.tiles = 0
        self.good = 0
        self.refusals = 0
        # When the request for its successor arrived, if it had been refused or was dead by then.
        self.replacing_since = None


class Oracle:
    def __init__(self, options):
        self.options = options
        self.script = collections.deque(options.renewals)
        self.tokens = {}
        self.cells = collections.defaultdict(Cell)
        self.first_tile = None
        self.answered = collections.Counter()
        self.counts = dict.fromkeys(
            "tiles refused late_refused attempted issued concurrent needless revocations "
            "stale_certain known_dead_certain".split(),
            0,
        )

    def ledger(self):
        tokens = self.tokens.values()
        return self.counts | {
            "answered": self.answered,
            "never_used": sum(token.first_use is None for token in tokens),
            "storm_max": max((token.refusals for token in tokens), default=0),
            "expired": sum(token.refusals > 0 for token in tokens),
            "dead_refused": sum(token.refusals for token in tokens if token.was_born_dead),
            "cells": {
                name: {"tiles": cell.tiles, "gap_max_s": cell.gap_max}
                for name, cell in self.cells.items()
            },
        }

    # Tokens

    def is_alive(self, token):
        if token is None or token.is_dead:
            return False
        ttl = self.options.ttl
        return not ttl or time.monotonic() - token.born < ttl

    def revoke(self, cell=None):
        self.counts["revocations"] += 1
        for token in self.tokens.values():
            if cell is None or token.cell is cell:
                token.is_dead = True

    async def hook(self, query, writer):
        """What a client may call to end tokens: badly, if it asks for that."""
        if "hang" in query:
            await asyncio.sleep(3600)
        status = int(query.get("status", 200))
        if status < 300:
            self.revoke(self.cells[query["cell"]] if "cell" in query else None)
        writer.write(encoded(status, b""))

    async def renewal(self, name, reader, writer):
        """Answers one request for a token; False closes the connection."""
        cell = self.cells[name]
        self.counts["attempted"] += 1
        if cell.renewals_open:
            self.counts["concurrent"] += 1
        if self.is_alive(cell.newest) and not cell.may_renew:
            self.counts["needless"] += 1
        is_ended = cell.may_renew or not self.is_alive(cell.newest)
        if cell.newest and is_ended and cell.newest.replacing_since is None:
            cell.newest.replacing_since = time.monotonic()
        kind = self.script.popleft() if len(self.script) > 1 else self.script[0]
        cell.renewals_open += 1
        try:
            is_slow = kind == "slow" or name == self.options.slow_cell
            await asyncio.sleep(SLOW_S if is_slow else self.options.renewal_ms / 1000)
            if kind == "hang":
                await reader.read(1)  # Until the client gives up.
        finally:
            cell.renewals_open -= 1
        if kind in ("close", "hang"):
            return False
        writer.write(self.renewal_answer(kind, cell))
        return kind != "truncated"

    def renewal_answer(self, kind, cell):
        if kind in ("500", "401"):
            return encoded(int(kind), b"")
        if kind == "429":
            return encoded(429, b"", "Retry-After: 1\r\n")
        if kind == "grant":
            return encoded(400, b'{"error": "invalid_grant"}', JSON)
        if kind == "html":
            return encoded(200, b"<!DOCTYPE html><title>Sign in</title>", HTML)
        if kind == "empty":
            return encoded(200, b"", JSON)
        if kind == "malformed":
            return encoded(200, b'{"token": "abc', JSON)
        if kind == "truncated":
            return encoded(200, b'{"token": "abc"}', JSON)[:-4]
        if kind == "no-token":
            return encoded(200, b'{"expires_in": 60}', JSON)
        if kind != "same" or cell.newest is None:
            self.issue(cell, is_dead=kind == "dead")
        document = {"token": cell.newest.text}
        if self.options.advertise is not None:
            document["expires_in"] = self.options.advertise
        return encoded(200, json.dumps(document).encode(), JSON)

    def issue(self, cell, is_dead):
        if self.options.issue_revokes:
            for token in self.tokens.values():
                if token.cell is cell:
                    token.is_dead = True
        self.counts["issued"] += 1
        token = Token(self.counts["issued"], self.options.padding, cell)
        token.is_dead = token.was_born_dead = is_dead
        self.tokens[token.text] = cell.newest = token
        cell.may_renew = False

    # Tiles

    async def tile(self, target, previous_answer, writer):
        """Answers one request for a tile; False closes the connection."""
        path, _, query = target.partition("?")
        text = urllib.parse.unquote(query.partition("access_token=")[2].partition("&")[0])
        token = self.tokens.get(text)
        self.arrived(token, previous_answer)
        if self.options.tile_ms:
            await asyncio.sleep(self.options.tile_ms / 1000)
        if token:
            token.tiles += 1
            token.cell.served()
        kind = self.options.tiles
        x, y = (int(part.partition(".")[0]) for part in path.split("/")[-2:])
        is_odd = (x + y) % 2 == 1
        if kind == "redirect" and not path.startswith("/moved/"):
            await self.answer(writer, 302, b"", f"Location: /moved{target}\r\n")
            return True
        is_good = self.is_alive(token) or not self.options.renewals
        is_b = kind == "refused-b" and path.startswith("/b/")
        is_refused = kind in ("refused-half", "refused-or-never") and is_odd
        if not is_good or is_b or is_refused:
            await self.refuse(token, writer)
            return True
        hangs = {
            "never": True,
            "never-half": is_odd,
            "never-first": token and token.tiles == 1,
            # Two good answers before, so that the run is a measurement.
            "refused-or-never": token and (token.number > 1 or token.good >= 2),
        }
        if hangs.get(kind):
            await asyncio.sleep(3600)
        if token:
            token.good += 1
        if kind == "half-body":
            writer.write(encoded(200, PNG * 8)[:-8])
            self.answered[200] += 1
            await asyncio.sleep(3600)
        if kind == "forbidden-half" and is_odd:
            await self.answer(writer, 403, b"")
        elif kind == "mixed":
            await self.answer(writer, [200, 404, 500, 204][(x + y) % 4], b"")
        elif kind == "mvt":
            await self.answer(writer, 200, gzip.compress(MVT), MVT_HEADERS)
        else:
            closes = "Connection: close\r\n" if kind == "close" else ""
            await self.answer(writer, 200, PNG, "Content-Type: image/png\r\n" + closes)
        return kind != "close"

    def arrived(self, token, previous_answer):
        now = time.monotonic()
        self.counts["tiles"] += 1
        if self.first_tile is None:
            self.first_tile = now
            for delay in self.options.revoke_at:
                asyncio.get_running_loop().call_later(delay, self.revoke)
        if token is None:
            return
        token.first_use = token.first_use or now
        if previous_answer is None:
            return
        newer = [
            other.first_use
            for other in self.tokens.values()
            if other.number > token.number and other.cell is token.cell
        ]
        if any(use is not None and use < previous_answer for use in newer):
            self.counts["stale_certain"] += 1
        elif token.replacing_since is not None and token.replacing_since < previous_answer:
            self.counts["known_dead_certain"] += 1

    async def refuse(self, token, writer):
        low, high = self.options.late
        if high:
            await asyncio.sleep(random.uniform(low, high) / 1000)
        self.counts["refused"] += 1
        if token:
            token.refusals += 1
        if token and token is not token.cell.newest:
            self.counts["late_refused"] += 1
        elif token:
            token.cell.may_renew = True
        else:
            # Whose it was nobody knows.
            for cell in self.cells.values():
                cell.may_renew = True
        if self.options.refuse == "498-in-200":
            await self.answer(writer, 200, b'{"error": {"code": 498}}', JSON)
        elif self.options.refuse == "401-cut":
            self.answered[401] += 1
            writer.write(encoded(401, b"x" * 1000)[:-997])
            await writer.drain()
            raise ConnectionAbortedError("the rest of the body never comes")
        else:
            await self.answer(writer, int(self.options.refuse), b"")

    async def answer(self, writer, status, body, headers=""):
        self.answered[status] += 1
        writer.write(encoded(status, body, headers))
        await writer.drain()

    async def connection(self, reader, writer):
        previous_answer = None
        keeps = True
        try:
            while keeps:
                head = await reader.readuntil(b"\r\n\r\n")
                target = head.split(b" ", 2)[1].decode("latin-1")
                if target == "/ledger":
                    writer.write(encoded(200, json.dumps(self.ledger()).encode(), JSON))
                    break
                path, _, query = target.partition("?")
                query = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
                if path == "/revoke":
                    await self.hook(query, writer)
                elif path == "/token":
                    keeps = await self.renewal(query.get("cell", ""), reader, writer)
                else:
                    keeps = await self.tile(target, previous_answer, writer)
                previous_answer = time.monotonic()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # The client went away.
        finally:
            writer.close()


JSON = "Content-Type: application/json\r\n"
HTML = "Content-Type: text/html\r\n"
MVT_HEADERS = "Content-Type: application/vnd.mapbox-vector-tile\r\nContent-Encoding: gzip\r\n"


def encoded(status, body, headers=""):
    length = "" if status == 204 else f"Content-Length: {len(body)}\r\n"
    return f"HTTP/1.1 {status} Said\r\n{headers}{length}\r\n".encode() + body


def one_of(words):
    def parse(text):
        for word in text.split(","):
            if word not in words.split():
                raise argparse.ArgumentTypeError(f"{word} is none of: {words}")
        return text.split(",")

    return parse


def numbers(separator):
    return lambda text: [float(part) for part in text.split(separator)]


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("--renewals", type=one_of(RENEWALS), default=["ok"], help="in turn; the last for ever")
    add("--slow-cell", help="the cell whose tokens take long")
    add("--renewal-ms", type=float, default=30, help="how long the token endpoint takes")
    add("--revoke-at", type=numbers(","), default=[], help="seconds after the first tile")
    add("--ttl", type=float, help="seconds a token lives; until revoked without")
    add("--advertise", type=float, help="what expires_in says, true or not")
    add("--issue-revokes", action="store_true", help="a new token ends all older ones")
    add("--refuse", choices=SHAPES, default="401")
    add("--late", type=numbers("-"), default=[0, 0], help="LOW-HIGH ms that refusals are late")
    add("--tiles", choices=TILES.split(), default="good")
    add("--tile-ms", type=float, default=0)
    add("--padding", type=int, default=0, help="per cent signs at the end of each token")
    add("--open", action="store_const", const=[], dest="renewals", help="tiles need no token")
    return parser.parse_args()


async def main():
    oracle = Oracle(parse_options())
    server = await asyncio.start_server(
        oracle.connection, "127.0.0.1", 0, backlog=4096, limit=1 << 20
    )
    print("port", server.sockets[0].getsockname()[1], flush=True)
    stopped = asyncio.Event()

    def read_input():
        if not sys.stdin.buffer.read1(4096):
            stopped.set()

    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), read_input)
    await stopped.wait()


asyncio.run(main())
