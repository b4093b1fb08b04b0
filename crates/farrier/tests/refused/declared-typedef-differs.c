typedef int T;
typedef long T; //~ `T` is the type `int` already, and cannot be `long` too
