"""The commands, one file each; a command's module is imported when the command is called.

`SUMMARIES` lists them, so that ``--help`` need not import any; a test holds it to the folder.
"""

from types import MappingProxyType

SUMMARIES = MappingProxyType(
    {
        "bench": "Measure how fast this machine or a cluster reads and evaluates.",
        "convert": "Write a store of scores or of a truth from a file.",
        "demo": "Evaluate a small real example, from data that ship with the package.",
        "evaluate": "Evaluate scores against a truth.",
        "inspect": "Show what a store or file holds, and every problem in it.",
        "list": "List the formats, tasks, measures or conventions.",
        "merge": "Add saved tables of the parts of a test set.",
        "report": "Report from saved tables, without the scores.",
    }
)
