"""The examples in the stubs of the compiled modules are true: a .pyi holds the prose of its module."""

import ast
import doctest
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = [Path(__file__).parents[1] / root for root in ("core", "service")]
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)


def examples() -> Iterator[doctest.DocTest]:
    parser = doctest.DocTestParser()
    for root, stub in ((source, stub) for source in SOURCES for stub in sorted(source.rglob("*.pyi"))):
        if stub.parent.name == "v1":  # generated
            continue
        module = ".".join(stub.relative_to(root).with_suffix("").parts)
        for node in ast.walk(ast.parse(stub.read_text(encoding="utf-8"))):
            if not isinstance(node, DOCUMENTED):
                continue
            text = ast.get_docstring(node)
            if text and ">>>" in text:
                name = f"{module}.{getattr(node, 'name', '__doc__')}"
                yield parser.get_doctest(text, {}, name, str(stub), node.body[0].lineno - 1)


@pytest.mark.parametrize("example", [pytest.param(example, id=example.name) for example in examples()])
def test_example(example: doctest.DocTest):
    output: list[str] = []
    result = doctest.DocTestRunner().run(example, out=output.append)
    assert result.failed == 0, "".join(output)
