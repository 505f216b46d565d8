"""What tells the sources of a paper apart."""

from pfcore.domain.digest import digest
from pfcore.papers.paper import Paper


def source_digest(paper: Paper) -> str:
    """A digest of the paths and blob ids of a paper's files, its settings among them."""
    files = paper.snapshot.files
    names = {*paper.outline.order, *filter(None, (paper.settings.path,))}
    return digest([[name, files[name].oid] for name in sorted(names & files.keys())])
