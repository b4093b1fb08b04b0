void free(void *);
int x[4];
int main(void) {
  free(x); //~ UB bad-free
  return 0;
}
