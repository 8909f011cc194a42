. "$DATA/../cli/trial-diff/common"
trackway trial diff a.json b.json
