trackway ledger init --sql >schema.sql
grep -c -e '^CREATE SCHEMA ledger;' -e 'CREATE FUNCTION ledger.append' schema.sql
