. "$DATA/../cli/record/common"
record -- true
echo $?
record -- sh -c 'exit 4'
echo $?
record -q -- sh -c 'kill -9 $$'
echo $?
