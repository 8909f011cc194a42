. "$DATA/../cli/import/common"
trackway import aec none
