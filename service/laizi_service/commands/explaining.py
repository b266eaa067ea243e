"""``laizi explain``: a clause of the rulebook, and what stands on it."""

from __future__ import annotations

import click

from laizi.v1 import rules_pb2
from laizi_service.commands.asking import Asking, answers

__all__ = ["explain"]


@click.command()
@click.argument("clause", metavar="CLAUSE")
@answers
def explain(asking: Asking, clause: str) -> None:
    """Show a clause of the rulebook, as answers cite it: what it says in English and in Chinese, an example, and which
    options and rule sets stand on it.

    \b
    laizi explain D6-45
    laizi explain M1-07 --json
    """
    answer: rules_pb2.GetClauseResponse = asking.ask("RulesService.GetClause", rules_pb2.GetClauseRequest(id=clause))
    asking.output.message(answer)
    asking.output.say(f"{answer.id}  {answer.kind}".rstrip())
    asking.output.table(
        (title, text)
        for title, text in (
            ("en", answer.text),
            ("zh", answer.text_zh),
            ("example", answer.example),
            ("note", answer.note),
            ("options", "  ".join(answer.options)),
            ("rule sets", "  ".join(answer.rule_sets)),
        )
        if text
    )
