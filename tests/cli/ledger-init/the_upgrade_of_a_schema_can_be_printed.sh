trackway ledger init --upgrade --sql >sql
head -n 1 sql
grep -c 'CREATE OR REPLACE FUNCTION' sql
