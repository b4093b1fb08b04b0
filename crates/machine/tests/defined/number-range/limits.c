int atoi(const char *);
long strtol(const char *, char **, int);
int main(void) {
  char *end;
  long most = strtol("99999999999999999999z", &end, 10);
  return !(atoi(" -2147483648") == -2147483647 - 1 && atoi("+17x") == 17 && atoi("x") == 0
           && most == 9223372036854775807 && *end == 'z');
}
