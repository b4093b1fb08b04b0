int main(void)
{
    int round = 0;
    {
        if (round) goto late;
        int x = 5;
    late:
        if (round++) return x; //~ UB uninitialised
    }
    if (round == 1) {
        goto late;
    }
    return 0;
}
