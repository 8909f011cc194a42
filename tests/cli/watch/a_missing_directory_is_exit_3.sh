trackway watch nowhere
