// A hook for React: whether an operation is allowed. It renders again when the policy changes or the identity expires.
import { useCallback, useSyncExternalStore } from 'react';
import { watch } from '../lib/watch.js';

/**
 * Returns whether `identity`, which `policy` opened, is allowed an operation on a resource. Use it to hide what the server would
 * refuse; the server decides again.
 * @param {import('gbac-engine').Policy} policy
 * @param {import('gbac-engine').Identity} identity
 * @param {import('gbac-engine').Operation | import('gbac-engine').OperationName} operation
 * @param {import('gbac-engine').ResourceType | import('gbac-engine').ResourceTypeName} resourceType
 * @param {string} name
 * @param {import('gbac-engine').Circumstances} [options]
 * @returns {boolean}
 * @example
 * const mayWrite = useCan(policy, alice, 'write', 'topic', 'orders');
 */
export function useCan(policy, identity, operation, resourceType, name, options) {
  const subscribe = useCallback((/** @type {() => void} */ changed) => watch(policy, identity, changed), [policy, identity]);
  const answer = () => identity.can(operation, resourceType, name, options);
  return useSyncExternalStore(subscribe, answer, answer);
}
