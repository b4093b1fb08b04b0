// Only the type of the operand of __builtin_classify_type matters.
int main(void) {
    int x, n = 0;
    double d;
    return !(__builtin_classify_type(x) == 1 && __builtin_classify_type(d) == 8
             && __builtin_classify_type(n++) == 1 && n == 0);
}
