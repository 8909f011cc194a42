. "$DATA/../cli/record/common"
record --engine-metrics http://127.0.0.1:1/metrics -o run -- sleep 0.5 2>said
echo $?
sed -E 's/[0-9]+ of [0-9]+ times/N of N times/' said | head -n 3
grep -A3 engine_metrics run/meta.json | grep -o '"kind":null,"scrapes":0'
record --engine-metrics 127.0.0.1:1 -o other -- touch started
echo $?
ls
