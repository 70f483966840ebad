// A composable for Vue: whether an operation is allowed. It is computed again when the policy changes or the identity expires.
import { computed, onScopeDispose, shallowRef, toValue, watchEffect } from 'vue';
import { watch } from '../lib/watch.js';

/**
 * Returns whether an identity is allowed an operation on a resource. Every parameter can be a ref or a getter. Use it to hide what the
 * server would refuse; the server decides again.
 *
 * Policies and identities can also be in `reactive` and `ref`, which do not wrap them.
 * @param {import('vue').MaybeRefOrGetter<import('gbac-engine').Policy>} policy
 * @param {import('vue').MaybeRefOrGetter<import('gbac-engine').Identity>} identity
 * @param {import('vue').MaybeRefOrGetter<import('gbac-engine').Operation | import('gbac-engine').OperationName>} operation
 * @param {import('vue').MaybeRefOrGetter<import('gbac-engine').ResourceType | import('gbac-engine').ResourceTypeName>} resourceType
 * @param {import('vue').MaybeRefOrGetter<string>} name
 * @param {import('vue').MaybeRefOrGetter<import('gbac-engine').Circumstances | undefined>} [options]
 * @returns {import('vue').ComputedRef<boolean>}
 * @example
 * const mayWrite = useCan(policy, alice, 'write', 'topic', () => props.topic);
 */
export function useCan(policy, identity, operation, resourceType, name, options) {
  const changes = shallowRef(0);
  const stop = watchEffect((onCleanup) => {
    onCleanup(watch(toValue(policy), toValue(identity), () => { changes.value += 1; }));
  }, { flush: 'sync' });
  onScopeDispose(stop, true);
  return computed(() => {
    // Read, so that it is computed again after each of them.
    void changes.value;
    return toValue(identity).can(toValue(operation), toValue(resourceType), toValue(name), toValue(options));
  });
}
