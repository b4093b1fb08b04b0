struct s { int n; int a[]; int b; }; //~ a member has the incomplete type `int[]`
