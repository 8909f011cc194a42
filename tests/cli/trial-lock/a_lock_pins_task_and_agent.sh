. "$DATA/../cli/trial-run/common"
trackway trial lock task --agent "cat question" --adapter-revision v1 --model m --repeat 2 --isolation none
