// The conformance double of the platform.
//
// GBAC_PLATFORM names the built program (default: target/debug/platform_double).

import { fileURLToPath } from 'node:url';

import { asking, basic } from './ask.mjs';
import { impersonal, launch } from './launch.mjs';

const PROGRAM =
  process.env.GBAC_PLATFORM ?? fileURLToPath(new URL('../../../target/debug/platform_double', import.meta.url));

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
