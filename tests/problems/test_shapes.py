"""The shape grammar of contracts, and how extents are fitted to it."""

from __future__ import annotations

from contextlib import suppress
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.problems.shapes import ArrayType, Dimension, IntegerType, ShapeError, fit, parse

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,20}", fullmatch=True)
FACTORS = NAMES | st.integers(1, 999_999_999)
PRODUCTS = st.lists(FACTORS, min_size=1, max_size=3).map(tuple)
DIMENSIONS = st.builds(Dimension, PRODUCTS, st.just(()) | PRODUCTS)
DTYPES = st.sampled_from(["bool", "int64", "float32", "float64"])
TYPES = st.builds(IntegerType, NAMES) | st.builds(
    ArrayType, DTYPES, st.lists(DIMENSIONS, max_size=4).map(tuple), st.booleans()
)


def written(kind: ArrayType | IntegerType, space: str = "") -> str:
    """Return a type as a package writes it."""
    if isinstance(kind, IntegerType):
        return f"int {kind.name}"
    parts = (["..."] if kind.open_front else []) + [str(dimension) for dimension in kind.dimensions]
    text = f"{space},{space}".join(parts).replace("*", f"{space}*{space}").replace("//", f"{space}//{space}")
    return f"{kind.dtype}[{text}]"


@given(TYPES, st.sampled_from(["", " ", "  "]))
def test_written_type_is_parsed(kind: ArrayType | IntegerType, space: str) -> None:
    assert parse(written(kind, space)) == kind
    assert parse(f" {written(kind)} ") == kind


EXAMPLES = {
    "float64[B,T,m]": ("float64", "(B, T, m)"),
    "float64[H*e,m]": ("float64", "(H*e, m)"),
    "int64[T]": ("int64", "(T,)"),
    "bool[]": ("bool", "()"),
    "float32[...,T,2*d]": ("float32", "(..., T, 2*d)"),
    "float64[...]": ("float64", "(...,)"),
    "float64[m//H]": ("float64", "(m//H,)"),
    "float64[ B , T ]": ("float64", "(B, T)"),
}


@pytest.mark.parametrize("text", EXAMPLES)
def test_array_type_reads_well(text: str) -> None:
    kind = parse(text)
    assert isinstance(kind, ArrayType)
    assert (kind.dtype, kind.shape_text()) == EXAMPLES[text]
    assert str(kind) == " ".join(EXAMPLES[text])


def test_integer_type_reads_well() -> None:
    assert str(parse("int H")) == "int H"


OUTSIDE_THE_GRAMMAR = """
float64
float64[
float64[B
float64[B,]
float64[,B]
float64[B,,T]
float64[B,...]
float64[...,...]
float64[....]
float64(B)
float64[B]]
float64[B] T
float16[B]
complex128[B]
object[B]
Float64[B]
float64[B+1]
float64[B-1]
float64[-1]
float64[1.5]
float64[B**2]
float64[B/2]
float64[B//]
float64[//B]
float64[B//2//2]
float64[B//0]
float64[B//2*0]
float64[*B]
float64[B*]
float64[(B)]
float64[B()]
float64[__import__('os').system('id')]
float64[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]
float64[1234567890]
float64[é]
float64[²]
float64[٣]
float64[2B]
float64[B\tT]
int
int 2
int H*d
int H,
int é
int  H
int aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
list of int
[]
""".strip("\n").split("\n")


@pytest.mark.parametrize("text", ["", *OUTSIDE_THE_GRAMMAR])
def test_other_text_is_a_shape_error(text: str) -> None:
    with pytest.raises(ShapeError):
        parse(text.encode().decode("unicode_escape") if "\\t" in text else text)


@given(st.text(max_size=30))
def test_any_text_is_a_type_or_a_shape_error(text: str) -> None:
    try:
        kind = parse(text)
    except ShapeError:
        return
    assert parse(written(kind)) == kind


@given(st.lists(DIMENSIONS.filter(lambda dimension: not dimension.divisor), max_size=5), st.data())
def test_shapes_made_from_sizes_fit(dimensions: list[Dimension], data: st.DataObject) -> None:
    names = {factor for dimension in dimensions for factor in dimension.factors if isinstance(factor, str)}
    sizes = {name: data.draw(st.integers(1, 9)) for name in sorted(names)}
    extents = [prod(f if isinstance(f, int) else sizes[f] for f in dimension.factors) for dimension in dimensions]
    found: dict[str, int] = {}
    with suppress(ShapeError):  # a square, say, fixes no name
        fit(list(zip(dimensions, extents, strict=True)), found)
        assert set(found) == names
    assert found.items() <= sizes.items()


def pairs(shapes: dict[str, tuple[int, ...]]) -> list[tuple[Dimension, int]]:
    kinds = {text: parse(text) for text in shapes}
    return [
        pair
        for text, kind in kinds.items()
        if isinstance(kind, ArrayType)
        for pair in zip(kind.dimensions, shapes[text], strict=True)
    ]


def test_names_are_found_across_arguments() -> None:
    sizes = {"H": 3}
    fit(pairs({"float64[H*d,m]": (12, 7), "float64[B,T,m]": (2, 5, 7), "float64[m//H]": (2,)}), sizes)
    assert sizes == {"H": 3, "d": 4, "m": 7, "B": 2, "T": 5}


MISFITS = {
    "two sizes": ({"float64[T]": (3,), "bool[T]": (4,)}, {}, "T is 3 elsewhere and 4 here"),
    "no multiple": ({"float64[H*d]": (7,)}, {"H": 3}, "H*d cannot be 7 where the rest of it is 3"),
    "a number": ({"float64[3]": (4,)}, {}, "3 is 3 elsewhere and 4 here"),
    "nothing known": ({"float64[H*d]": (6,)}, {}, "nothing fixes the sizes in H*d"),
    "a square": ({"float64[H*H]": (9,)}, {}, "nothing fixes the sizes in H*H"),
    "a quotient": ({"float64[m//H]": (9,)}, {"H": 2}, "nothing fixes the sizes in m//H"),
    "no heads": ({"float64[H*d]": (6,)}, {"H": 0}, "H*d cannot be 6 where the rest of it is 0"),
    "division by zero": ({"float64[m//H]": (9,)}, {"H": 0, "m": 4}, "a division by zero in the contract"),
}


@pytest.mark.parametrize(("shapes", "sizes", "sentence"), MISFITS.values(), ids=MISFITS)
def test_misfit_names_the_dimension(shapes: dict[str, tuple[int, ...]], sizes: dict[str, int], sentence: str) -> None:
    with pytest.raises(ShapeError) as caught:
        fit(pairs(shapes), dict(sizes))
    assert str(caught.value) == sentence
