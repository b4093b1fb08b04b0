int x;
_Static_assert(x, ""); //~ this is not an integer constant
