trackway convert x.jsonl --from trial --to otutl
