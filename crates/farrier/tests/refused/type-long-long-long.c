long long long x; //~ `long long long` is not a type
