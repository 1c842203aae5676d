"""Shapes, joining and repeating."""

import numpy as np

from .draw import CASES, DTYPES, case, length_of, one


def permutation(d):
    x = d.array()
    axes = [int(i) for i in d.random.permutation(np.ndim(x))]
    axes = [i - np.ndim(x) if d.chance(0.3) else i for i in axes]
    if d.chance(0.1):
        axes = axes[:-1] if d.chance(0.5) else [0] * len(axes)
    return (x, *d.optional(d.choice([None, tuple(axes), axes])))


def new_shape(d):
    x = d.array()
    size = np.size(x)
    factors = [n for n in range(1, size + 1) if size % n == 0] or [0, 2]
    first = d.choice(factors)
    shape = d.choice(
        [
            (first, -1),
            (-1,),
            size,
            (size // (first or 1), first),
            [-1, first],
            (3, -1, 1),
            (7, 5),
            (-1, -1),
            (),
        ]
    )
    return (x, shape)


case("transpose", permutation, lambda x, axes=None: np.transpose(x, axes))
case("reshape", new_shape)
case("flatten", one(), np.ravel)
case("flatten ravel", lambda d: (d.array(), d.choice(["C", "F", "X"])), lambda x, order: np.ravel(x, order))
case("ravel", one())
case("expand_dims", lambda d: (x := d.array(), d.choice([d.integer(-4, 4), (0, 2), (-1, 0), (1, 1), 0])))


def squeezable(d):
    shape = tuple(d.choice([1, 1, 2, 0]) for _ in range(d.integer(0, 4)))
    x = d.array(shape)
    return (x, *d.optional(d.axis(x, several=True)))


case("squeeze", squeezable, lambda x, axis=None: np.squeeze(x, axis))
case(
    "broadcast_to",
    lambda d: (d.array(ranks=(0, 1, 2)), d.choice([(2, 3), (4, 1), (3,), 3, (2, 2, 2), (0,), (1, -1), ()])),
)
case("swapaxes", lambda d: (x := d.array(ranks=(1, 2, 3)), d.axis(x, none=False), d.axis(x, none=False)))
case(
    "flip",
    lambda d: (x := d.array(), *d.optional(d.axis(x, several=True))),
    lambda x, axis=None: np.flip(x, axis),
)
case("flipud fliplr", one())
case("shape", one(), np.shape)
case(
    "shape",
    lambda d: (x := d.array(), d.axis(x)),
    lambda x, axis: np.shape(x) if axis is None else np.shape(x)[axis],
)
case("size", lambda d: (x := d.array(), *d.optional(d.axis(x))), lambda x, axis=None: np.size(x, axis))
case("ndim copy", one())
case("astype", lambda d: (d.array(special=False, extreme=True), d.choice(["bool", "int", "float", "int64", "what"])),
     lambda x, t: np.asarray(x).astype(np.dtype(t)))  # fmt: skip
case("int", one(special=False), lambda x: np.asarray(x).astype(np.int64))
case("float", one(), lambda x: np.asarray(x).astype(np.float64))
case("bool", one(), np.bool_)
case("dtype", one(), lambda x: str(np.asarray(x).dtype))


def parts(d):
    """Arrays that differ in one axis, mostly."""
    rank = d.choice((0, 1, 1, 2, 2, 3))
    shape, axis = d.shape(rank), d.integer(0, max(rank - 1, 0))
    found = []
    for _ in range(d.integer(1, 3)):
        other = tuple(d.integer(0, 3) if i == axis and d.chance(0.7) else n for i, n in enumerate(shape))
        found.append(d.array(other if not d.chance(0.05) else d.shape(2)))
    return (found if d.chance(0.5) else tuple(found)), axis - rank if d.chance(0.3) else axis


def with_axis(d):
    arrays, axis = parts(d)
    return (arrays, *d.optional(d.choice([axis, axis, axis, None, 4])))


def equal_parts(d):
    x = d.array(ranks=(0, 1, 2, 3))
    others = [d.array(np.shape(x)) for _ in range(d.integer(0, 2))]
    return ([x, *others], *d.optional(d.choice([d.integer(-5, 4), 0, -1, None])))


def typed_parts(d):
    return (parts(d)[0], d.choice([None, "int", "float", "bool"]))


case("concatenate", with_axis, lambda a, axis=0: np.concatenate(a, axis))
case("concatenate", lambda d: (*parts(d), d.choice([None, "int", "float", "bool"])),
     lambda a, axis, t: np.concatenate(a, axis, dtype=DTYPES[t]))  # fmt: skip
case("stack", equal_parts, lambda a, axis=0: np.stack(a, axis))
case("hstack vstack dstack column_stack", lambda d: (parts(d)[0],))
case("hstack vstack", lambda d: (*parts(d)[0], d.array((2,))), None)
for _name in ("hstack", "vstack"):
    CASES[_name][-1].twin = lambda *a, f=getattr(np, _name): f(a)
    case(_name, typed_parts, None)
    CASES[_name][-1].twin = lambda a, t, f=getattr(np, _name): f(a, dtype=DTYPES[t])
case("append", lambda d: (d.array(ranks=(1, 2)), d.array()), lambda a, b: np.append(a, b))
case("append", lambda d: (x := d.array(ranks=(1, 2)), d.array(np.shape(x)), d.axis(x)), np.append)
case("tile", lambda d: (d.array(least=1), d.choice([2, 0, (2, 1), (1, 2), (2, 0, 1), [3], -1, (), 1])))


def repeats(d):
    x = d.array()
    axis = d.axis(x)
    length = length_of(x, axis)
    counts = d.random.integers(0, 4, length) if d.chance(0.8) else d.random.integers(-1, 3, length + 1)
    if not np.size(x):
        counts = np.abs(counts)  # otherwise NumPy sometimes looks at them and sometimes not
    return (
        x,
        d.choice([d.integer(-1 if np.size(x) else 0, 3), counts, [int(c) for c in counts], [2]]),
        *d.optional(axis, probability=0.8),
    )


case("repeat", repeats, lambda x, n, axis=None: np.repeat(x, n, axis))


def insertion(d):
    x = d.array(ranks=(0, 1, 1, 2, 3))
    axis = d.axis(x) if d.chance(0.8) else None
    length = length_of(x, axis)
    places = [d.integer(-length, length) for _ in range(d.integer(1, 3))]  # NumPy does not check several
    where = d.choice([places[0], places[0], places, length + 1 if d.chance(0.3) else 0])
    values = d.choice([d.number(), d.number(), d.array((len(places) if isinstance(where, list) else 1,))])
    return (x, where, values) if axis is None else (x, where, values, axis)


case("insert", insertion, lambda x, i, v, axis=None: np.insert(x, i, v, axis))


def padding(d):
    x = d.array()
    n = np.ndim(x)
    width = d.choice(
        [
            d.integer(0, 3),
            (1, 2),
            [[d.integer(0, 2), d.integer(0, 2)] for _ in range(n)],
            -1 if d.chance(0.1) else 1,
        ]
    )
    mode = d.choice(["constant", "constant", "edge", "wrap", "reflect", "symmetric", "other"])
    if mode == "constant":
        return (x, width, *d.optional(mode, d.choice([0, 5, 2.5])))
    return (x, width, mode)


case("pad", padding, lambda x, width, mode="constant", fill=0: np.pad(
    x, width, mode, **({"constant_values": fill} if mode == "constant" else {})))  # fmt: skip
