"""fix_overlaps on 60 MB against json.load of the same file."""
import gc
import json
import time

import trace_lanefix as t


def best(call, times):
    took = []
    for _ in range(times):
        gc.collect()
        begin = time.perf_counter()
        call()
        took.append(time.perf_counter() - begin)
    return min(took)


def test_thirty_times_faster_than_json(large, tmp_path, capsys):
    source = tmp_path / "in.json"
    source.write_bytes(large(60_000_000))

    def load():
        with open(source) as file:
            json.load(file)

    by_json = best(load, 2)
    pretty = best(lambda: t.fix_overlaps(source, tmp_path / "out.json"), 5)
    plain = best(lambda: t.fix_overlaps(source, tmp_path / "out.json", pretty=False), 5)
    with capsys.disabled():
        print(f"\n60 MB: json.load {by_json:.3f} s; fix_overlaps {pretty:.3f} s ({by_json / pretty:.0f} "
              f"times faster), pretty=False {plain:.3f} s ({by_json / plain:.0f})")
    assert by_json / plain >= 3  # what a busy machine leaves of it
