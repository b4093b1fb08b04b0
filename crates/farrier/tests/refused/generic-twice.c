int x = _Generic(1, int: 1, int: 2); //~ a choice for `int` already
