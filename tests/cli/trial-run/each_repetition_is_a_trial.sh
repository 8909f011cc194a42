. "$DATA/../cli/trial-run/common"
trackway trial run task --agent "echo 4 >answer" --repeat 3 --jobs 2 --isolation none --json=slots,done,classes -q
