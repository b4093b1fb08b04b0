typedef int T;
T int x; //~ two types in one declaration
