// Bit-fields share bytes, but each is an object of its own (C11 6.5p2).
struct s { unsigned a : 4, b : 4; unsigned c : 30; int d; };
struct s s;
int n;

int set(unsigned value)
{
    s.b = value;
    n++;
    return 0;
}

int main(void)
{
    s.a = s.b = 3;
    int sum = (s.a = 5) + (s.b = 4);
    s.a += s.b++;
    sum += (s.a = 1) + set(7);
    struct s t = {1, 0 && n, 2, set(9)};
    return sum != 10 || s.a != 1 || s.b != 9 || t.c != 2 || n != 2;
}
