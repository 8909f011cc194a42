trackway explain AT103 --json=code,severity,strict,permissive
