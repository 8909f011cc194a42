. "$DATA/../cli/record/common"
echo 'a word for the command' | record -q -o run -- cat 2>said
