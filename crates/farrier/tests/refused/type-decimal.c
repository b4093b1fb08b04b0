_Decimal32 x; //~ decimal floating point is not supported
