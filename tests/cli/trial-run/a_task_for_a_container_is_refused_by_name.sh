. "$DATA/../cli/trial-run/common"
echo FROM debian >task/environment/Dockerfile
trackway trial run task --agent true --isolation none 2>&1 | joined
trackway trial run task --agent true --isolation none 2>/dev/null
