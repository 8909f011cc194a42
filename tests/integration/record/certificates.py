"""Certificates made while a test runs, good ones and bad ones: authorities, and what they sign. Needs openssl."""

import datetime
import os
import ssl
import subprocess

KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
CONFIG = """[ca]
default_ca = own
[own]
database = {place}/index
new_certs_dir = {place}
policy = any
unique_subject = no
rand_serial = yes
default_md = sha256
[any]
commonName = supplied
[req]
distinguished_name = any
"""
OF_AUTHORITY = ("basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign")
OF_SERVER = ("basicConstraints=critical,CA:FALSE",)


class CannotMake(Exception):
    """openssl is not there, or does not do what is asked of it here."""


def day(offset):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=offset)).strftime("%Y%m%d%H%M%SZ")


def openssl(*words):
    try:
        done = subprocess.run(["openssl", *words], capture_output=True, check=False)
    except OSError as e:
        raise CannotMake(str(e)) from e
    if done.returncode != 0:
        raise CannotMake(done.stderr.decode(errors="replace")[-300:])


class Identity:
    """
    A certificate and its key. signer None: signed by itself. names: what it is for, as "DNS:a" or "IP:1.2.3.4"; days: from
    and to when it is valid, counted from today; chain: whether its server sends the certificates above it too.
    """

    made = 0

    def __init__(self, place, subject, names=(), signer=None, days=(-1, 2), extensions=OF_SERVER, chain=True):
        Identity.made += 1
        base = os.path.join(place, f"identity-{Identity.made}")
        self.place, self.signer, self.chain = place, signer, chain
        self.path, self.key = base + ".pem", base + ".key"
        config, request, more = base + ".conf", base + ".csr", base + ".ext"
        for path, text in (
            (config, CONFIG.format(place=place)), (more, "\n".join(extensions + names_line(names)) + "\n"),
        ):
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        open(os.path.join(place, "index"), "a", encoding="utf-8").close()
        openssl("req", "-new", *KEY, "-config", config, "-keyout", self.key, "-out", request, "-subj", f"/CN={subject}")
        by = ["-selfsign", "-keyfile", self.key] if signer is None else ["-cert", signer.path, "-keyfile", signer.key]
        openssl("ca", "-batch", "-notext", "-config", config, "-in", request, "-out", self.path, *by,
                "-startdate", day(days[0]), "-enddate", day(days[1]), "-extfile", more)

    def sign(self, subject, names=(), **more):
        return Identity(self.place, subject, names, self, **more)

    def sent(self):
        """The file a server sends: its own certificate, and those between it and the root."""
        path = self.path + ".sent"
        with open(path, "wb") as out:
            one = self
            while one is self or (self.chain and one.signer):
                with open(one.path, "rb") as f:
                    out.write(f.read())
                one = one.signer
                if one is None:
                    break
        return path

    def context(self, version=None):
        """For a server. version: the only one it speaks, as ssl.TLSVersion has it."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.sent(), self.key)
        if version:
            context.minimum_version = context.maximum_version = version
        return context

    @property
    def trust(self):
        """The variables of a program that trusts this authority, and no other."""
        return {"SSL_CERT_FILE": self.path, "SSL_CERT_DIR": ""}


def names_line(names):
    return ("subjectAltName=" + ",".join(names),) if names else ()


def authority(place, subject="authority of the tests"):
    return Identity(place, subject, extensions=OF_AUTHORITY)


class Service:
    """A good certificate for this machine, for scenes of other sets."""

    def __init__(self, place):
        root = authority(place)
        self.trust = root.trust
        self.identity = root.sign("localhost", ("DNS:localhost", "IP:127.0.0.1"))

    def context(self):
        return self.identity.context()
