// An identity provider for tests: a key, its JWKS, and tokens that it signs.
import { generateKeyPairSync, sign } from 'node:crypto';

export const ISSUER = 'https://idp.example.com';
export const AUDIENCE = 'streaming';

/** Creates a provider with one key. */
export function provider(kid = 'k1') {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' }] };
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = (claims, { now = Date.now() / 1000, lasts = 300 } = {}) => {
    const payload = { iss: ISSUER, aud: AUDIENCE, iat: Math.floor(now), exp: Math.floor(now) + lasts, ...claims };
    const signed = `${part({ alg: 'ES256', typ: 'at+jwt', kid })}.${part(payload)}`;
    const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${signed}.${signature.toString('base64url')}`;
  };
  return { jwks, token };
}

/** A policy that allows the group engineering to read and write `analytics-*`. */
export const DOCUMENT = {
  version: 1,
  roles: [{ name: 'DataEngineers', members: [{ principal: 'Group:engineering' }] }],
  acls: ['OPERATION_READ', 'OPERATION_WRITE'].map((operation) => ({
    resource_type: 'RESOURCE_TYPE_TOPIC', resource_name: 'analytics-', resource_pattern_type: 'RESOURCE_PATTERN_TYPE_PREFIXED',
    principal: 'Role:DataEngineers', host: '*', operation, permission_type: 'PERMISSION_TYPE_ALLOW',
  })),
};
