. "$DATA/../cli/import/common"
trackway import prime ev-9
