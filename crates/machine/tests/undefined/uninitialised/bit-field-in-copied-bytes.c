struct s {
  int a : 3, b : 9;
};
int main(void) {
  struct s s, t;
  s.a = 1;
  for (unsigned i = 0; i < sizeof s; i++)
    ((unsigned char *)&t)[i] = ((signed char *)&s)[i];
  if (t.a != 1)
    return 1;
  return t.b; //~ UB uninitialised
}
