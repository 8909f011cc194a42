. "$DATA/../cli/trial-diff/common"
trackway trial diff a.json "$DATA/trial/full.json"
