// A thousand names or checks in one call, decisions with their reasons, and the handwritten index with a cache.
import { contest } from './measure.mjs';

/** The number of names or checks in a call. */
const TOGETHER = 1_000;
/** The number of different calls. */
const LISTS = 10;

/**
 * The rows of `filter` and `checkMany` for each check, of a loop of `can` and the handwritten `can` for comparison, and of `decide`
 * and `explain`.
 */
export function together({ acls, groups, all, policy, engine, remembering, quick }) {
  const names = [...new Set(all.queries.filter(({ resource_type: type }) => type === 'topic').map(({ name }) => name))].slice(0, TOGETHER);
  const operations = ['read', 'write', 'describe'];
  const filters = Array.from({ length: LISTS }, (_, place) => {
    const [identity, operation] = [place % all.identities.length, operations[place % operations.length]];
    // The results of the handwritten index, which are compared with the naive reference elsewhere.
    return { identity, operation, resource_type: 'topic', names, allowed: names.filter((name) => remembering(identity, operation, 'topic', name)).length };
  });
  const many = Array.from({ length: LISTS }, (_, place) => {
    const identity = place % all.identities.length;
    const requests = all.queries.slice(0, TOGETHER).map(({ operation, resource_type, name }) => ({ operation, resource_type, resource_name: name }));
    return { identity, requests, allowed: requests.filter((one) => remembering(identity, one.operation, one.resource_type, one.resource_name)).length };
  });
  const row = (name, queries, answer) => ({ name, acls, groups, queries, answer });
  const measured = contest([
    row('wasm_filter', filters, engine.filter(policy, all, filters)),
    row('js_remembered_filter', filters, (place) => {
      const { identity, operation, resource_type, names } = filters[place];
      return names.filter((name) => remembering(identity, operation, resource_type, name)).length;
    }),
    row('wasm_check_many', many, engine.checkMany(policy, all, many)),
    row('wasm_can_each', many, engine.canEach(policy, all, many)),
    row('js_remembered_many', many, (place) => {
      const { identity, requests } = many[place];
      return requests.map((one) => (remembering(identity, one.operation, one.resource_type, one.resource_name) ? 'allow' : 'deny')).filter((outcome) => outcome === 'allow').length;
    }),
  ], { quick });
  const each = (size, { ns_median: median, ns_p99: p99, ...rest }) => ({ ...rest, ns_median: median / size, ...(p99 === undefined ? {} : { ns_p99: p99 / size }) });
  const structured = contest([
    row('wasm_decide', all.queries, engine.decide(policy, all)),
    row('wasm_explain', all.queries.slice(0, 1_000), engine.explain(policy, all)),
  ], { quick });
  return [...measured.map((one) => each(one.name.includes('filter') ? names.length : TOGETHER, one)), ...structured];
}
