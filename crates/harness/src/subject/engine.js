// Runs a program for WASI in V8 and prints its output between marks. An option such as -O3 before
// the program lets wasm-opt change it first.
const { readFileSync, writeSync } = require('node:fs');
const { execFileSync } = require('node:child_process');
const { WASI } = require('node:wasi');

const [level, program] = process.argv.slice(-2);
let code = program;
if (level.startsWith('-O')) {
    code = 'optimised.wasm';
    execFileSync('wasm-opt', [level, '--all-features', program, '-o', code]);
}
const wasi = new WASI({ version: 'preview1', args: ['program'], env: {}, returnOnExit: true });
const module = new WebAssembly.Module(readFileSync(code));
const instance = new WebAssembly.Instance(module, wasi.getImportObject());
writeSync(1, 'farrier: begin\n');
let end;
try {
    end = wasi.start(instance);
} catch (error) {
    // Any other fault has no mark: nothing is known of the program then.
    if (error instanceof RangeError) end = 'memory';
    else if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    else end = error.message === 'unreachable' ? 'abort' : 'trap';
}
writeSync(1, `farrier: end ${end}\n`);
