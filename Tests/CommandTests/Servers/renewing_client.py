#!/usr/bin/env python3
"""A map app with a token renewal that is wrong in one way, or right: what a referee must tell.

    renewing_client.py MODE PORT SECONDS [CELL]

    naive       every refused request renews for itself
    lock-only   one renewal at a time, and none skipped
    flight-only refused requests join a renewal under way, and start one when there is none
    deaf        never renews: sends the dead token again and again
    single      compares the refused token with the one in hand, under a lock

Eight threads, each with a connection of its own, ask for tiles until the time is over.
"""

import http.client
import json
import sys
import threading
import time

MODE, PORT, SECONDS = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
TOKEN_PATH = "/token" + (f"?cell={sys.argv[4]}" if len(sys.argv) > 4 else "")
THREADS = 8


class Renewer:
    def __init__(self):
        self.lock = threading.Lock()
        self.flight_over = None
        self.token = self.fetch()

    def fetch(self):
        connection = http.client.HTTPConnection("127.0.0.1", PORT)
        connection.request("GET", TOKEN_PATH)
        token = json.load(connection.getresponse())["token"]
        connection.close()
        return token

    def refused(self, token):
        if MODE == "naive":
            self.token = self.fetch()
        elif MODE == "lock-only":
            with self.lock:
                self.token = self.fetch()
        elif MODE == "flight-only":
            self.fly()
        elif MODE == "single":
            with self.lock:
                if token == self.token:
                    self.token = self.fetch()

    def fly(self):
        with self.lock:
            flight_over = self.flight_over
            if flight_over is None:
                self.flight_over = threading.Event()
        if flight_over is not None:
            flight_over.wait()
            return
        self.token = self.fetch()
        with self.lock:
            self.flight_over.set()
            self.flight_over = None


def ask(renewer, number, end):
    connection = http.client.HTTPConnection("127.0.0.1", PORT)
    x = 0
    while time.monotonic() < end:
        token = renewer.token
        connection.request("GET", f"/9/{x % 512}/{number}.png?access_token={token}")
        answer = connection.getresponse()
        answer.read()
        if answer.status == 401:
            renewer.refused(token)
        else:
            x += 1
        time.sleep(0.002)


def main():
    renewer = Renewer()
    end = time.monotonic() + SECONDS
    threads = [
        threading.Thread(target=ask, args=(renewer, number, end)) for number in range(THREADS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
