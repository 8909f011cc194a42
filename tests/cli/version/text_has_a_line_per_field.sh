trackway version | cut -d' ' -f1
