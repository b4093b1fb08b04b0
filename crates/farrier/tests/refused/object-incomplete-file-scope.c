struct s x; //~ struct s
