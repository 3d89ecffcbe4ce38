"""Further token endpoints of token_service.py, one for each kind of renewal.

    POST /oauth/token            client_credentials, password, refresh_token (RFC 6749); strict: a
                                 refresh token that is used twice ends its whole family
    GET|POST /basic              {"token": ...} for the user by Basic authentication (RFC 7617)
    POST /arcgis/generateToken   errors inside a 200, the end as epoch milliseconds
    GET /tiles.json              a TileJSON whose tile URL has the token
    GET /signed                  three values that only work together, deep inside the answer
    GET|POST /linked             md5 and expires for nginx's secure_link, with the word "link"
    GET /session                 {"token": ...}; who has a session's cookie shall show it
    GET /jwt                     a JSON Web Token, the only place that tells its end
    GET /user?name=N             {"token": ...}, issued to that user

What they are to be asked with is written here, and chosen so that a wrong encoding shows.
"""

import base64
import hashlib
import hmac
import json
import time
import urllib.parse

CLIENT = ("map client", "c+s/e%cret=")
USER = ("ann@example.org", "p&ss=wörd")
FIRST_REFRESH = "refresh-first"
SCOPE = "tiles read"
AUDIENCE = "https://tiles.example"
REFERER = "https://maps.example/app"


class Kinds:
    def __init__(self, service):
        self.service = service
        self.refresh = FIRST_REFRESH
        self.spent = set()
        self.sessions = set()
        self.users = {}
        self.signed = {}
        self.refused = []
        service.counters |= {"refresh_reuse": 0, "with_cookie": 0, "users": 0}

    async def answer(self, method, path, query, headers, body):
        """As Service.answer; None when the path is none of these."""
        form = dict(urllib.parse.parse_qsl(body, keep_blank_values=True))
        endpoints = {
            "/oauth/token": lambda: self.grant(method, headers, form, body),
            "/basic": lambda: self.basic(headers),
            "/arcgis/generateToken": lambda: self.arcgis(method, form),
            "/tiles.json": self.document,
            "/signed": self.sign,
            "/linked": self.link,
            "/session": lambda: self.session(headers),
            "/jwt": self.web_token,
            "/user": lambda: self.of_user(query),
        }
        if path not in endpoints:
            return None
        return await self.service.counted(endpoints[path])

    def refuse(self, reason, status=400, document=None):
        self.refused.append(reason)
        return as_json(document or {"error": reason}, status)

    # RFC 6749

    def grant(self, method, headers, form, body):
        fields = [field.split("=")[0] for field in body.split("&")]
        if method != "POST" or len(fields) != len(set(fields)):
            return self.refuse("invalid_request")
        if "application/x-www-form-urlencoded" not in headers.get("content-type", ""):
            return self.refuse("invalid_request")
        if not self.is_client(headers, form):
            return self.refuse("invalid_client", 401)
        kind = form.get("grant_type")
        if kind == "client_credentials":
            if (form.get("scope"), form.get("audience")) != (SCOPE, AUDIENCE):
                return self.refuse("invalid_scope")
            return self.issued()
        if kind == "password":
            if (form.get("username"), form.get("password")) != USER:
                return self.refuse("invalid_grant")
            return self.issued()
        if kind == "refresh_token":
            return self.rotated(form.get("refresh_token"))
        return self.refuse("unsupported_grant_type")

    def is_client(self, headers, form):
        kind, _, value = headers.get("authorization", "").partition(" ")
        if kind == "Basic":
            if "client_id" in form or "client_secret" in form:
                return False
            user, _, password = base64.b64decode(value).decode().partition(":")
            shown = urllib.parse.unquote_plus(user), urllib.parse.unquote_plus(password)
        else:
            shown = form.get("client_id"), form.get("client_secret")
        return shown == CLIENT

    def rotated(self, shown):
        if shown != self.refresh:
            if shown in self.spent:
                self.service.counters["refresh_reuse"] += 1
                self.refresh = None
            return self.refuse("invalid_grant")
        self.spent.add(shown)
        self.refresh = f"refresh-{len(self.spent)}"
        return self.issued(refresh_token=self.refresh)

    def issued(self, **more):
        return as_json({"access_token": self.service.new_token(), "token_type": "Bearer"} | more)

    # Others

    def basic(self, headers):
        kind, _, value = headers.get("authorization", "").partition(" ")
        if kind != "Basic" or base64.b64decode(value).decode() != ":".join(USER):
            return self.refuse("wrong user", 401)
        return as_json({"token": self.service.new_token()})

    def arcgis(self, method, form):
        expected = {"username": USER[0], "password": USER[1], "f": "json"}
        expected |= {"client": "referer", "referer": REFERER, "expiration": "60"}
        if method != "POST" or form != expected:
            error = {"code": 400, "message": "Unable to generate token.", "details": ["Invalid."]}
            return self.refuse("wrong form", 200, {"error": error})
        end = int((time.time() + (self.service.options.ttl or 3600)) * 1000)
        return as_json({"token": self.service.new_token(), "expires": end, "ssl": False})

    def document(self):
        url = "https://tiles.example/v7/{z}/{x}/{y}.png?a=1&token="
        url += urllib.parse.quote(self.service.new_token())
        return as_json({"tilejson": "3.0.0", "tiles": [url, "https://other.example/"]})

    def sign(self):
        signature = self.service.new_token()
        policy = base64.b64encode(signature.encode()).decode()
        self.signed[signature] = {"Policy": policy, "Signature": signature, "Key-Pair-Id": "K1"}
        return as_json({"signed": [self.signed[signature]]})

    def link(self):
        self.service.new_token()
        end = int(time.time() + (self.service.options.ttl or 3600))
        digest = hashlib.md5(f"{end} link".encode()).digest()
        return as_json({"md5": unpadded(digest), "expires": end})

    def session(self, headers):
        cookies = [pair.strip() for pair in headers.get("cookie", "").split(";")]
        shown = next((pair for pair in cookies if pair.startswith("sid=")), None)
        if shown is None and self.sessions:
            return self.refuse("no cookie", 401)
        if shown is not None:
            if shown not in self.sessions:
                return self.refuse("a wrong cookie", 401)
            self.service.counters["with_cookie"] += 1
        # A new one each time, in the place of the last.
        self.sessions = {f"sid=s{self.service.counters['issued']}"}
        extra = {"Set-Cookie": next(iter(self.sessions)) + "; Path=/; HttpOnly"}
        return *as_json({"token": self.service.new_token()})[:3], extra

    def web_token(self):
        # The server's clock is an hour fast: only its own Date tells how long the token lives.
        now = time.time() + 3600
        claims = {"exp": now + (self.service.options.ttl or 3600), "n": self.service.new_token()}
        parts = [{"alg": "HS256"}, claims]
        text = ".".join(unpadded(json.dumps(part).encode()) for part in parts)
        token = text + "." + unpadded(hmac.digest(b"k", text.encode(), "sha256"))
        self.service.rename(claims["n"], token)
        date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(now))
        return *as_json({"token": token})[:3], {"Date": date}

    def of_user(self, query):
        token = self.service.new_token()
        self.users.setdefault(query.get("name"), []).append(token)
        self.service.counters["users"] = len(self.users)
        return as_json({"token": token})

    def token_of(self, query):
        """The token that a signed query stands for; None when it is not right."""
        known = self.signed.get(query.get("Signature"))
        if known is None or any(query.get(name) != value for name, value in known.items()):
            return None
        return known["Signature"]


def unpadded(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def as_json(document, status=200):
    return status, "application/json", json.dumps(document).encode(), {}
