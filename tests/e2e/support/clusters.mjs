// A service with two clusters: a demonstration for each, behind one origin, with the paths of a service that has several
// (D-137). The cluster in the URL chooses the demonstration; without one, it is the first.

import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { startService } from './service.mjs';

const BASE = '/gbac/v1/clusters';
export const [FIRST, SECOND] = ['streams-eu-1', 'streams-dr-1'];

const WHAT_IF = '/gbac/v1/cluster/what-if';
const OPEN = 'allow.everyone.if.no.acl.found';

/** What a cluster says about other settings: nothing of the other value of a setting, if none is tried. */
function whatIf({ set = {}, known = {} }) {
  const tried = Object.entries(set).map(([name, value]) => ({ name, value }));
  const turnsOff = set[OPEN] === 'false';
  return {
    settings: [
      { name: OPEN, state: 'stated', value: 'true' },
      { name: 'super.users', state: 'hidden' },
      { name: 'gbac.groups.nested', state: 'not_set' },
    ],
    set: tried,
    seen_in: 'events',
    seen: 31,
    requests: 120,
    denied: turnsOff ? 14 : 0,
    allowed: 0,
    summary: turnsOff ? `Turning off \`${OPEN}\` denies 14 of the 31 principals seen.` : '',
    notes: known['super.users'] ? [] : ['the brokers have `super.users` and do not show its value: who is denied here can be a super user'],
    callers: turnsOff
      ? [{
          principal: 'User:maya', loses: true, gains: false, effects: ['Loses everything that no ACL is for'],
          groups_gained: [], groups_lost: [], denied: [], allowed: [], omitted_requests: 0,
        }]
      : [],
    omitted_callers: turnsOff ? 13 : 0,
  };
}

/** Starts both; it is the first with the origin of both, and has the second as `second`. */
export async function startClusters() {
  const demos = await Promise.all([startService(), startService()]);
  const [first, second] = demos;
  const known = [FIRST, SECOND].map((name, place) => ({
    name,
    first: place === 0,
    path: `${BASE}/${name}`,
    kind: 'kafka',
    group_acls: 'plugin',
    read_at: 1_800_000_000,
    stale: place === 1,
    unknown_acls: 0,
  }));
  const answerJson = (answer, status, value) =>
    answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const server = createServer(async (asked, answer) => {
    if (asked.url === BASE) return answerJson(answer, asked.headers.authorization ? 200 : 401, { clusters: known });
    const [, name, rest] = asked.url.match(/^\/gbac\/v1\/clusters\/([^/]+)(\/.*)$/) ?? [undefined, FIRST, asked.url];
    const place = [FIRST, SECOND].indexOf(name);
    if (place < 0) return answerJson(answer, 404, { code: 'cluster_unknown', message: `this service has no cluster \`${name}\`` });
    if (rest === WHAT_IF) return answerJson(answer, 200, whatIf(JSON.parse(await text(asked))));
    try {
      await relay(asked, answer, new URL(rest, demos[place].origin), known[place]);
    } catch {
      answer.destroy();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    ...first,
    origin: `http://127.0.0.1:${server.address().port}`,
    second,
    async stop() {
      server.closeAllConnections();
      server.close();
      await Promise.all(demos.map((demo) => demo.stop()));
    },
  };
}

/** Passes a request on; what a demonstration says about itself gets its cluster. */
async function relay(asked, answer, url, cluster) {
  const headers = { ...asked.headers, host: url.host, 'accept-encoding': 'identity' };
  if (headers.origin) headers.origin = url.origin;
  const passed = request(url, { method: asked.method, headers });
  const answered = once(passed, 'response');
  await Promise.all([pipeline(asked, passed), answered]);
  const [given] = await answered;
  if (url.pathname !== '/gbac/v1/service') {
    answer.writeHead(given.statusCode, given.headers);
    return await pipeline(given, answer);
  }
  const { path, first, ...about } = cluster;
  const info = { ...JSON.parse(await text(given)), name: cluster.name, data_id: cluster.name, cluster: about };
  answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(info));
}

async function text(stream) {
  let all = '';
  for await (const part of stream.setEncoding('utf8')) all += part;
  return all;
}
