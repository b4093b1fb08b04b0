// More than 16 MiB, and no padding.
struct large { int numbers[5 << 20]; char flags[4]; union { float f; int i; } u; };
static struct large all;
int main(void) {
  all.numbers[0] = 1;
  all.flags[3] = 2;
  all.u.f = 1;
  const unsigned char *bytes = (const unsigned char *)&all;
  return bytes[20 << 20] + all.numbers[0] - 1;
}
