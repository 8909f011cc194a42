trackway import
