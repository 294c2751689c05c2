"""Stands in for Blender: answers as the worker does, and fails on demand (`plan` at the end of the list of ways)."""

import json
import os
import struct
import sys
import time

import numpy as np

WAY = os.environ.get("FAKE_WAY", "")
MARK = os.environ.get("FAKE_MARK", "")


def bmp(path: str, width: int, height: int, color: tuple[int, int, int]) -> None:
    row = bytes(reversed(color)) * width
    row += b"\0" * (-len(row) % 4)
    body = row * height
    head = struct.pack("<2sIHHI", b"BM", 54 + len(body), 0, 0, 54)
    head += struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(body), 2835, 2835, 0, 0)
    with open(path, "wb") as file:
        file.write(head + body)


def first_time() -> bool:
    """True once for all processes that share the mark."""
    if os.path.exists(MARK):
        return False
    with open(MARK, "w"):
        return True


print(json.dumps({"ready": "fake"}), flush=True)
for line in sys.stdin:
    job = json.loads(line)
    if WAY == "always dies" or (WAY == "dies once" and first_time()):
        sys.stderr.write("Segmentation fault of the stand-in\n")
        sys.stderr.flush()
        os._exit(11)
    if WAY == "hangs":
        time.sleep(60)
    if WAY == "refuses":
        print(json.dumps({"error": "Traceback\nValueError: no such node"}), flush=True)
        continue
    with np.load(job["plan"]) as data:
        head = json.loads(bytes(data["head"]).decode())
    if WAY != "forgets":
        bmp(job["out"], head["width"], head["height"], (200, 100, 50))
    print(json.dumps({"done": job["out"]}), flush=True)
