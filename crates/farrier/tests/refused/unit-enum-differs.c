// options: units/defines-x.i
enum e { A, B, C }; //~ is defined differently in another file
