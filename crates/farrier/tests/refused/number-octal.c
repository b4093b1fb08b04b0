int x = 089; //~ `8` is not an octal digit
