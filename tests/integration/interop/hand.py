"""Tools that everybody has: openssl and coreutils, ssh-keygen, minisign."""

import base64
import hashlib
import json
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


def reviewer(suite):
    """The signature of an outside reviewer, by openssl and a JSON library that is not ours."""
    if not shutil.which("openssl"):
        suite.skip("a review's signature", "openssl is not installed")
        return
    place = suite.directory("reviewer")
    with open(suite.world.review, encoding="utf-8") as f:
        review = json.load(f)
    signer = review.pop("signer")
    text = json.dumps(review, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    public = base64.b64decode(signer["vkey"].split("+", 2)[2])[1:]
    for name, data in (("text", text.encode()), ("sig", base64.b64decode(signer["signature"])),
                       ("pub.der", bytes.fromhex("302a300506032b6570032100") + public)):
        with open(os.path.join(place, name), "wb") as f:
            f.write(data)
    verify = ["openssl", "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", "pub.der", "-rawin", "-in", "text",
              "-sigfile", "sig"]
    expect(suite, "openssl verifies a reviewer's signature", verify, cwd=place, contains="Signature Verified Successfully")
    with open(os.path.join(place, "text"), "wb") as f:
        f.write(text.replace("fail", "pass").encode())
    expect(suite, "and refuses another judgment", verify, cwd=place, want=1)


def elsewhere(suite):
    """A copy without the key: the files of runs are what the entries say, and our own check holds under the vkey."""
    w = suite.world
    copy = os.path.join(suite.directory("elsewhere"), "copy")
    shutil.copytree(w.ledger, copy)
    shutil.rmtree(os.path.join(copy, ".state"))
    shutil.rmtree(os.path.join(copy, "diagnostic", ".state"))
    bad = []
    for line in w.must("ledger", "export", "--layout", "jsonl", "--ledger", copy, "--vkey", w.vkey).splitlines():
        entry = json.loads(line)["entry"]
        for f in entry.get("files", []):
            path = os.path.join(copy, "artifacts", entry["id"], f["name"])
            if os.path.exists(path):
                with open(path, "rb") as g:
                    data = g.read()
                if hashlib.sha256(data).hexdigest() != f["sha256"] or len(data) != f["size"]:
                    bad.append((f["name"], "not what the entry says"))
    suite.check("sha256 of each file of a run that is stored", bad, 1)
    keys = suite.environment["TRACKWAY_KEYS"]
    suite.environment["TRACKWAY_KEYS"] = os.path.join(copy, "none")
    said = json.loads(w.must("ledger", "verify", "--ledger", copy, "--vkey", w.vkey, "--json"))
    suite.environment["TRACKWAY_KEYS"] = keys
    kinds = said["logs"][0]["kinds"]
    good = said["ok"] and kinds.get("run") == 1 and kinds.get("bench") == 1 and said["logs"][0]["signed_reviews"] == 1
    suite.check("a copy without the key verifies", [] if good else [("verify", json.dumps(said)[:300])], 1)


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
    reviewer(suite)
    elsewhere(suite)
    leaf(suite)
    ssh(suite)
    minisign(suite)
