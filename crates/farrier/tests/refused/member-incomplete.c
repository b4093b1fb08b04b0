struct s { struct s t; }; //~ a member cannot have the incomplete type `struct s`
