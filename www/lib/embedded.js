// The text of the wasm module inside a script: a character for the lower six bits of each byte, after one for its upper two unless
// they are 0. It is ASCII, which every toolchain and server leaves as it is, and equal bytes are equal text, which brotli finds.

const LOWER = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/';
const UPPER = '.,;';

/** The text of bytes. */
export function textOf(bytes) {
  let text = '';
  for (const byte of bytes) {
    if (byte >= 64) text += UPPER[(byte >> 6) - 1];
    text += LOWER[byte & 63];
  }
  return text;
}

/** The bytes of their text. */
export function bytesOf(text) {
  const bits = new Uint8Array(128);
  for (let place = 0; place < LOWER.length; place += 1) bits[LOWER.charCodeAt(place)] = place;
  for (let place = 0; place < UPPER.length; place += 1) bits[UPPER.charCodeAt(place)] = (place + 1) << 6;
  const bytes = new Uint8Array(text.length);
  let length = 0;
  let upper = 0;
  for (let place = 0; place < text.length; place += 1) {
    const value = bits[text.charCodeAt(place)];
    if (value >= 64) {
      upper = value;
    } else {
      bytes[length] = upper | value;
      length += 1;
      upper = 0;
    }
  }
  return bytes.subarray(0, length);
}
