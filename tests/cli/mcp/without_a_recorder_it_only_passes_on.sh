sh "$DATA/../cli/mcp/client" trackway -v mcp -- sh "$DATA/../cli/mcp/server"
