// tier: exact
union view { float number; unsigned bits; };
volatile float hidden = -0.0f;
int main(void) {
    union view v;
    v.number = hidden + 0.0f * hidden;
    return v.bits >> 31;
}
