"""
Runs a command, passes its standard streams on, and keeps a copy of both directions: PREFIX.in and PREFIX.out.
usage: tee.py PREFIX COMMAND...
"""

import os
import subprocess
import sys
import threading

prefix, command = sys.argv[1], sys.argv[2:]
child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def write(fd, data):
    while data:
        data = data[os.write(fd, data):]


def copy(source, to, name, close):
    with open(f"{prefix}.{name}", "wb", buffering=0) as kept:
        while data := os.read(source, 65536):
            kept.write(data)
            try:
                write(to, data)
            except OSError:
                break
    if close:
        child.stdin.close()


threading.Thread(target=copy, args=(0, child.stdin.fileno(), "in", True), daemon=True).start()
copy(child.stdout.fileno(), 1, "out", False)
sys.stdout.flush()
os._exit(child.wait())
