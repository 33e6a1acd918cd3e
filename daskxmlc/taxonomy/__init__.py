"""What is known of the labels: their parents, children and levels."""

from daskxmlc.taxonomy.dag import LEVEL_KINDS, LevelKind, Taxonomy
from daskxmlc.taxonomy.reading import read_taxonomy

__all__ = ["LEVEL_KINDS", "LevelKind", "Taxonomy", "read_taxonomy"]
