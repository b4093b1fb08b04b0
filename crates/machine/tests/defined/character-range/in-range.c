int isdigit(int);
int toupper(int);
int isspace(int);
int main(void) {
  if (!isdigit('7') || isdigit('x') || isdigit(-1) || isdigit(255)) return 1;
  return toupper('a') == 'A' && isspace(' ') ? 0 : 2;
}
