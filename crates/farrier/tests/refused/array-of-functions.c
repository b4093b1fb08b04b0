int f[3](void); //~ there are no arrays of `int(void)`
