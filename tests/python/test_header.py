"""The ctypes mirror says what lanefix.h says: structures field by field, values, calls."""
import ctypes
import re

import pytest
import trace_lanefix
from trace_lanefix import _native as native

SCALARS = {
    "int": ctypes.c_int, "unsigned": ctypes.c_uint, "size_t": ctypes.c_size_t,
    "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64, "uint32_t": ctypes.c_uint32,
    "void *": ctypes.c_void_p, "const char *": ctypes.c_char_p, "void": None,
}
FUNCTIONS = {"read": native.READ, "write": native.WRITE, "progress": native.PROGRESS}


@pytest.fixture
def header(top):
    text = (top / "include" / "lanefix.h").read_text()
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def constants(header):
    return {name: int(value.strip("()"), 0)
            for name, value in re.findall(r"#define LANEFIX_(\w+) (\(?-?\d+\)?)\s*$", header, re.M)}


def ctype(spelled, constants):
    """The ctypes type and name of one declarator, such as "const char *name" or "char message[480]"."""
    spelled = " ".join(spelled.split())
    pointer = re.fullmatch(r"(\w+) \(\*(\w+)\)\((.*)\)", spelled)
    if pointer:
        arguments = [argument_type(a) for a in pointer[3].split(",")]
        return pointer[2], ctypes.CFUNCTYPE(SCALARS[pointer[1]], *arguments)
    kind, name, size = re.fullmatch(r"(.*?[ *])(\w+)(?:\[(\w+)\])?", spelled).groups()
    kind = kind.strip()
    if kind.startswith("enum "):
        found = ctypes.c_int
    elif kind == "char":
        found = ctypes.c_char
    else:
        found = SCALARS[kind]
    if size:
        found = found * (int(size) if size.isdigit() else constants[size.removeprefix("LANEFIX_")])
    return name, found


def argument_type(spelled):
    spelled = spelled.strip()
    if "struct lanefix_progress" in spelled:
        return ctypes.POINTER(native.Progress)
    if "*" in spelled:
        return ctypes.c_void_p
    return SCALARS[spelled.rsplit(" ", 1)[0]]


def structures(header):
    known = constants(header)
    for name, body in re.findall(r"struct lanefix_(\w+) \{(.*?)\n\};", header, re.S):
        fields = []
        for declaration in body.split(";"):
            declaration = " ".join(declaration.split())
            if not declaration:
                continue
            if "(*" in declaration:
                fields.append(ctype(declaration, known))
                continue
            first, *others = declaration.split(",")
            fields.append(ctype(first, known))
            base = re.match(r"(.*?[ *])\w+(\[\w+\])?$", first.strip())[1]
            fields += [ctype(base.rstrip("* ") + " " + other.strip() if "*" in other
                             else base + other.strip(), known) for other in others]
        yield name, fields


def same_type(a, b, field):
    if hasattr(a, "_argtypes_"):
        return (a._restype_, a._argtypes_) == (b._restype_, b._argtypes_)
    if hasattr(a, "_length_"):
        return (a._type_, a._length_) == (b._type_, b._length_)
    return a is b or (field == "name" and {a, b} == {ctypes.c_char_p, ctypes.c_void_p})


def test_structures(header):
    found = dict(structures(header))
    assert set(found) == {"error", "input", "output", "progress", "options", "counters", "track",
                          "unfolded", "change", "kernel"}
    for name, fields in found.items():
        mirror = getattr(native, name.capitalize())._fields_
        assert [f for f, _ in mirror] == [f for f, _ in fields], name
        for (field, ours), (_, theirs) in zip(mirror, fields):
            assert same_type(ours, theirs, field), f"{name}.{field}: {ours}, {theirs}"


def test_values(header):
    for body in re.findall(r"enum lanefix_\w+ \{(.*?)\}", header, re.S):
        for name, value in re.findall(r"LANEFIX_(\w+) = (\d+)", body):
            assert getattr(native, name) == int(value), name
    known = constants(header)
    assert native.LEVEL_DEFAULT == known["LEVEL_DEFAULT"]
    assert native.N_CROSSING_SIZES == known["N_CROSSING_SIZES"]


def test_calls(header):
    declared = re.findall(r"LANEFIX_API\s[^;]*?(lanefix_\w+)\(", header)
    assert sorted(declared) == sorted(native.CALLS)


def test_size_of_options():
    room = ctypes.create_string_buffer(4096)
    native.lib.lanefix_options_init(room)
    assert ctypes.c_size_t.from_buffer(room).value == ctypes.sizeof(native.Options)


def test_defaults():
    """Each field gets the library's own default, so it lies where the library thinks."""
    o = native.Options()
    native.lib.lanefix_options_init(ctypes.byref(o))
    assert (o.snap_threshold_ns, o.max_lanes, o.unfold, o.rebase, o.annotate) == (5000, 64, 1, 0, 1)
    assert (o.indent, o.max_memory, o.in_place, o.threads, o.spool_dir) == (-1, 0, 0, 0, None)
    assert (o.spool_memory, o.window_log_max) == (8 << 20, 27)
    assert o.max_changes == ctypes.c_size_t(-1).value and not o.progress and not o.progress_arg


def test_versions(header):
    version = re.search(r'LANEFIX_VERSION_STRING "(.*)"', header)[1]
    assert trace_lanefix.library_version() == trace_lanefix.__version__ == version


def test_counters_are_all_in_the_report():
    fields = [f.name for f in trace_lanefix.Counters.__dataclass_fields__.values()]
    assert fields == [f for f, _ in native.Counters._fields_]
