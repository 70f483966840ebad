// For Vue: whether something is allowed, computed again when the policy changes or the identity expires.
import { computed, onScopeDispose, shallowRef, toValue, watchEffect } from 'vue';
import { watch } from '../lib/watch.js';

/**
 * Whether an identity may do an operation on a resource. Every parameter may be a ref or a getter. To hide what would be refused anyway;
 * the server decides.
 *
 * Policies and identities may also be put into `reactive` and `ref`: Vue leaves them as they are.
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
