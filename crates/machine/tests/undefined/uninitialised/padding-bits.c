struct s {
  unsigned a : 3;
};
int main(void) {
  struct s s;
  s.a = 1;
  return *(unsigned char *)&s; //~ UB uninitialised
}
