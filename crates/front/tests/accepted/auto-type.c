int main(void) {
    __auto_type a = 1.5;
    const __auto_type b = 2L;
    __auto_type p = &a;
    return !(sizeof a == 8 && sizeof b == 8 && *p == 1.5);
}
