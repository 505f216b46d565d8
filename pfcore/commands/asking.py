"""Asks a model about what is unread: the price first, then the calls, then the same review."""

import argparse
import asyncio
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pfcore.commands.budgets import Cap
from pfcore.commands.progress import Progress
from pfcore.engine.budget import Budget
from pfcore.engine.limits import Limits
from pfcore.engine.run import Engine
from pfcore.engine.tally import Tally
from pfcore.errors import UsageError
from pfcore.llm.opening import open_client
from pfcore.llm.settings import Choice
from pfcore.review import PaperReport, Report, refreshed
from pfcore.stages.reading import Unread
from pfcore.store import Kept, ReplyStore
from pfcore.verdicts.desk import Desk
from pfcore.verdicts.session import Done, Job, read
