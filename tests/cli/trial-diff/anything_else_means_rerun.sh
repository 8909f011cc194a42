. "$DATA/../cli/trial-diff/common"
echo more >>task/instruction.md
lock b.json
trackway trial diff a.json b.json | sed -E "s/[0-9a-f]{64}/DIGEST/g"
trackway trial diff a.json b.json --json=answer,member
