// A cluster with an issuer, clients, and their tokens, for one test file.

import { startClients } from './clients.mjs';
import { makeCluster, tokenClient } from './cluster.mjs';
import { startIssuer } from './issuer.mjs';

/** Starts a cluster with these topics and ACLs. `settings` can be a function of the issuer. */
export async function startWorld({ topics = [], acls = [], settings, ...options }) {
  const issuer = await startIssuer();
  let clients, cluster;
  const stop = () => Promise.all([clients?.stop(), cluster?.remove(), issuer.stop()]);
  try {
    clients = startClients();
    const own = typeof settings === 'function' ? settings(issuer) : settings;
    cluster = await makeCluster({ ...issuer, ...options, ...(own ? { settings: own } : {}) });
    await cluster.start();
    const admin = await clients.open('admin', cluster.admin);
    if (topics.length > 0) await admin.call('createTopics', { topics });
    if (acls.length > 0) await admin.call('createAcls', { acls });
    let last = 0;
    return {
      cluster,
      issuer,
      admin,
      clients,
      stop,
      /** A client of Kafka with a token of this user and these groups. `own` are more properties, `claims` more claims. */
      async as(user, groups, kind, { own = {}, claims, file = cluster.tokenFile(`${user}-${++last}`), lasts } = {}) {
        await issuer.write(file, { sub: user, groups, ...claims }, lasts);
        return clients.open(kind, { ...tokenClient(cluster.bootstrap, file), ...own });
      },
    };
  } catch (error) {
    const said = `${cluster?.output()}\n${clients?.output()}`;
    await stop();
    error.message += `\n${said}`;
    throw error;
  }
}
