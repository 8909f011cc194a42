trackway version --jsno
