for log in withheld no_price no_tokens hidden_programs; do
	trackway audit "$DATA/audit/$log.otutl.jsonl"
	echo "exit $?"
done
