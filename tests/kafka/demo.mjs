// `cargo xtask kafka`: a cluster and a service with the same policy, until Ctrl-C.

import { fileURLToPath } from 'node:url';
import { startDemonstration } from './support/demonstration.mjs';

const POLICY = fileURLToPath(new URL('policy.json', import.meta.url));
/** Tokens are valid for an hour. */
const RENEW_MS = 20 * 60_000;

const ended = new Promise((resolve) => ['SIGINT', 'SIGTERM', 'SIGHUP'].forEach((signal) => process.once(signal, () => resolve())));

/** Shows the decisions in the authorizer's log, and problems. */
let rest = '';
function log(text) {
  const lines = (rest + text).split('\n');
  rest = lines.pop();
  for (const line of lines) if (/kafka\.authorizer\.logger|ERROR|FATAL/.test(line)) console.error(`  ${line}`);
}

const starting = startDemonstration(process.argv[2] ?? POLICY, { log });
const demo = await Promise.race([starting, ended]);
if (demo === undefined) process.exit(130);
const { service, cluster, commands, stop, renewTokens } = demo;
const { allowed, denied, acls } = commands;
const show = (title, line) => console.log(`\n${title}:\n  ${line}`);
console.log(`kafka on ${cluster.bootstrap}\nconsole on ${service.origin} (user admin, password demo)`);
if (allowed) show(`${allowed.user} may write to ${allowed.topic}`, allowed.line);
if (denied) show(`${denied.user} may not write to ${denied.topic}`, denied.line);
show('The ACLs of the cluster', acls);
console.log('\nCtrl-C ends it.');
const renewal = setInterval(() => renewTokens().catch((error) => console.error(`  tokens are not renewed: ${error.message}`)), RENEW_MS);
const failed = await Promise.race([ended.then(() => false), cluster.ended().then(() => true), service.ended().then(() => true)]);
clearInterval(renewal);
await stop();
if (failed) console.error('error: a process of the demonstration ended; the lines above say why');
process.exit(failed ? 1 : 0);
