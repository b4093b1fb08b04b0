// options: --target avr
_Float128 x; //~ this type does not exist on avr
