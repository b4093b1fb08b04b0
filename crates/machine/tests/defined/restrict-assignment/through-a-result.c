// C11 6.7.3.1p12: the value of a restricted pointer may be carried out of its block.
typedef struct {
    int n;
    float *restrict v;
} vector;

static float *next(float *restrict p) {
    float *restrict *none = 0;
    (void)none;
    return p + 1;
}

static vector make(float *restrict store) {
    vector t;
    t.n = 1;
    t.v = store;
    return t;
}

int main(void) {
    float store[2] = {0, 0};
    float *restrict p = next(store);
    vector v = make(store);
    float *plain = p;
    {
        float *restrict q = plain;
        *q = 2;
    }
    return v.n - 1 + (p[0] != 2);
}
