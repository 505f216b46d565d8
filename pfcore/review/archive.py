"""Files as one archive: the same bytes for the same files, whoever makes it and when."""

import gzip
import io
import tarfile
from collections.abc import Mapping


def archive(files: Mapping[str, bytes]) -> bytes:
    """A gzipped tar with the files sorted, owned by nobody, of the first of January 1970."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name in sorted(files):
            entry = tarfile.TarInfo(name)
            entry.size = len(files[name])
            entry.mode = 0o644
            tar.addfile(entry, io.BytesIO(files[name]))
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as zipped:
        zipped.write(plain.getvalue())
    return packed.getvalue()
