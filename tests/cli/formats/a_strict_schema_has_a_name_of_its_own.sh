trackway formats --schema agent-trace --strict | grep urn:
