// The conformance double of the platform.
//
// GBAC_PLATFORM names the built program (default: beside the built service).

import { dirname, extname, join } from 'node:path';

import { asking, basic } from './ask.mjs';
import { GBAC, impersonal, launch } from './launch.mjs';

const PROGRAM = process.env.GBAC_PLATFORM ?? join(dirname(GBAC), `platform_double${extname(GBAC)}`);

/** The double's superuser. */
export const SUPERUSER = { user: 'admin', password: 'secret' };

/** Starts a double; `flags` say what it lacks. */
export async function startPlatform(flags = []) {
  const { ready, stop } = await launch(PROGRAM, flags, {
    ready: /^admin (\S+) dataplane (\S+)$/m,
    env: impersonal(),
  });
  const [, admin, dataPlane] = ready;
  return {
    /** The flags of a service that relays to it. */
    relay: ['--upstream-admin', admin, '--upstream-dataplane', dataPlane],
    /** A request to its Data Plane as the superuser. */
    ask: asking(dataPlane, basic(SUPERUSER.user, SUPERUSER.password)),
    stop,
  };
}
