"""Tools that everybody has: openssl and coreutils, ssh-keygen, minisign."""

import hashlib
import os
import shutil
import subprocess

from world import call, expect


def openssl(suite):
    w = suite.world
    if not shutil.which("openssl"):
        suite.skip("openssl", "it is not installed")
        return
    script = r"""
set -e
awk 'NF==0{exit}{print}' "$1/checkpoint" > text
sed -n "s|^— $3 ||p" "$1/checkpoint" | base64 -d | tail -c +5 > sig
(printf '\060\052\060\005\006\003\053\145\160\003\041\000'; cut -d+ -f3- "$2" | base64 -d | tail -c 32) > pub.der
openssl pkey -pubin -inform DER -in pub.der -out pub.pem
openssl pkeyutl -verify -pubin -inkey pub.pem -rawin -in text -sigfile sig
test "$( (printf '%s\n\001' "$3"; tail -c 32 pub.der) | sha256sum | cut -c1-8)" = "$(cut -d+ -f2 "$2")"
"""
    place = suite.directory("openssl")
    origin = w.vkey.split("+")[0]
    expect(suite, "openssl verifies the checkpoint", ["sh", "-c", script, "sh", w.ledger, w.vkey_file, origin],
           cwd=place, contains="Signature Verified Successfully")
    with open(os.path.join(place, "text"), "ab") as f:
        f.write(b" ")
    expect(suite, "and refuses another text",
           ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", "pub.pem", "-rawin", "-in", "text", "-sigfile", "sig"],
           cwd=place, want=1)


def leaf(suite):
    w = suite.world
    proof, entry = w.prove("t-0001")
    with open(entry, "rb") as f:
        want = hashlib.sha256(b"\0" + f.read()).hexdigest()
    status, text = call(["sh", "-c", "(printf '\\0'; cat \"$1\") | sha256sum", "sh", entry])
    shown = w.must("ledger", "prove", "t-0001", "--json=leaf", "-o", proof[: -len(".tlog-proof")] + "2",
                   "--ledger", w.ledger)
    bad = [] if text.split()[0] == want and want in shown else [("leaf", f"{text.strip()} {shown.strip()}")]
    suite.check("sha256sum gives the leaf's hash", bad, 1)


def text_of(suite, place):
    text = suite.world.must("ledger", "head", "--text", "--ledger", suite.world.ledger)
    return suite.write(place, "head.txt", text)


def ssh(suite):
    if not shutil.which("ssh-keygen"):
        suite.skip("ssh-keygen", "it is not installed")
        return
    place = suite.directory("ssh")
    text = text_of(suite, place)
    call(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "me", "-f", "id"], cwd=place)
    expect(suite, "ssh-keygen signs the head", ["ssh-keygen", "-Y", "sign", "-n", "ledger-checkpoint@v1", "-f", "id", text],
           cwd=place)
    with open(os.path.join(place, "id.pub")) as f:
        suite.write(place, "allowed", "me " + f.read())
    verify = ["ssh-keygen", "-Y", "verify", "-f", "allowed", "-I", "me", "-n", "ledger-checkpoint@v1", "-s", "head.txt.sig"]
    with open(text, "rb") as f:
        head = f.read()
    expect(suite, "and verifies it", verify, cwd=place, given=head)
    expect(suite, "and refuses another one", verify, cwd=place, given=head.replace(b"\n", b"0\n", 2), want=1)


def minisign(suite):
    if not shutil.which("minisign"):
        suite.skip("minisign", "it is not installed")
        return
    place = suite.directory("minisign")
    text_of(suite, place)
    made, text = call(["minisign", "-G", "-W", "-p", "m.pub", "-s", "m.key"], cwd=place)
    if made != 0:  # old ones ask for a password
        subprocess.run(["minisign", "-G", "-p", "m.pub", "-s", "m.key"], cwd=place, input=b"\n\n", capture_output=True)
    expect(suite, "minisign signs the head", ["minisign", "-S", "-m", "head.txt", "-s", "m.key"], cwd=place, given=b"\n")
    expect(suite, "and verifies it", ["minisign", "-V", "-m", "head.txt", "-p", "m.pub"], cwd=place)
    with open(os.path.join(place, "head.txt"), "ab") as f:
        f.write(b"x")
    expect(suite, "and refuses another one", ["minisign", "-V", "-m", "head.txt", "-p", "m.pub"], cwd=place, want=1)


def all_tools(suite):
    openssl(suite)
    leaf(suite)
    ssh(suite)
    minisign(suite)
