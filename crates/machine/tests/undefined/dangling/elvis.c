void *malloc(unsigned long);
void free(void *);
int main(void) {
  char *p = malloc(2);
  free(p);
  char *truth = p ?: "x"; //~ UB dangling
  return !truth;
}
