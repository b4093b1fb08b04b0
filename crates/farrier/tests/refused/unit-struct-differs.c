// options: units/defines-x.i
struct s { long a; }; //~ is defined differently in another file
