trackway report leaderboard --ledger nowhere
