// The text of the wasm module inside a script: a letter for each of the most frequent bytes, two for the others, after 256 numbers that
// say which bytes these are. It is ASCII without quotes, which every toolchain and server leaves as it is, and equal bytes are equal
// text, which compression finds.

export const LETTERS = '!#%&()*+,-./0123456789:;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~';
/** How many letters are numbers on their own; the last two begin a number of two letters. */
export const SINGLE = LETTERS.length - 2;

/** The bytes of their text. */
export function bytesOf(text) {
  const numbers = new Uint8Array(128);
  for (let place = 0; place < LETTERS.length; place += 1) numbers[LETTERS.charCodeAt(place)] = place;
  const order = new Uint8Array(256);
  const bytes = new Uint8Array(text.length);
  let length = -order.length;
  let first = 0;
  for (let place = 0; place < text.length; place += 1) {
    const number = numbers[text.charCodeAt(place)];
    if (number >= SINGLE) {
      first = (number - SINGLE + 1) * SINGLE;
      continue;
    }
    if (length < 0) order[length + order.length] = first + number;
    else bytes[length] = order[first + number];
    length += 1;
    first = 0;
  }
  return bytes.subarray(0, Math.max(length, 0));
}
