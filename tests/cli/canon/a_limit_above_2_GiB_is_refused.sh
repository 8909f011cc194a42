echo 1 > a.json
trackway canon --max-record 3G a.json
