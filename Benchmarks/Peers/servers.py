"""The servers that are asked: TileOrigin (`tilebench serve`) and nginx with the same tiles as
files, each on one core with one thread."""

import http.client
import os
import signal
import socket
import time

import machine

ZOOMS = range(0, 6)


def tile_paths():
    """Every tile of the zooms, as the path of a URL below the server's address."""
    return [f"{z}/{x}/{y}.png" for z in ZOOMS for x in range(1 << z) for y in range(1 << z)]


class Server:
    """One that runs; `url` is where the tiles begin."""

    def __init__(self, name, process, url):
        self.name, self.process, self.url = name, process, url

    def cpu_s(self):
        return machine.cpu_s_of(self.process.pid)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(timeout=10)


def start_origin(binary, core, tile_bytes, folder):
    output = folder / "origin.txt"
    with open(output, "wb") as file:
        process = machine.start(
            [binary, "serve", "--listen", "127.0.0.1:0", "--bytes", tile_bytes], core, file)
    for _ in range(500):
        line, newline, _ = output.read_text().partition("\n")
        if newline:
            return Server("TileOrigin", process, line.removesuffix("{z}/{x}/{y}.png"))
        if process.poll() is not None:
            break
        time.sleep(0.01)
    raise RuntimeError(f"tilebench serve did not start: {output.read_text()}")


def start_nginx(core, origin, folder):
    """Its files are the tiles of TileOrigin, so that both send the same bytes."""
    copy_tiles(origin, folder / "html")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = folder / "nginx.conf"
    config.write_text(nginx_config(folder, port))
    with open(folder / "nginx.txt", "wb") as file:
        process = machine.start(
            ["nginx", "-p", folder, "-c", config, "-e", folder / "error.log"], core, file)
    for _ in range(500):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return Server("nginx", process, f"http://127.0.0.1:{port}/")
        except ConnectionRefusedError:
            if process.poll() is not None:
                break
            time.sleep(0.01)
    raise RuntimeError(f"nginx did not start: {(folder / 'nginx.txt').read_text()}")


def copy_tiles(origin, root):
    address = origin.url.removeprefix("http://").rstrip("/")
    connection = http.client.HTTPConnection(address, timeout=10)
    for path in tile_paths():
        connection.request("GET", "/" + path)
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path}: status {answer.status}")
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(body)
    connection.close()


def nginx_config(folder, port):
    temporary = "".join(
        f"{name}_temp_path {folder}/temp-{name};\n"
        for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    return f"""
{"user root;" if os.geteuid() == 0 else ""}
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log warn;
events {{ worker_connections 4096; }}
http {{
    types {{ image/png png; }}
    {temporary}
    access_log off;
    sendfile on;
    tcp_nopush on;
    open_file_cache max=4096;
    open_file_cache_valid 1h;
    keepalive_requests 100000000;
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        root {folder}/html;
    }}
}}
"""
