trackway -- version
