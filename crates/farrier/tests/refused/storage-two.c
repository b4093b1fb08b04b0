static extern int x; //~ a declaration has only one storage class
