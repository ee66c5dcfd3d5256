"""A host: processor cores, and a page cache for each device that it writes to."""

from __future__ import annotations

from simbackup.components.page_cache import PageCache
from simbackup.components.storage import Store
from simbackup.engine.flows import FlowNetwork, Link


class Host:
    """A computer that runs jobs."""

    def __init__(
        self, network: FlowNetwork, name: str, cores: float, copy_rate: float, limits: tuple[float, float]
    ) -> None:
        self.network = network
        self.name = name
        self.cpu = Link(f"{name}.cores", cores)
        self.copy_rate = copy_rate
        self.dirty_limit, self.dirty_background = limits
        self.caches: dict[str, PageCache] = {}

    def cache(self, store: Store) -> PageCache:
        """The page cache in front of a device; each device's write-back goes its own pace."""
        if store.name not in self.caches:
            name = f"{self.name}.page_cache.{store.name}"
            self.caches[store.name] = PageCache(self.network, name, self.dirty_limit, self.dirty_background)
        return self.caches[store.name]
