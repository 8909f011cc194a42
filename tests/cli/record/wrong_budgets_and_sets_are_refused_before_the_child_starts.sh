. "$DATA/../cli/record/common"
echo '{"max_call": 3}' >budget.json
record -o run --budget budget.json -- touch started
echo "exit $?"
echo '["a"]' >set.json
record -o run --retrieval-set set.json -- touch started
echo "exit $?"
record -o run --budget nowhere.json -- touch started
echo "exit $?"
ls
