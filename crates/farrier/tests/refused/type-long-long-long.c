long long long x; //~ this is not a type
