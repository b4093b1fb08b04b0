void *memset(void *, int, unsigned long);
struct s {
  char a;
  int b;
} array[3];
int main(void) {
  struct s *p = &array[1];
  p->b = 1;
  if (((char *)&array[2])[1] != 0)
    return 1;
  return ((char *)p)[1]; //~ UB uninitialised
}
