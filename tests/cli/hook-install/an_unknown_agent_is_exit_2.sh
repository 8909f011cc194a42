# Only agents whose hooks we know.
trackway hook install codex
