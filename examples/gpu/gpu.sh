#!/bin/sh
# Runs a module on the GPU of the machine that FARRIER_GPU names.
exec ssh -o BatchMode=yes "${FARRIER_GPU:?names no machine}" ./farrier-gpu - < "$1"
