int main(void) {
  unsigned __int128 x = 1, y = 0;
  return (int)(x / y); //~ UB division-by-zero
}
