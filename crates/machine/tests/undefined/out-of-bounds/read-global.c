int table[8];
static int get(int i) {
  return table[i]; //~ UB out-of-bounds
}
int main(void) { return get(7) + get(8); }
