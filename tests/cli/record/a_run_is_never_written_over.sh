. "$DATA/../cli/record/common"
mkdir -p a/b && echo kept >a/b/other
record -q --output a/b -- true 2>said
ls a/b
cksum a/b/* >before
record -o a/b -- touch started
echo "exit $?"
cksum a/b/* | diff before -
record -o a/b/other/c -- touch started
echo "exit $?"
ls
