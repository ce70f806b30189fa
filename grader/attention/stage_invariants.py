"""What holds at each stage of an attention layer, whatever the numbers: what to look at where only a stage is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

STAGE_INVARIANTS: Final[Mapping[str, str]] = {
    "queries": "A query comes from its own token and W_Q alone: change any other token, or W_K, and Q at this position "
    "must stay as it is.",
    "keys": "A key comes from its own token and W_K alone: change any other token, or W_Q, and K at this position must "
    "stay as it is.",
    "values": "A value comes from its own token and W_V alone: change W_K and V must stay as it is.",
    "scores": "Double W_Q and every score doubles; a score is the product of one query with one key over the root of "
    "the size of one key.",
    "masked_scores": "The scores that a query may read are unchanged by the mask, and those that it may not read are "
    "minus infinity.",
    "weights": "Each query's weights are 0 or more, sum to 1 over the keys, and stay as they are when a constant is "
    "added to its scores.",
    "mixed_values": "Set all values to one vector: every query that reads at least one key must then get exactly this "
    "vector.",
    "output": "Set W_O to zeros and the output must be zeros; double it and the output doubles.",
}
