. "$DATA/../cli/record/common"
for upstream in openai http://127.0.0.1:1 =http://127.0.0.1:1 openai= https://me:sesame@box/v1 'a b=http://127.0.0.1:1' openai=127.0.0.1:1 \
	openai=ftp://127.0.0.1 openai=http:// openai=http://127.0.0.1:99999; do
	echo "$upstream" >&2
	record --upstream "$upstream" -- touch started
	echo $?
done
OPENAI_BASE_URL=here record -- touch started
echo $?
ls
