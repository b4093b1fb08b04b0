int main(void) {
  unsigned x = 1;
  unsigned long count = 4294967296;
  return (x << count) != 0; //~ UB shift-count
}
