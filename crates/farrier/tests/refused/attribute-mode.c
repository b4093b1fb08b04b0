int x __attribute__((mode(OI))); //~ the mode `OI` is not supported
