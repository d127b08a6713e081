#!/usr/bin/env python3
"""Our reading of numbers against ../shared/tools/perfetto_rules.py, and the exact one against decimal
arithmetic: random texts of every form and magnitude.
"""
import os
import random
import subprocess
from decimal import ROUND_HALF_UP, Decimal

import common

INT64 = 2**63


def texts(rng, n):
    out = ["0", "-0", "9223372036854775", "9223372036854776", "9223372036854775807", "9223372036854775808", "1e3",
           "0.0005", "4941862405262.1235", "1712345678901234.567", "1e-3", "12E+2", "00012.5", "1.", ".5", "-", "1e", "",
           "nan", "0x10", " 7 ", "123456789012345678.5", "1234567890123456789012345678901234567890"]
    while len(out) < n:
        digits = rng.choice([1, 2, 6, 9, 10, 13, 13, 15, 16, 16, 17, 18, 19, 20])
        text = rng.choice(["", "", "", "-"]) + str(rng.randrange(10**digits))
        form = rng.randrange(8)
        if form > 1:
            text += "." + "".join(rng.choice("0123456789") for _ in range(3 if form < 6 else rng.randrange(1, 25)))
        if rng.randrange(12) == 0:
            text += rng.choice("eE") + rng.choice(["", "+", "-"]) + str(rng.randrange(20))
        out.append(text)
    return out


def main():
    common.checker()
    import perfetto_rules as rules
    program = os.path.join(os.environ.get("BUILD", os.path.join(common.TOP, "build", "release")), "tests/prop/prop_time")
    count = common.Count()
    lines = texts(random.Random(11), 300000)
    got = subprocess.run([program, "-"], input="\n".join(lines).encode() + b"\n", stdout=subprocess.PIPE,
                         check=True).stdout.decode().splitlines()
    count.check(len(got) == len(lines), "lines are missing")
    wrong = []
    for text, line in zip(lines, got):
        want = None
        if rules.re.fullmatch(r"\s*-?\d+(\.\d+)?([eE][-+]?\d+)?\s*", text):
            try:
                want = rules.to_ns(rules.Number(text.strip()))
            except (OverflowError, ValueError):
                pass
        if want is not None and not -INT64 <= want < INT64:
            want = None
        if want is not None and abs(want) > 9.19e18:
            continue  # at the very edge of int64 it is enough not to wrap
        if want is None:
            if line != "none":
                wrong.append(f"{text}: {line}, expected none")
            continue
        visible, exact = (line.split() + [None])[:2] if line != "none" else (None, None)
        if visible is None or int(visible) != want:
            wrong.append(f"{text}: {line}, expected {want}")
        elif "e" not in text.lower() and len(text) <= 30 and len(text.partition(".")[2]) <= 18 and len(text.strip("-").partition(".")[0]) <= 18:
            decimal = int((Decimal(text.strip()) * 1000).to_integral_value(ROUND_HALF_UP))
            if int(exact) != decimal:
                wrong.append(f"{text}: exactly {exact}, expected {decimal}")
    count.check(not wrong, f"{len(wrong)} readings, as {wrong[:5]}")
    count.passed += len(lines) - len(wrong)
    count.end()


if __name__ == "__main__":
    main()
