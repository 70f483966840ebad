import { run } from '../support.mjs';
console.log(await run(process.env.GBAC_VARIANT_PROGRAM ?? process.execPath, ['main.cjs']));
