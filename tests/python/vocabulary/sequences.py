"""Lists, dicts and text, which mean what Python means."""

from .draw import case


def items(d):
    return [d.choice([d.integer(-3, 3), 1.5, "x", True]) for _ in range(d.integer(0, 4))]


def spread(d):
    return tuple(items(d))


case("list make_list", spread, lambda *a: list(a))
case("tuple", spread, lambda *a: a)
case(
    "dict",
    lambda d: ([["a", d.integer(0, 9)], ["b", 2], [3, "c"], ["a", 1]][: d.integer(0, 4)],),
    lambda x: {k: v for k, v in x},
)
case("__len len", lambda d: (d.choice([items(d), spread(d), "text", d.array(ranks=(1, 2)), {"a": 1}]),), len)
case("append", lambda d: (items(d), d.integer(0, 5)), lambda x, i: [*x, i])
case("prepend", lambda d: (d.integer(0, 5), items(d)), lambda i, x: [i, *x])
case(
    "range",
    lambda d: (d.integer(-5, 5), d.integer(-5, 5), d.choice([1, 2, -1, -3])),
    range,
)
case("range", lambda d: (d.integer(-5, 5),), range)
case(
    "zip",
    lambda d: (items(d), spread(d), d.array((3,), special=False)),
    lambda *a: list(zip(*a, strict=False)),
)
case("enumerate", lambda d: (items(d), *d.optional(d.integer(-2, 2))), lambda *a: list(enumerate(*a)))
case("dict_keys", lambda d: ({"a": 1, 2: "b"},), list)
case(
    "__contains",
    lambda d: (d.choice([items(d), spread(d)]), d.choice([1, 1.5, "x", True, 0])),
    lambda x, i: i in x,
)
case(
    "__contains",
    lambda d: (d.choice(["", "text", "a text"]), d.choice(["", "t", "ex", "z"])),
    lambda x, i: i in x,
)
case("__contains", lambda d: ({"a": 1, 2: "b"}, d.choice(["a", 2, 2.0, "b"])), lambda x, i: i in x)

SPECIFICATIONS = [
    "", ":", ":5", ":<8", ":>8", ":^9", ":*^12", ":+", ":-", ": ", ":05", ":.2f", ":8.3f", ":+.1e", ":g", ":.3g", ":d", ":5d",
    ":+d", ":x", ":#x", ":X", ":o", ":b", ":#b", ":e", ":E", ":G", ":%", ":.1%", ":,", ":,d", ":,.2f", ":_", ":s", ":10s", ":.2s",
    ":<10.3", ":=+8", ":z", ":q", ":.", ":n1", ":08.3f", ":c", ":<", ":{}",
]  # fmt: skip


def formats(d):
    count = d.integer(0, 3)
    arguments = [d.choice([d.integer(-99, 99), d.integer(-99, 99) * 1234567, d.number("f"), d.random.normal() * 1e3, "text", 1e20, 1e-7])
                 for _ in range(count)]  # fmt: skip
    numbered = d.chance(0.2)
    text = "a{{b}}" if d.chance(0.3) else ""
    for i in range(count):
        text += " {" + (str(d.integer(0, count - 1)) if numbered else "") + d.choice(SPECIFICATIONS) + "}"
    return (text, *arguments)


case("format", formats, lambda text, *a: text.format(*a))
case(
    "string",
    lambda d: tuple(d.choice(["a", "", 5, 2.5, 1e20, -0.0]) for _ in range(d.integer(0, 3))),
    lambda *a: "".join(map(str, a)),
)

for _n in range(1, 5):
    for _k in range(2**_n):
        _letters = "".join("ad"[_k >> i & 1] for i in range(_n))

        def _select(x, letters=_letters):
            for letter in reversed(letters):
                if not isinstance(x, list) or not x:
                    raise ValueError
                x = x[0] if letter == "a" else x[1:]
            return x

        case(
            f"c{_letters}r",
            lambda d: ([[[[1], 2], [3, 4], 5], [[6, 7], [8, [9]]], [10, [11]], [[12]], 13],),
            _select,
        )
