. "$DATA/../cli/trial-diff/common"
lock b.json
trackway trial diff a.json b.json
