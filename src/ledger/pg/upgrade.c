/* The SQL that brings a ledger in PostgreSQL from version 1 or 2 of its schema to version 3. */
#include "ledger/pg/private.h"

/*
 * What version 2 of the schema has in place of version 1: an append that reads what it is given. Before, a writer could
 * append any bytes under any ident, and nobody could be rid of them. Version 3 knows runs and benchmarks.
 */

const char pg_schema_version[] =
	"CREATE OR REPLACE FUNCTION ledger.version() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 3';\n"
	"\n";

/* The same rules as entry_parse, as far as they can be told here; the publisher reads every entry again. */
const char pg_schema_reading[] =
	"-- Whether an earlier entry is referred to by its place, its leaf and its trial; nothing at all is fine.\n"
	"CREATE OR REPLACE FUNCTION ledger.is_ref(p_ref json) RETURNS boolean\n"
	"LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$\n"
	"  SELECT p_ref IS NULL OR (json_typeof(p_ref) = 'object'\n"
	"    AND coalesce((p_ref ->> 'leaf') ~ '^[0-9a-f]{64}$', false)\n"
	"    AND coalesce((p_ref -> 'index')::text ~ '^[0-9]{1,18}$', false)\n"
	"    AND coalesce(json_typeof(p_ref -> 'trial_id') = 'string', false))\n"
	"$$;\n"
	"\n"
	"-- What an entry is, by its own words: its ident, and the digest that must be equal for the same ident to\n"
	"-- mean the same. What is no entry of a ledger is refused.\n"
	"CREATE OR REPLACE FUNCTION ledger.read_entry(p_entry bytea, OUT o_ident bytea, OUT o_digest bytea)\n"
	"LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$\n"
	"DECLARE\n"
	"  gap CONSTANT bytea := decode('00', 'hex');\n"
	"  e json := convert_from(p_entry, 'UTF8')::json;\n"
	"  kind text := e ->> 'kind';\n"
	"  trial text := e #>> '{ref,trial_id}';\n"
	"  wanted text[] := CASE kind WHEN 'trial' THEN '{record,completeness}' WHEN 'run' THEN '{record}'\n"
	"    WHEN 'review' THEN '{record,ref}' WHEN 'supersede' THEN '{ref,by,reason}'\n"
	"    WHEN 'artifact' THEN '{record,ref}' WHEN 'erase' THEN '{ref,reason}' WHEN 'key' THEN '{}'\n"
	"    WHEN 'bench' THEN '{record,files}' END;\n"
	"  fault text;\n"
	"BEGIN\n"
	"  fault := CASE\n"
	"    WHEN json_typeof(e) <> 'object' THEN 'it is not an object'\n"
	"    WHEN e ->> 'v' IS DISTINCT FROM 'ledger-entry/v1' THEN 'its v is not ledger-entry/v1'\n"
	"    WHEN wanted IS NULL THEN 'its kind is not known'\n"
	"    WHEN json_typeof(e -> 'id') IS DISTINCT FROM 'string' OR e ->> 'id' = '' THEN 'it has no id'\n"
	"    WHEN json_typeof(e -> 'sealed_at') IS DISTINCT FROM 'string' OR e ->> 'sealed_at' = ''\n"
	"      THEN 'it has no sealed_at'\n"
	"    WHEN coalesce(json_typeof(e -> 'experiment'), 'string') <> 'string' THEN 'its experiment is no string'\n"
	"    WHEN coalesce(json_typeof(e -> 'completeness'), 'string') <> 'string'\n"
	"      THEN 'its completeness is no string'\n"
	"    WHEN coalesce(json_typeof(e -> 'reason'), 'string') <> 'string' THEN 'its reason is no string'\n"
	"    WHEN NOT wanted <@ ARRAY(SELECT json_object_keys(e))\n"
	"      THEN 'a ' || kind || ' needs ' || array_to_string(wanted, ', ')\n"
	"    WHEN ARRAY(SELECT json_object_keys(e))\n"
	"      <> ARRAY(SELECT DISTINCT k COLLATE \"C\" FROM json_object_keys(e) AS k ORDER BY 1)\n"
	"      THEN 'it is not in canonical form'\n"
	"    WHEN e -> 'record' IS NOT NULL AND (e #>> '{record,alg}' IS DISTINCT FROM 'sha256'\n"
	"      OR coalesce(e #>> '{record,hex}', '') !~ '^[0-9a-f]{64}$'\n"
	"      OR coalesce((e #> '{record,size}')::text, '') !~ '^[0-9]{1,18}$')\n"
	"      THEN 'its record is not named by its digest'\n"
	"    WHEN coalesce(json_typeof(e -> 'files'), 'array') <> 'array' THEN 'its files are no list'\n"
	"    WHEN NOT ledger.is_ref(e -> 'ref') OR NOT ledger.is_ref(e -> 'by') THEN 'its reference is none'\n"
	"  END;\n"
	"  IF fault IS NOT NULL THEN\n"
	"    RAISE EXCEPTION 'this is no entry of a ledger: %', fault USING ERRCODE = 'invalid_parameter_value';\n"
	"  END IF;\n"
	"  o_ident := convert_to(kind, 'UTF8') || gap || convert_to(coalesce(e ->> 'experiment', ''), 'UTF8') || gap;\n"
	"  IF kind IN ('supersede', 'erase', 'artifact') THEN\n"
	"    o_ident := o_ident || convert_to(trial, 'UTF8') || CASE kind WHEN 'artifact' THEN gap ELSE '' END;\n"
	"  END IF;\n"
	"  IF kind NOT IN ('supersede', 'erase') THEN\n"
	"    o_ident := o_ident || convert_to(e ->> 'id', 'UTF8');\n"
	"  END IF;\n"
	"  o_ident := sha256(o_ident);\n"
	"  o_digest := CASE WHEN e -> 'files' IS NOT NULL THEN sha256(convert_to((e -> 'files')::text, 'UTF8'))\n"
	"    WHEN e -> 'record' IS NOT NULL THEN decode(e #>> '{record,hex}', 'hex')\n"
	"    ELSE sha256(convert_to('{' || concat_ws(',', '\"by\":' || (e -> 'by')::text,\n"
	"      '\"reason\":' || (e -> 'reason')::text), 'UTF8')) END;\n"
	"END $$;\n"
	"\n";

const char pg_schema_checking[] =
	"-- What is no entry, or goes by another name than its own, is refused.\n"
	"CREATE OR REPLACE FUNCTION ledger.check_entries(p_ident bytea[], p_digest bytea[], p_entry bytea[])\n"
	"RETURNS void\n"
	"LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$\n"
	"DECLARE\n"
	"  one record;\n"
	"BEGIN\n"
	"  FOR i IN 1..cardinality(p_entry) LOOP\n"
	"    one := ledger.read_entry(p_entry[i]);\n"
	"    IF one.o_ident IS DISTINCT FROM p_ident[i] OR one.o_digest IS DISTINCT FROM p_digest[i] THEN\n"
	"      RAISE EXCEPTION 'the ident and the digest given are not those of the entry'\n"
	"        USING ERRCODE = 'invalid_parameter_value';\n"
	"    END IF;\n"
	"  END LOOP;\n"
	"END $$;\n"
	"\n";

/* A function that is new belongs to whom the others belong, and nobody else calls it. */
static const char owning[] =
	"REVOKE ALL ON FUNCTION ledger.read_entry(bytea), ledger.is_ref(json),\n"
	"  ledger.check_entries(bytea[], bytea[], bytea[]) FROM PUBLIC;\n"
	"DO $$\n"
	"DECLARE\n"
	"  o text := (SELECT p.proowner::regrole::text FROM pg_catalog.pg_proc p\n"
	"    WHERE p.oid = 'ledger.append(text, bytea[], bytea[], bytea[])'::regprocedure);\n"
	"BEGIN\n"
	"  EXECUTE format('ALTER FUNCTION ledger.read_entry(bytea) OWNER TO %s', o);\n"
	"  EXECUTE format('ALTER FUNCTION ledger.is_ref(json) OWNER TO %s', o);\n"
	"  EXECUTE format('ALTER FUNCTION ledger.check_entries(bytea[], bytea[], bytea[]) OWNER TO %s', o);\n"
	"END $$;\n";

struct str log_pg_upgrade_sql(struct arena *a)
{
	return ARENA_JOIN(a, STR("-- From version 1 or 2 of the schema to 3. To be run whole, in one transaction.\n"),
			  str_from(pg_schema_reading), str_from(pg_schema_checking), STR("CREATE OR REPLACE "),
			  str_from(pg_schema_append), str_from(pg_schema_version), STR(owning));
}
