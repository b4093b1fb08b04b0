// What may be accessed in the second element of an array may be accessed in all others.
struct part { int number; float ratio; };

int main(void)
{
    struct part rows[3][4] = {{{1, 2}}};
    float total = rows[1][1].ratio + rows[2][3].ratio;
    float *wrong = (float *)&rows[2][3].number;
    return total + *wrong == 0; //~ UB effective-type
}
