struct s { int n; int a[]; int b; }; //~ an array without a length must be the last member
