. "$DATA/../cli/trial-run/common"
trackway trial run task --agent true --upstream openai --isolation none
