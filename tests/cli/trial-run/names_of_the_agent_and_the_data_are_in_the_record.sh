. "$DATA/../cli/trial-run/common"
try()
{
	trackway trial run task --agent "echo 4 >answer" --adapter hand --adapter-revision v1 --dataset d@2 \
		--experiment e --seed 9 --isolation none -q "$@" 2>&1 | plain
}
try --prices none.tsv
try --advisor-model w --output job
grep -h "_revision\"\|\"adapter\"\|dataset_id\|experiment_id\|\"seed\"\|advisor_model" job/*/record.json |
	grep -v task_revision | sort -u
