// options: --std c23
_BitInt(0) x; //~ `_BitInt` needs a width in bits
