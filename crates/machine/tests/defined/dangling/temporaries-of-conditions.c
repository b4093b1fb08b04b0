// They live until the condition has its value.
struct S { int a[3]; };
struct S make(int i) { return (struct S){ { i, 2, 3 } }; }
int third(void) { return make(0).a[2]; }
int main(void) {
  int sum = 0;
  for (int i = 0; i < make(1).a[2]; i += make(1).a[0]) sum += make(i).a[0];
  while (make(0).a[0]) sum++;
  do sum++;
  while (make(sum).a[0] < 5);
  switch (make(2).a[0] + make(3).a[1]) {
  case 4: sum += third();
  }
  if (make(7).a[1] == 2 && make(8).a[0] == 8) sum++;
  return sum == 9 ? 0 : sum;
}
