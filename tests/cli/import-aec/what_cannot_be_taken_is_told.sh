. "$DATA/../cli/import/common"
mkdir tree
sed 's/{"trial_id"/{"schema_version":2,"trial_id"/' "$DATA/trial/full.json" >tree/a.json
sed 's/"adapter_revision":"sha256:bb",//' "$DATA/trial/full.json" >tree/b.json
sed 's/"reward":0.75/"reward":0.5/' "$DATA/trial/full.json" >tree/d.json
cp "$DATA/trial/full.json" tree/c.json
echo '{' >tree/e.json
trackway import aec tree
