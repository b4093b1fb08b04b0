// Arrays in arrays, deeper than it is asked whether their elements are alike.
int a[2][2][2][2][2][2][2][2][2][2][2][2];

int main(void)
{
    int sum = 0;
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) {
                a[i][0][0][0][j][0][0][0][i][0][0][j] += round + i;
                sum += a[i][0][0][0][j][0][0][0][i][0][0][j];
            }
    return sum != 28;
}
