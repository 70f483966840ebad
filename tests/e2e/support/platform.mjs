// The conformance double of the platform.
//
// GBAC_PLATFORM names the built program (default: beside the built service).

import { dirname, extname, join } from 'node:path';

import { asking, basic } from './ask.mjs';
import { GBAC, impersonal, launch } from './launch.mjs';

const PROGRAM = process.env.GBAC_PLATFORM ?? join(dirname(GBAC), `platform_double${extname(GBAC)}`);

/** The double's superuser. */
export const SUPERUSER = { user: 'admin', password: 'secret' };

/** The double's cluster in the managed cloud, and a token of the superuser there. */
export const MANAGED = { cluster: 'c1', token: 'token-of-admin' };

/** Starts a double; `flags` say what it is and what it lacks. */
export async function startPlatform(flags = []) {
  const { ready, stop } = await launch(PROGRAM, flags, {
    ready: /^(admin|controlplane) (\S+) dataplane (\S+)$/m,
    env: impersonal(),
  });
  const [, api, first, dataPlane] = ready;
  return {
    /** The flags of a service that relays to it; the Control Plane names the Data Plane. */
    relay: api === 'admin' ? ['--upstream-admin', first, '--upstream-dataplane', dataPlane] : ['--upstream-controlplane', first],
    /** A request to its Data Plane as the superuser. */
    ask: asking(dataPlane, basic(SUPERUSER.user, SUPERUSER.password)),
    stop,
  };
}
