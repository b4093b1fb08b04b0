void f(int a) {
  switch (a) {
  case 1 ... 5:;
  case 3:; //~ the value 3 has a case already
  }
}
