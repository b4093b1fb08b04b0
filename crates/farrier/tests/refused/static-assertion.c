_Static_assert(sizeof(int) == 2, "int has two bytes"); //~ static assertion failed: int has two bytes
