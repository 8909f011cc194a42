. "$DATA/../cli/trial-classify/common"
trackway trial classify trajectory.jsonl --json | sed 's/sha256:[0-9a-f]*/sha256:X/'
trackway trial classify - --json=low_confidence_threshold --jobs 1 <trajectory.jsonl
