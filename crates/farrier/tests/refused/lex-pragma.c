#pragma weak f //~ `#pragma weak` is not supported
