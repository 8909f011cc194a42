. "$DATA/../cli/record/common"
umask 022
start_mock --script "$DATA/../../doc/examples/mock.json"
record --content -o run --upstream "openai=$url/v1" -- "$cases/agent"
find run -printf '%m %p\n' | LC_ALL=C sort
echo 'with the prompt:'
grep -l canary-prompt run/*
echo 'with the key:'
grep -l hidden-key run/*
echo 'valid:'
trackway validate -q --strict run/run.otutl.jsonl && trackway validate -q run/trajectory.jsonl && echo yes
