// options: --std c23
_BitInt(1) x; //~ a signed `_BitInt` has at least two bits
