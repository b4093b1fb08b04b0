// Elements and rows of arrays are accessed as what they are, the first and the last.
struct part { int number; union { float ratio; unsigned bits; } u; };
typedef int row[4];

static int first(row *rows) { return (*rows)[0]; }
static int number(struct part *part) { return part->number; }

int main(void)
{
    int table[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
    int sum = first(&table[0]) + first(&table[1]) + first(&table[2]) - 15;
    struct part parts[2][3] = {{{1}, {2}, {3}}, {{4}, {5}, {6}}};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) {
            parts[i][j].u.ratio = 1;
            sum += number(&parts[i][j]) - (3 * i + j + 1);
            sum += parts[i][j].u.bits != 0x3f800000;
            sum += ((unsigned char *)&parts[i][j].number)[3];
        }
    return sum;
}
