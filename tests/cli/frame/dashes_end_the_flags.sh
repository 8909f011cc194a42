trackway version -- --json
