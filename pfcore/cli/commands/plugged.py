"""What other packages add to `pf doctor`."""

from importlib.metadata import entry_points

from pfcore.reporters.setup_report import Probe, wrong

GROUP = "pf_verify.probes"
"""Entry points: functions without arguments that give a list of probes."""


def plugged() -> list[Probe]:
    """What they all say; one that cannot be loaded says that."""
    found = []
    for entry in sorted(entry_points(group=GROUP), key=lambda item: item.name):
        try:
            found += entry.load()()
        except ImportError as error:
            found.append(wrong(entry.name, f"its probes cannot be loaded: {error}"))
    return found
