. "$DATA/../cli/report/common"
start_with_models
reviews s-8 ana fail
reviews s-8 ben pass
reviews s-8 cem pass adjudication
trackway report review --gate "open<=0" --json=disagreements,gates
