head -c 100000 /dev/zero | tr '\0' '[' > deep.json
trackway canon deep.json 2>&1 | cut -c1-60
