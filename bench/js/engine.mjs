// The measured calls of the engine's JavaScript API. No other file uses it.
import { Policy } from '../../www/index.js';

/** Loads a policy document's text. */
export const load = (text) => Policy.load(text);

/** The same without a cache, so that every name is looked up like a new one. */
export const loadWithoutCache = (text) => Policy.load(text, { cacheSize: 0 });

/** Opens an identity. */
export const open = (policy, { user, groups }) => policy.open({ user, groups });

/** Checks with the name as a string, for open identities. */
export function check(policy, { identities, queries }) {
  const opened = identities.map((who) => open(policy, who));
  return (place) => {
    const { identity, operation, resource_type, name } = queries[place];
    return opened[identity].check(operation, resource_type, name) === 'allow';
  };
}

/** The same checks with resources that were looked up in advance. */
export function checkResource(policy, { identities, queries }) {
  const opened = identities.map((who) => open(policy, who));
  const resources = queries.map(({ resource_type, name }) => policy.resource(resource_type, name));
  return (place) => {
    const { identity, operation } = queries[place];
    return opened[identity].checkResource(operation, resources[place]) === 'allow';
  };
}

/** The same with a boolean result. */
export function can(policy, { identities, queries }) {
  const opened = identities.map((who) => open(policy, who));
  return (place) => {
    const { identity, operation, resource_type, name } = queries[place];
    return opened[identity].can(operation, resource_type, name);
  };
}

/** Thousands of names in one call; each name is one check. */
export function filter(policy, { identities }, lists) {
  const opened = identities.map((who) => open(policy, who));
  return (place) => {
    const { identity, operation, resource_type, names } = lists[place];
    return opened[identity].filter(operation, resource_type, names).length;
  };
}

/** Thousands of checks of one identity in one call. */
export function checkMany(policy, { identities }, lists) {
  const opened = identities.map((who) => open(policy, who));
  return (place) => opened[lists[place].identity].checkMany(lists[place].requests).filter((outcome) => outcome === 'allow').length;
}

/** The same checks in a loop of `can`. */
export function canEach(policy, { identities }, lists) {
  const opened = identities.map((who) => open(policy, who));
  return (place) => {
    const identity = opened[lists[place].identity];
    let allowed = 0;
    for (const { operation, resource_type, resource_name } of lists[place].requests) {
      if (identity.can(operation, resource_type, resource_name)) allowed += 1;
    }
    return allowed;
  };
}

/** A decision with its reason, as an object. */
export function decide(policy, { identities, queries }) {
  const opened = identities.map((who) => open(policy, who));
  return (place) => {
    const { identity, operation, resource_type, name } = queries[place];
    return opened[identity].decide({ operation, resource_type, resource_name: name }).outcome === 'allow';
  };
}

/** The same with an explanation. */
export function explain(policy, { identities, queries }) {
  const opened = identities.map((who) => open(policy, who));
  return (place) => {
    const { identity, operation, resource_type, name } = queries[place];
    return opened[identity].explain({ operation, resource_type, resource_name: name }).outcome === 'allow';
  };
}
