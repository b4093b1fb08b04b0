void x; //~ `x` cannot have type `void`
