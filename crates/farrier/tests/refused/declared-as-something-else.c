typedef int T;
int T; //~ `T` is already something else here
