typedef int T = 1; //~ a typedef cannot be initialised
