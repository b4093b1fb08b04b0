static const char table[4] = { 1, 2, 3, 4 };
static void set(char *p) {
  p[2] = 0; //~ UB write-to-const
}
int main(void) {
  set((char *)table);
  return 0;
}
