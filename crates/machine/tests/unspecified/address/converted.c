// Where the array is decides whether this is right.
void *memcpy(void *, const void *, unsigned long);
static char buffer[64];
int main(void) {
  int from = 1;
  int *to = (int *)buffer; //~ UNSPECIFIED address
  memcpy(to, &from, sizeof from);
  return 0;
}
