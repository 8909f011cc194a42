trackway bench compare monday tuesday
