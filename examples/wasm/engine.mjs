// Runs a program for WASI in V8 and prints its output between marks.
import { readFileSync, writeSync } from 'node:fs';
import { WASI } from 'node:wasi';

const wasi = new WASI({ version: 'preview1', args: ['program'], env: {}, returnOnExit: true });
const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const instance = new WebAssembly.Instance(module, wasi.getImportObject());
writeSync(1, 'farrier: begin\n');
let end;
try {
    end = wasi.start(instance);
} catch (error) {
    // Any other fault has no mark: nothing is known of the program then.
    if (!(error instanceof WebAssembly.RuntimeError) || error.message !== 'unreachable') throw error;
    end = 'abort';
}
writeSync(1, `farrier: end ${end}\n`);
