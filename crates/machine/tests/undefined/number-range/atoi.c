int atoi(const char *);
int main(void) {
  return atoi("2147483648") == 0; //~ UB number-range
}
