int x = 1;
int f(void) { return 0; }
struct s { int a; };
enum e { A, B };
