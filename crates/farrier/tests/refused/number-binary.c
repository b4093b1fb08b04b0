int x = 0b12; //~ `2` is not a binary digit
