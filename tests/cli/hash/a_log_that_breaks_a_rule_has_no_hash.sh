trackway hash "$DATA/otutl/E_TOOL_URI_missing.jsonl"
