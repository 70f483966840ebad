// Makes the text that `lib/embedded.js` reads.
import { LETTERS, SINGLE } from '../lib/embedded.js';

const lettersOf = (number) => (number < SINGLE ? '' : LETTERS[SINGLE - 1 + Math.floor(number / SINGLE)]) + LETTERS[number % SINGLE];

/** The text of bytes. */
export function textOf(bytes) {
  const counts = new Uint32Array(256);
  for (const byte of bytes) counts[byte] += 1;
  const byCount = [...counts.keys()].sort((one, other) => counts[other] - counts[one]);
  const order = [byCount.slice(0, SINGLE), byCount.slice(SINGLE)].flatMap((bytes) => bytes.sort((one, other) => one - other));
  const letters = [];
  for (const [place, byte] of order.entries()) letters[byte] = lettersOf(place);
  let text = order.map(lettersOf).join('');
  for (const byte of bytes) text += letters[byte];
  return text;
}
