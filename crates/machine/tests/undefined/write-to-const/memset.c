void *memset(void *, int, unsigned long);
static const int a[2] = { 1, 2 };
int main(void) {
  memset((void *)a, 0, sizeof a); //~ UB write-to-const
  return 0;
}
