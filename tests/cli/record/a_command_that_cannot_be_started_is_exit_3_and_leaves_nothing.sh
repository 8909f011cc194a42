. "$DATA/../cli/record/common"
record -- no-such-command
echo $?
record -o kept/run --content -- ./no-such-file
echo $?
record -- ./said
echo $?
mkdir empty
record -o empty -- no-such-command
echo $?
ls
