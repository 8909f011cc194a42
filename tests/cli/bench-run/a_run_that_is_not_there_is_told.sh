trackway bench run --resume nowhere
