void free(void *);
int main(void) {
  free((void *)64); //~ UB bad-free
  return 0;
}
