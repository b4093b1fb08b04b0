struct s {
  uint8_t a; //~ `uint8_t` is not declared
};
