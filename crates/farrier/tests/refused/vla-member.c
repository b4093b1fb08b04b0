void f(int n) {
  struct s { int a[n]; } s; //~ a member of variable length is not supported
}
