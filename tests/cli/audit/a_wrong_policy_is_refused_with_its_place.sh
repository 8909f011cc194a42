# refuse TEXT: the policy of this text
refuse()
{
	printf '%s\n' "$1" >policy.json
	trackway audit "$DATA/audit/kept.otutl.jsonl" --policy policy.json
	echo "exit $?"
}
refuse '{"budget": {"max_call": 3}}'
refuse '{"budget": {"max_calls": "3"}}'
refuse '{"retrieval_set": ["doc/a.md"]}'
refuse '{"limits": {}}'
refuse '{"budget": {'
