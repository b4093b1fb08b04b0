struct s { static int x; }; //~ storage class has no place here
