trackway mock --listen somewhere:80
