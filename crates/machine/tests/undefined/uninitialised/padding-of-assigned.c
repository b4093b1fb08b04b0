void *calloc(unsigned long, unsigned long);
int memcmp(const void *, const void *, unsigned long);
struct s {
  char a;
  int b;
};
int main(void) {
  struct s *p = calloc(2, sizeof *p);
  p[1] = p[0];
  return memcmp(p, p + 1, sizeof *p); //~ UB uninitialised
}
