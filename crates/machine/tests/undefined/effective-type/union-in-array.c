union u { long l; double d; };
struct s { int tag; union u u; } array[3];
int main(void) {
  double *d = &array[2].u.d;
  long *l = &array[2].u.l;
  *d = 1;
  return *l == 0; //~ UB effective-type
}
