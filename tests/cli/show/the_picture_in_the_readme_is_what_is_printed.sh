# doc/show.svg without its tags is the command and its output; tools/gen-picture draws it.
cp "$DATA/../../doc/examples/recorded.agent-trace.jsonl" .
tags='/<text/!d; s/<[^>]*>//g; s/&quot;/"/g; s/&#x27;/'"'"'/g; s/&gt;/>/g; s/&lt;/</g; s/&amp;/\&/g'
{
	echo '$ trackway show recorded.agent-trace.jsonl'
	trackway show recorded.agent-trace.jsonl
} >printed
sed "$tags" "$DATA/../../doc/show.svg" >drawn
[ "$(wc -l <drawn)" -gt 20 ] || echo 'the picture is nearly empty'
diff -u drawn printed
