"""The same entries in both engines: the same heads at every size, the same checkpoints, the same files."""

import os

import hostile

SIZES = 300


def files(root):
    return sorted(os.path.relpath(os.path.join(d, n), root) for d, _, names in os.walk(root) for n in names)


def content(root, name):
    with open(os.path.join(root, name), "rb") as f:
        return f.read(), os.fstat(f.fileno()).st_mode & 0o777


def differences(export, other):
    """What of an export is not in the other directory, byte for byte and with the same mode."""
    bad = []
    for name in files(export):
        if not os.path.exists(os.path.join(other, name)):
            bad.append((name, "is not in the other"))
        elif content(export, name) != content(other, name):
            bad.append((name, "differs"))
    return bad


def run(suite):
    database = suite.main.database("same")
    url, place = suite.main.url(database), suite.directory("same")
    keys, log = os.path.join(place, "keys"), os.path.join(place, "log")
    os.mkdir(keys)
    out = suite.do(keys, "same", url, log, SIZES).split("\n")
    suite.check("heads, leaves and checkpoints are the directory engine's at every size",
                [("size", line) for line in out[:-2]], SIZES + 1)
    suite.one("all of them were compared", out[-2] == f"{SIZES} compared", out)

    export = os.path.join(place, "export")
    keys = os.path.join(keys, "1")
    suite.do(keys, "export", url, export)
    named = files(export)
    suite.check("exported files are the directory engine's", differences(export, log), len(named))
    wanted = {"checkpoint", "vkey", "tile/0/000", "tile/0/001.p/44", "tile/1/000.p/1", "tile/entries/000",
              "tile/entries/001.p/44", f"checkpoints/{SIZES}"}
    missing = wanted - set(named)
    suite.check("an export has every file of its size", [(n, "is not there") for n in sorted(missing)], len(wanted))
    objects = sum(n.startswith("objects/") for n in named)
    suite.one("and every object", objects == SIZES, objects)

    more(suite, keys, url, place, export)


def more(suite, keys, url, place, export):
    """Exporting again adds what is new, and takes away what is of no use."""
    before = {n: os.stat(os.path.join(export, n)).st_mtime_ns for n in files(export)}
    suite.do(keys, "append", url, "more", 300, 100)
    os.remove(os.path.join(export, "tile/entries/000"))
    suite.do(keys, "publish", url)
    suite.do(keys, "export", url, export)
    fresh = os.path.join(place, "fresh")
    suite.do(keys, "export", url, fresh)
    suite.check("an export that was added to, and mended, is like a new one", differences(fresh, export), len(files(fresh)))
    suite.one("whole tiles are left alone", os.stat(os.path.join(export, "tile/0/000")).st_mtime_ns == before["tile/0/000"],
              "tile/0/000 was written again")
    left = [n for n in files(export) if os.path.exists(os.path.join(export, n.split(".p/")[0])) and ".p/" in n]
    suite.check("partial tiles go when they are whole", [(n, "is still there") for n in left], 1)

    out = suite.do(keys, "erase", url, "t-7")
    suite.one("an object goes only after an entry that erases it", out.split("\n")[1:3] == ["erased", "gone"]
              and out.startswith("refused: ") and "23001" in out, out)
    suite.do(keys, "publish", url)
    gone = set(files(export))
    suite.do(keys, "export", url, export)
    gone -= set(files(export))
    suite.one("an erased object goes from the export too", [n.startswith("objects/") for n in gone] == [True], gone)

    out = suite.do(keys, "cosign", url)
    lines = [line for line in out.split("\n") if "witness.example" in line]
    suite.one("a witness has one line, the newest, and no other text takes it", len(lines) == 1 and "another" not in out, out)
    status, _, err = suite.drive(keys, "export", url, os.path.join(place, "log"))
    suite.one("nothing is exported into a log of its own", status == 3 and "a log of its own" in err, err)
    repeated(suite, keys, url)


def repeated(suite, keys, url):
    """Twice in one call and twice in two: once in the log."""
    size = suite.do(keys, "head", url).split()[0]
    again = suite.do(keys, "append", url, "t", 3, 3).split("\n")[:3]
    suite.one("what is there already has its place told", [a.split()[:2] for a in again] ==
              [["same", "0"], ["same", "1"], ["same", "2"]], again)
    suite.one("and the log does not grow by it", suite.do(keys, "head", url).split()[0] == size, "it did")
    asked = [("a", "1"), ("b", "1"), ("a", "1"), ("a", "2"), ("c", "1")]
    record = {"alg": "sha256", "media": "x", "size": 1}
    entries = [hostile.entry(id=name, record={**record, "hex": digest * 64}) for name, digest in asked]
    arrays = [", ".join(hostile.ident("trial", "e", name) for name, _ in asked),
              ", ".join(f"decode('{digest * 64}', 'hex')" for _, digest in asked),
              ", ".join(f"convert_to('{e}', 'UTF8')" for e in entries)]
    sql = (f"SELECT o_outcome, o_idx - (SELECT size FROM ledger.head) + 3 FROM ledger.append('suite.example/log', "
           f"ARRAY[{arrays[0]}], ARRAY[{arrays[1]}], ARRAY[{arrays[2]}])")
    said = suite.main.ask(url.rsplit("/", 1)[1], sql).split("\n")
    suite.one("one call may have the same twice, and another under its name", [s.split("|")[0] for s in said] ==
              ["0", "0", "1", "2", "0"] and len({said[i].split("|")[1] for i in (0, 2, 3)}) == 1, said)
