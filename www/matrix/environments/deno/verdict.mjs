import { join } from 'node:path';
import { run, TOOLS } from '../support.mjs';
// No permission is needed, not even to read the package's files.
console.log(await run(join(TOOLS, 'node_modules/@deno/linux-x64-glibc/deno'), ['run', '--no-prompt', '--no-config', '--node-modules-dir=manual', 'main.mjs']));
