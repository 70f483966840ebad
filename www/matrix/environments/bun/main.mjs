import { verdict } from './program.mjs';
console.log(await verdict());
