typedef double doubles __attribute__((vector_size(16)));
typedef long long numbers __attribute__((vector_size(16)));

int main(void)
{
    doubles left = {1, 2}, right = {1, 3};
    numbers same = left == right;
    numbers less;
    less = left < right;
    return !(same[0] == -1 && same[1] == 0 && less[0] == 0 && less[1] == -1);
}
