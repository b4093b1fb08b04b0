enum e { A = -1, B = 0xffffffffffffffff }; //~ no integer type holds all these constants
