// The classic: an unsigned char becomes an int before it is shifted.
int main(void) {
  unsigned char x = 255;
  unsigned y = x << 24; //~ UB shift-overflow
  return y == 0;
}
