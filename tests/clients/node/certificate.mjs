// A certificate for 127.0.0.1 and other names that signs itself, in PEM, with its key.

import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A value in DER: a tag, a length and the content. */
function der(tag, ...content) {
  const bytes = Buffer.concat(content);
  const { length } = bytes;
  const prefix = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...prefix]), bytes]);
}

const sequence = (...content) => der(0x30, ...content);
const identifier = (hex) => der(0x06, Buffer.from(hex, 'hex'));
const time = (date) => der(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
const bits = (bytes) => der(0x03, Buffer.from([0]), bytes);
const pem = (label, bytes) =>
  `-----BEGIN ${label}-----\n${bytes.toString('base64').match(/.{1,64}/g).join('\n')}\n-----END ${label}-----\n`;

/** Makes a certificate, also for these host names, that is valid for an hour. */
export function certificate(hosts = []) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const hour = 3_600_000;
  const ecdsaWithSha256 = sequence(identifier('2a8648ce3d040302'));
  const name = sequence(der(0x31, sequence(identifier('550403'), der(0x0c, Buffer.from('127.0.0.1')))));
  const names = hosts.map((host) => der(0x82, Buffer.from(host)));
  const addresses = sequence(der(0x87, Buffer.from([127, 0, 0, 1])), ...names);
  const extension = (oid, value) => sequence(identifier(oid), der(0x04, value));
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    name,
    sequence(time(new Date(Date.now() - hour)), time(new Date(Date.now() + hour))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension('551d11', addresses), extension('551d13', sequence(der(0x01, Buffer.from([255])))))),
  );
  const signature = sign('sha256', content, privateKey);
  return {
    certificate: pem('CERTIFICATE', sequence(content, ecdsaWithSha256, bits(signature))),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
}
