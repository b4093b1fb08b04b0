void a[3]; //~ there are no arrays of `void`
