import { verdict } from './program.mjs';

verdict().then((text) => console.log(text));
