import { verdict } from './program.mjs';
verdict().then(console.log);
