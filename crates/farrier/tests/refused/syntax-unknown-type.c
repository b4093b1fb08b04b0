uint32_t x; //~ `uint32_t` is not declared
