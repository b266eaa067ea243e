"""The diagrams of the documents are read by Mermaid itself."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.packaging.sources import ROOT, project_files

PACKAGES = ("mermaid@11.17.2", "jsdom@29.1.1")
DIAGRAM = re.compile(r"^```mermaid\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Mermaid cleans labels with the DOM of a browser, which jsdom stands for.
PROGRAM = """
import { JSDOM } from "jsdom";
const { window } = new JSDOM("");
Object.assign(globalThis, { window, document: window.document });
const { default: mermaid } = await import("mermaid");
const diagrams = JSON.parse(await new Response(process.stdin).text());
const told = [];
for (const diagram of diagrams) {
  try { told.push((await mermaid.parse(diagram)).diagramType); }
  catch (error) { told.push(String(error.message)); }
}
console.log(JSON.stringify(told));
"""


def diagrams() -> dict[str, str]:
    """Every diagram of the documents by its page and number."""
    return {
        f"{name}:{number}": diagram
        for name in project_files()
        if name.suffix == ".md"
        for number, diagram in enumerate(DIAGRAM.findall((ROOT / name).read_text(encoding="utf-8")), 1)
    }


@pytest.mark.registry
def test_mermaid_reads_every_diagram(tmp_path: Path):
    found = diagrams()
    assert {"docs/integration.md:1", "docs/integration.zh-CN.md:1"} <= found.keys()
    install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(tmp_path), *PACKAGES]
    subprocess.run(install, check=True, timeout=600)
    program = tmp_path / "parse.mjs"
    program.write_text(PROGRAM, encoding="utf-8")
    done = subprocess.run(
        ["node", str(program)],
        input=json.dumps([*found.values(), "sequenceDiagram\n    A->>>>B"]),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    *told, broken = json.loads(done.stdout)
    assert dict(zip(found, told, strict=True)) == dict.fromkeys(found, "sequence")
    # It does see mistakes.
    assert "Parse error" in broken
