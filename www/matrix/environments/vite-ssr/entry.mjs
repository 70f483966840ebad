export { verdict } from './program.mjs';
