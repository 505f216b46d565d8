"""`pf ci --gate`: the gate in a job of GitHub Actions, on the page of the job."""

import argparse

from pfcore.cli.commands.gate_command import gate
from pfcore.cli.github_actions import ActionsEvent
from pfcore.cli.tray import Tray
from pfcore.reporters.style import Style

_PASSED = {True: "The paper passes.", False: "The paper does not pass."}


def judge(arguments: argparse.Namespace, found: ActionsEvent, tray: Tray, style: Style) -> int:
    """Judge the whole paper at the commit of the event; the status is that of `pf gate`."""
    options = {
        "head": found.head,
        "trust_lock": arguments.config_from,
        "out": tray.out / "gate",
        "format": "json",
        "offline": False,
        "allow_unread": False,
        "bundle": None,
        "force": False,
    }
    meant = argparse.Namespace(**vars(arguments) | options | {"base": None, "all": True})
    status = gate(meant, style, lambda _: None)
    words = f"### pf gate\n\n{_PASSED[status == 0]}\n"
    if not tray.is_private:
        words = (tray.out / "gate/record.md").read_text(encoding="utf-8")
    tray.summary(words)
    tray.outputs(conclusion={0: "clean", 1: "blocking"}.get(status, "incomplete"))
    return status
