int a[3;  //~ expected `]`
