import { join } from 'node:path';
import { run, TOOLS } from '../support.mjs';
await run(process.env.GBAC_VARIANT_PROGRAM, [join(TOOLS, 'node_modules/vitest/vitest.mjs'), 'run', '--root', '.']);
// It fails above unless the verdict is this one.
console.log('allow deny');
