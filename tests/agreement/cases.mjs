// Generated worlds: a policy, and questions to it in which everything collides. Each says who asks, how that is known, from
// where, and when.
import { aCheck, aPolicy } from '../../www/test/cases.mjs';

/** Who can sign in to a service with a password stays a superuser there, so this name is in every policy. */
export const ADMIN = 'admin';

/** A document of which the service can be told, also one that was made smaller. */
export const withAdmin = (document) => ({ ...document, settings: { superusers: [...new Set([...document.settings.superusers, ADMIN])] } });

/** Ends that are a day away from any instant of a run; instants around them; and what is no number. */
const DAY = 86_400;
const UNREADABLE = ['soon', null, [], {}, true, ''];
const API_NAMES = ['a', 'aa', 'ab', 'a.b', 'é', 'b', '*', 'A', 'kafka-cluster'];

/** Requests of the three APIs, and the kinds of resources that each may name. */
const REQUESTS = [
  ['kafka', 'Produce', ['topic', 'transactional_id']], ['kafka', 'Fetch', ['topic']], ['kafka', 'Metadata', ['topic']],
  ['kafka', 'Metadata (auto-create)', ['topic']], ['kafka', 'InitProducerID', ['topic', 'transactional_id']],
  ['kafka', 'OffsetCommit', ['group', 'topic']], ['kafka', 'CreateTopics', ['topic']], ['kafka', 'DescribeACLs', []],
  ['schema_registry', 'GET /subjects/{subject}/versions', ['subject']], ['http_proxy', 'GET /topics/{topic}', ['topic']],
];

/** A policy document of a world. */
export function aDocument(rng) {
  return withAdmin(aPolicy(rng));
}

/**
 * One question of a world; half of them are of somebody who asked before, since programs keep whom they have opened. `now` is the
 * time at which the run began.
 */
export function aCase(rng, document, now, earlier) {
  const { pick, chance, some } = rng;
  const asked = { ...aCheck(rng, document), form: 'names', instant: 'clock' };
  if (chance(1, 30)) asked.identity.user = ADMIN;
  if (chance(2, 5)) {
    asked.form = 'claims';
    if (chance(4, 5)) asked.exp = pick([now + DAY, now + DAY, now - DAY, pick(UNREADABLE)]);
  }
  if (earlier.length > 0 && chance(1, 2)) {
    const { identity, form, exp } = pick(earlier);
    Object.assign(asked, { identity, form, exp });
  }
  if (chance(1, 4)) asked.instant = pick([now, now - 2 * DAY, now + 2 * DAY, now + DAY, 'ignored']);
  if (chance(1, 6)) {
    const [api, name, kinds] = pick(REQUESTS);
    const resources = {};
    for (const kind of kinds) if (chance(5, 6)) resources[kind] = [pick(API_NAMES), ...some(1, () => pick(API_NAMES))];
    asked.request = { api, name, resources };
  }
  return asked;
}

/** Whether the identity of a question has expired when it is asked. */
export function isExpired({ form, exp, instant }, now) {
  if (form === 'names' || exp === undefined || instant === 'ignored') return false;
  if (typeof exp !== 'number') return true;
  return (instant === 'clock' ? now : instant) > exp;
}

/** Who asks, as a check writes it. */
export const whoOf = ({ form, identity, exp }) => (form === 'names' ? { identity } : { claims: claimsOf({ identity, exp }) });

export const claimsOf = ({ identity: { user, groups }, exp }) => ({ sub: user, groups, ...(exp === undefined ? {} : { exp }) });

/** What is asked, as a check writes it. */
export function questionOf({ operation, resource_type, resource_name, request, host, instant }) {
  const question = request === undefined ? { operation, resource_type, resource_name } : { request };
  if (host !== undefined) question.host = host;
  if (instant === 'ignored') question.ignore_expiry = true;
  else if (instant !== 'clock') question.now = instant;
  return JSON.parse(JSON.stringify(question));
}
