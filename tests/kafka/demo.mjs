// `cargo xtask kafka`: a cluster and a service that manages its ACLs, until Ctrl-C.

import { fileURLToPath } from 'node:url';
import { PASSWORD, startDemonstration } from './support/demonstration.mjs';

const POLICY = fileURLToPath(new URL('policy.json', import.meta.url));

const ended = new Promise((resolve) => ['SIGINT', 'SIGTERM', 'SIGHUP'].forEach((signal) => process.once(signal, () => resolve())));

/** Shows denials, and problems. */
function log(line, denial) {
  if (denial) console.error(`  denied: ${denial.principal}, ${denial.operation} of ${denial.resource_type} ${denial.resource_name}\n    ${denial.console}`);
  else if (/ERROR|FATAL/.test(line)) console.error(`  ${line}`);
}

const starting = startDemonstration(process.argv[2] ?? POLICY, { log });
const demo = await Promise.race([starting, ended]);
if (demo === undefined) process.exit(130);
const { service, cluster, commands, shellFile, stop } = demo;
const { allowed, denied, acls } = commands;
const show = (title, line) => console.log(`\n${title}:\n  ${line}`);
console.log(`kafka on ${cluster.bootstrap}\nconsole on ${service.origin} (user admin, password ${PASSWORD})`);
show('In another terminal', `. ${shellFile}`);
if (allowed) show(`${allowed.user} may write to ${allowed.topic}`, allowed.line);
if (denied) show(`${denied.user} may not write to ${denied.topic}`, denied.line);
show('The ACLs of the cluster', acls);
console.log('\nWhat to do about a denial: docs/kafka.md. Ctrl-C ends it.');
const failed = await Promise.race([ended.then(() => false), cluster.ended().then(() => true), service.ended.then(() => true)]);
await stop();
if (failed) console.error('error: a process of the demonstration ended; the lines above say why');
process.exit(failed ? 1 : 0);
