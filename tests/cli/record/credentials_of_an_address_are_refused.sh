. "$DATA/../cli/record/common"
for upstream in openai=http://me:sesame@127.0.0.1:1/v1 'lab=http://127.0.0.1:1/v1?key=sesame'; do
	record --upstream "$upstream" -- touch started
	echo $?
done
OPENAI_BASE_URL=http://me:sesame@127.0.0.1:1/v1 record -- touch started
echo $?
OPENAI_BASE_URL=http://me:sesame@127.0.0.1:1/v1 record -q -o run --upstream openai=http://127.0.0.1:1/v1 -- touch replaced 2>nothing
echo $?
ls
