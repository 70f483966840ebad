// The people of the provider: one for each shape in which real providers write groups into an access token.

/** Each person's algorithm, and where and how the token holds their groups. */
export const PEOPLE = {
  // An array at $.groups, the common case.
  'maya.okafor': { alg: 'RS256', groups: ['engineering', 'analytics'], claims: (groups) => ({ groups }) },
  // Paths, as a provider with nested groups writes them; two of them end in the same segment.
  'jonas.lindqvist': {
    alg: 'ES256',
    groups: ['/eng/payments', '/contractors/payments', '/eng/platform/on-call'],
    claims: (groups) => ({ groups }),
  },
  // A nested claim beside roles that every user has.
  'ana.sousa': {
    alg: 'RS256',
    groups: ['payments', 'offline_access'],
    claims: (groups) => ({ realm_access: { roles: groups } }),
  },
  // One string with commas, and with blanks around some of them.
  'tom.weber': {
    alg: 'Ed25519',
    groups: ['engineering', 'analytics'],
    claims: (groups) => ({ groups: groups.join(' , ') }),
  },
};
