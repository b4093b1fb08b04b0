// The length of an array of the function around is known to that function alone.
static int size(int n)
{
    int rows[2][n];
    n = 7;
    int bytes(void)
    {
        return sizeof rows; //~ UNSUPPORTED a variable-length array here
    }
    return bytes();
}

int main(void)
{
    return size(3);
}
