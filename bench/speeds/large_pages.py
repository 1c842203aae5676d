"""Memory in pages of 2 MiB, within which no page lies where chance has put it (colours of pages)."""

import os

from _speeds import run

run(environment={"GLIBC_TUNABLES": os.environ.get("GLIBC_TUNABLES", "") + ":glibc.malloc.hugetlb=1"})
