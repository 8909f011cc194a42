. "$DATA/../cli/trial-run/common"
trackway trial run task --agent "echo 5 >answer" --isolation none --json=slots,done,mean_reward -q -o job
