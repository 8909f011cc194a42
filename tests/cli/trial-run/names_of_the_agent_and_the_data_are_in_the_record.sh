. "$DATA/../cli/trial-run/common"
trackway trial run task --agent "echo 4 >answer" --adapter hand --adapter-revision v1 --dataset d@2 --experiment e --seed 9 --prices none.tsv --isolation none -q 2>&1 | plain
trackway trial run task --agent "echo 4 >answer" --adapter hand --adapter-revision v1 --dataset d@2 --experiment e --seed 9 --advisor-model w --isolation none -q -o job | plain
grep -h "_revision\"\|\"adapter\"\|dataset_id\|experiment_id\|\"seed\"\|advisor_model" job/*/record.json | grep -v task_revision | sort -u
