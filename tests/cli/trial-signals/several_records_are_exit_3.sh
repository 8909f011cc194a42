trackway trial signals "$DATA/trial/lines.jsonl"
