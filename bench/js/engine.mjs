// The engine's JavaScript doors as they are measured; the only file here that knows them.
import { Policy } from '../../www/index.js';

/** Loads a policy document's text. */
export const load = (text) => Policy.load(text);

/** The same, but every name is looked up as if it were asked about for the first time. */
export const loadWithoutCache = (text) => Policy.load(text, { cacheSize: 0 });

/** Opens an identity. */
export const open = (policy, { user, groups }) => policy.open({ user, groups });

/** Questions with the name as a string, to identities that are open. */
export function check(policy, { identities, queries }) {
  const opened = identities.map((who) => open(policy, who));
  return (place) => {
    const { identity, operation, resource_type, name } = queries[place];
    return opened[identity].check(operation, resource_type, name) === 'allow';
  };
}

/** The same questions about resources that were found before. */
export function checkResource(policy, { identities, queries }) {
  const opened = identities.map((who) => open(policy, who));
  const resources = queries.map(({ resource_type, name }) => policy.resource(resource_type, name));
  return (place) => {
    const { identity, operation } = queries[place];
    return opened[identity].checkResource(operation, resources[place]) === 'allow';
  };
}

/** The same as a condition. */
export function can(policy, { identities, queries }) {
  const opened = identities.map((who) => open(policy, who));
  return (place) => {
    const { identity, operation, resource_type, name } = queries[place];
    return opened[identity].can(operation, resource_type, name);
  };
}

/** Thousands of names at once; each question is one name. */
export function filter(policy, { identities }, lists) {
  const opened = identities.map((who) => open(policy, who));
  return (place) => {
    const { identity, operation, resource_type, names } = lists[place];
    return opened[identity].filter(operation, resource_type, names).length;
  };
}

/** Thousands of questions of one identity at once. */
export function checkMany(policy, { identities }, lists) {
  const opened = identities.map((who) => open(policy, who));
  return (place) => opened[lists[place].identity].checkMany(lists[place].requests).filter((outcome) => outcome === 'allow').length;
}

/** A decision with its reason, as an object. */
export function decide(policy, { identities, queries }) {
  const opened = identities.map((who) => open(policy, who));
  return (place) => {
    const { identity, operation, resource_type, name } = queries[place];
    return opened[identity].decide({ operation, resource_type, resource_name: name }).outcome === 'allow';
  };
}

/** The same with all that led to it. */
export function explain(policy, { identities, queries }) {
  const opened = identities.map((who) => open(policy, who));
  return (place) => {
    const { identity, operation, resource_type, name } = queries[place];
    return opened[identity].explain({ operation, resource_type, resource_name: name }).outcome === 'allow';
  };
}
