trackway explain lg021
