struct s { unsigned low : 31; };
int main(void) {
  struct s s = { 0x7fffffff };
  return s.low + 1 == 0; //~ UB signed-overflow
}
