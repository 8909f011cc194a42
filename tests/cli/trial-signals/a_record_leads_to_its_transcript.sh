. "$DATA/../cli/trial-signals/common"
sed "s|\"trajectory_path\": *[^,}]*|\"trajectory_path\":\"/elsewhere/trajectory.jsonl\"|" "$DATA/trial/full.json" >trial.json
grep -o "/elsewhere/[a-z.]*" trial.json
trackway trial signals trial.json --json=path,format
