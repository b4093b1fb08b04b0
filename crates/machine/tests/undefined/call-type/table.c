static int zero(void) { return 0; }
static void nothing(void) { }
typedef int function(void);
int main(void) {
  function *table[2] = { zero, (function *)nothing };
  int sum = 0;
  for (int i = 0; i < 2; i++)
    sum += table[i](); //~ UB call-type
  return sum;
}
