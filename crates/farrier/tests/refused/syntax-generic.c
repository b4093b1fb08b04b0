int x = _Generic(1, long: 2); //~ `_Generic` has no choice for `int`
