static struct {
  char a;
  int b;
} s = {1, 2};
int main(void) {
  return ((char *)&s)[1]; //~ UB uninitialised
}
