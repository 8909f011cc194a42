"""Static function names and the rooms they stand in: shared by lint and tools/measure."""

import collections

from tree import room_of

# What csource takes for the name of a function that returns a pointer to one.
TYPES = {"bool", "void", "int"}


def static_names(sources):
    """(room, name, path) of every static function below src/."""
    for source in sources:
        room = room_of(source.path)
        if room is None:
            continue
        for function in source.functions:
            if function.is_static and function.name not in TYPES:
                yield room, function.name, source.path


def twice_in_room(sources):
    """(room, name, paths) of every static name that more than one file of a room has."""
    places = collections.defaultdict(list)
    for room, name, path in static_names(sources):
        places[room, name].append(path)
    for (room, name), paths in sorted(places.items()):
        if len(set(paths)) > 1:
            yield room, name, paths
