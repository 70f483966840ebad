// The package's wasm modules with a memory limit, so that tests reach it before four gigabytes.
import { readFileSync } from 'node:fs';

/** The bytes of a module of `pkg/` with a memory limit of `mebibytes`. */
export function capped(name, mebibytes) {
  const bytes = readFileSync(new URL(`../pkg/${name}_bg.wasm`, import.meta.url));
  let at = 8;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const [start, id, size] = [at, bytes[at++], number()];
    const content = at;
    if (id === MEMORY) {
      if (number() !== 1 || bytes[at++] !== 0) throw new Error('one memory without a limit is expected');
      const limits = [1, 1, ...leb(number()), ...leb(mebibytes * 16)];
      return Buffer.concat([bytes.subarray(0, start), Buffer.from([MEMORY, ...leb(limits.length), ...limits]), bytes.subarray(content + size)]);
    }
    at = content + size;
  }
  throw new Error('there is no memory section');
}

/** The ID of the memory section. */
const MEMORY = 5;

/** Encodes a number in WebAssembly's format. */
function leb(value) {
  const bytes = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) + 128);
  }
}
