#!/bin/sh
# Puts a program on the board and shows what its serial line prints.
echo "board 1.0 boots"
"$1"
echo "board stops"
