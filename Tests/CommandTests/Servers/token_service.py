#!/usr/bin/env python3
"""A token endpoint and the check behind nginx's auth_request, for tests.

    GET|POST /token      {"token": ..., "expires_in": ...}, or what the mode says
    GET|POST /revoke     every token issued until now is dead
    GET /auth            204 for a live token, else 401: in Authorization (with Bearer or without),
                         the query value `token` of X-Original-URI, or the cookie `token`
    GET /counters        what happened, as JSON
    GET|POST /mode?name=NAME[&count=N]   how /token answers, for N requests or until told otherwise
    and the endpoints of token_kinds.py, which /mode does not touch

Prints `port N` once it is bound; ends when its standard input does, so that it never outlives the
test that started it. Keeps connections alive and runs in one thread: auth_request asks it for every
tile, and counts need no lock.
"""

import argparse
import asyncio
import json
import secrets
import sys
import time
import urllib.parse

import token_kinds

MODES = "ok 500 html empty hang malformed same dead no_token slow close 429 invalid_grant".split()
SLOW_S = 0.8
REASONS = {200: "OK", 204: "No Content", 400: "Bad Request", 401: "Unauthorized"}
REASONS |= {404: "Not Found", 429: "Too Many Requests", 500: "Internal Server Error"}


class Service:
    def __init__(self, options):
        self.options = options
        self.expiry = {}  # live token -> monotonic time of its end
        self.newest = None
        self.mode, self.mode_left = "ok", None
        self.concurrent = 0
        self.counters = dict.fromkeys(
            "token_requests issued concurrent_max revocations auth_ok auth_refused".split(), 0
        )
        self.kinds = token_kinds.Kinds(self)

    # Each answers (status, content type, body, extra headers), or None to close the connection.

    async def answer(self, method, target, headers, body):
        url = urllib.parse.urlsplit(target)
        query = dict(urllib.parse.parse_qsl(url.query))
        answer = await self.kinds.answer(method, url.path, query, headers, body)
        if answer is not None:
            return answer
        if url.path == "/auth":
            return self.auth(headers)
        if url.path == "/token":
            return await self.token()
        if url.path == "/revoke":
            self.counters["revocations"] += 1
            revoked = len(self.expiry)
            self.expiry.clear()
            return as_json({"revoked": revoked})
        if url.path == "/counters":
            return as_json(self.counters)
        if url.path == "/mode":
            return self.set_mode(query)
        return 404, "text/plain", b"no such path\n", {}

    def set_mode(self, query):
        if query.get("name") not in MODES:
            return 400, "text/plain", f"modes: {' '.join(MODES)}\n".encode(), {}
        self.mode = query["name"]
        self.mode_left = int(query["count"]) if "count" in query else None
        return as_json({"mode": self.mode})

    def auth(self, headers):
        token = token_of(headers) or self.kinds.token_of(query_of(headers))
        if token in self.expiry and time.monotonic() < self.expiry[token]:
            self.counters["auth_ok"] += 1
            return 204, None, b"", {}
        self.counters["auth_refused"] += 1
        return 401, "text/plain", b"the token is missing, unknown or dead\n", {}

    async def token(self):
        mode = self.next_mode()
        delay_s = {"slow": SLOW_S, "hang": 3600}.get(mode, 0)
        return await self.counted(lambda: self.token_answer(mode), delay_s)

    async def counted(self, answer, delay_s=0):
        self.counters["token_requests"] += 1
        self.concurrent += 1
        self.counters["concurrent_max"] = max(self.counters["concurrent_max"], self.concurrent)
        try:
            await asyncio.sleep(self.options.delay_ms / 1000 + delay_s)
            return answer()
        finally:
            self.concurrent -= 1

    def next_mode(self):
        mode = self.mode
        if self.mode_left is not None:
            self.mode_left -= 1
            if self.mode_left <= 0:
                self.mode, self.mode_left = "ok", None
        return mode

    def token_answer(self, mode):
        if mode == "close":
            return None
        if mode == "500":
            return 500, "text/plain", b"something broke\n", {}
        if mode == "429":
            return 429, "text/plain", b"too many\n", {"Retry-After": "1"}
        if mode == "invalid_grant":
            return as_json({"error": "invalid_grant"}, status=400)
        if mode == "html":
            return 200, "text/html", b"<!DOCTYPE html><title>Sign in</title>", {}
        if mode == "empty":
            return 200, "application/json", b"", {}
        if mode == "malformed":
            return 200, "application/json", b'{"token": "abc', {}
        if mode == "no_token":
            return as_json({"expires_in": 60})
        if mode == "same" and self.newest:
            return self.issued(self.newest)
        token = self.new_token()
        if mode == "dead":
            del self.expiry[token]
        return self.issued(token)

    def new_token(self):
        self.newest = f"t{self.counters['issued']}-{secrets.token_urlsafe(18)}"
        self.counters["issued"] += 1
        self.expiry[self.newest] = time.monotonic() + (self.options.ttl or float("inf"))
        return self.newest

    def rename(self, token, text):
        """The token goes by another text, which was made of it."""
        self.expiry[text] = self.expiry.pop(token)
        self.newest = text

    def issued(self, token):
        document = {"token": token}
        told = self.options.advertise if self.options.advertise is not None else self.options.ttl
        if told is not None:
            document["expires_in"] = told
        return as_json(document)

    async def connection(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                method, target, version = head[0].split(" ")
                headers = {}
                for line in head[1:-2]:
                    name, _, value = line.partition(":")
                    headers[name.lower()] = value.strip()
                body = await reader.readexactly(int(headers.get("content-length") or 0))
                answer = await self.answer(method, target, headers, body.decode())
                if answer is None:
                    break
                keep = version == "HTTP/1.1" and headers.get("connection", "").lower() != "close"
                writer.write(encoded(*answer, keep=keep, method=method))
                await writer.drain()
                if not keep:
                    break
        except (asyncio.IncompleteReadError, ConnectionError, ValueError):
            pass  # The client went away, or does not speak HTTP: nothing to answer.
        finally:
            writer.close()


def token_of(headers):
    if "authorization" in headers:
        return headers["authorization"].removeprefix("Bearer ")
    query = query_of(headers)
    if "token" in query:
        return query["token"]
    for cookie in headers.get("cookie", "").split(";"):
        name, _, value = cookie.strip().partition("=")
        if name == "token":
            return value
    return None


def query_of(headers):
    query = urllib.parse.urlsplit(headers.get("x-original-uri", "")).query
    # The first of two wins, as in most servers.
    return dict(reversed(urllib.parse.parse_qsl(query)))


def as_json(document, status=200):
    return status, "application/json", json.dumps(document).encode(), {}


def encoded(status, content_type, body, extra, keep, method):
    lines = [f"HTTP/1.1 {status} {REASONS[status]}"]
    if status != 204:
        lines += [f"Content-Type: {content_type}", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in extra.items()]
    lines += ["Cache-Control: no-store", "Connection: " + ("keep-alive" if keep else "close")]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (b"" if method == "HEAD" else body)


async def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--ttl", type=float, help="seconds a token lives; until revoked without")
    parser.add_argument("--advertise", type=float, help="what expires_in says, true or not")
    parser.add_argument("--delay-ms", type=float, default=0, help="of every answer of /token")
    service = Service(parser.parse_args())
    server = await asyncio.start_server(
        service.connection, "127.0.0.1", service.options.port, backlog=4096
    )
    print("port", server.sockets[0].getsockname()[1], flush=True)
    stopped = asyncio.Event()

    def read_input():
        if not sys.stdin.buffer.read1(4096):
            stopped.set()

    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), read_input)
    await stopped.wait()


asyncio.run(main())
