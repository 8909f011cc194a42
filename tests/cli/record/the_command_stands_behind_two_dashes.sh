. "$DATA/../cli/record/common"
record
echo $?
record --
echo $?
record touch started
echo $?
record touch -- started
echo $?
record -q -- sh -c 'echo "$@"' sh -- -o --content 2>said
echo $?
ls
