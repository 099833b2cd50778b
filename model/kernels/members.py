"""Lists of sessions: their members lie in one array, and one that is taken away is free for the next."""

from __future__ import annotations

from model.kernels.shop import (
    FREE_NODE,
    FRESH_NODE,
    NODE,
    NODE_FOLLOWING,
    NODE_OTHER,
    NODE_VALUE,
    WHOLE,
    Shop,
    nodes_of,
    sessions_of,
)

NOBODY = -1


def append(shop: Shop, session: int, first: int, value: int, other: int) -> None:
    """A new last member of one of a session's lists; its end is noted beside its begin."""
    own, nodes, whole = shop.whole, nodes_of(shop), sessions_of(shop)
    node = own[FREE_NODE]
    if node < 0:
        node = own[FRESH_NODE]
        own[FRESH_NODE] = node + 1
    else:
        own[FREE_NODE] = nodes[node * NODE + NODE_FOLLOWING]
    nodes[node * NODE + NODE_VALUE] = value
    nodes[node * NODE + NODE_OTHER] = other
    nodes[node * NODE + NODE_FOLLOWING] = NOBODY
    if whole[session * WHOLE + first] < 0:
        whole[session * WHOLE + first] = node
    else:
        nodes[whole[session * WHOLE + first + 1] * NODE + NODE_FOLLOWING] = node
    whole[session * WHOLE + first + 1] = node


def drop(shop: Shop, session: int, first: int) -> int:
    """Take away the first member of a list; which it was."""
    own, nodes, whole = shop.whole, nodes_of(shop), sessions_of(shop)
    node = whole[session * WHOLE + first]
    whole[session * WHOLE + first] = nodes[node * NODE + NODE_FOLLOWING]
    nodes[node * NODE + NODE_FOLLOWING] = own[FREE_NODE]
    own[FREE_NODE] = node
    return int(node)
