unsigned long zero;
int main(void) {
  return 5ul % zero == 0; //~ UB division-by-zero
}
