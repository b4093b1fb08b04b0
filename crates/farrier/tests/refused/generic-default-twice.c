int x = _Generic(1, default: 1, default: 2); //~ a choice for `default` already
