import type {
  Access, ApiRequest, Change, Claims, Decision, Explanation, ExportedDocument, Names, Operation, OperationName, Outcome,
  PolicyDocument, Problem, Query, QueryCircumstances, RequestAnswer, RequestQuery, ResolvedIdentity, ResourceType,
  ResourceTypeName, Subject, UnverifiedToken, Warning, WithId,
} from './types.js';
export type * from './types.js';

/** The options of a method that returns an outcome. Any other member is refused. */
export interface Circumstances {
  /** The client's address. Without it an allow for one host does not count, and a deny for one host does. */
  host?: string;
  /** The time of the decision, in seconds since 1970, not in milliseconds. The default is the current time. */
  now?: number;
  /** `true` ignores the identity's expiry. For simulation; never use it to grant access. Cannot be used with `now`. */
  ignoreExpiry?: boolean;
}

/**
 * Every error of this package: a stable `code`, a message for people, and for a document every problem at once. The codes are
 * in docs/policy-document.md; the package itself adds `wrong_type`, `unknown_value`, `unknown_option`, `exclusive_options`,
 * `too_many_arguments`, `clock_in_milliseconds`, `clock_invalid`, `not_well_formed`, `too_long`, `not_json`, `freed`, `not_loaded`,
 * `module_not_loaded`, `other_module`, `not_verified` and `engine_failed`.
 *
 * After `engine_failed` (for example, WebAssembly ran out of memory) every existing policy, identity and verifier throws the
 * same code, and nothing is allowed. Load and open them again.
 *
 * @example
 * try { await Policy.load(document); } catch (error) { if (error instanceof EngineError) console.error(error.code, error.problems); }
 */
export class EngineError extends Error {
  /** @hidden */
  constructor(code: string, message: string, more?: { problems?: Problem[]; cause?: unknown });
  readonly code: string;
  readonly problems?: Problem[];
}

/** Where a wasm module comes from: compiled, its bytes, a response, or an address. */
export type WasmSource = WebAssembly.Module | BufferSource | Response | URL | string;

/**
 * Loads the wasm module; without `wasm`, from disk in Node and from beside this file elsewhere. Only the first call loads, and
 * `Policy.load` does it as well. Throws `module_not_loaded`.
 *
 * @example
 * import wasm from 'gbac-engine/engine.wasm';   // in a worker, whose bundler gives a compiled module
 * await init(wasm);
 */
export function init(wasm?: WasmSource | Promise<WasmSource>): Promise<void>;

/** How a policy is loaded. */
export interface LoadOptions {
  /**
   * How many names that were asked about stay found, so that asking again costs a third: 16,384 unless it is given, about 200
   * bytes each; 0 for none. When there are more, or they take more than 16 MiB, the cache is cleared. Names of more than
   * 4,096 bytes are never cached.
   */
  remember?: number;
  /** As for {@link init}. */
  wasm?: WasmSource | Promise<WasmSource>;
}

/**
 * A policy, loaded once and asked many times. Every method throws an {@link EngineError}.
 *
 * @example
 * using policy = await Policy.load({ version: 1, acls: [] });
 */
export class Policy {
  protected constructor();
  /**
   * Loads a policy document, an object or JSON text. Throws `policy_invalid` with every problem at once.
   *
   * @example
   * const policy = await Policy.load(await readFile('policy.json', 'utf8'));
   */
  static load(document: PolicyDocument | string, options?: LoadOptions): Promise<Policy>;
  /**
   * Returns `true` only if the check is allowed. An expired identity is denied; `now` in the check (seconds since 1970)
   * replaces the clock, and `ignore_expiry: true` ignores the expiry. Throws like {@link check}.
   *
   * @example
   * if (!policy.can({ identity: { user: 'alice' }, operation: 'read', resource_type: 'topic', resource_name: 'orders' })) throw new Error('not allowed');
   */
  can(check: (Subject & Query) | (Subject & RequestQuery) | string): boolean;
  /**
   * Decides a check and returns the decision; its time is set as for {@link can}. Throws `check_invalid`, or the code of the
   * token or the claims.
   *
   * @example
   * policy.check({ identity: { user: 'alice' }, operation: 'read', resource_type: 'topic', resource_name: 'orders' }).outcome;
   */
  check(check: Subject & Query): Decision & WithId;
  check(check: Subject & RequestQuery): RequestAnswer & WithId;
  check(check: string): (Decision | RequestAnswer) & WithId;
  /**
   * Answers a check about one operation on one resource, with all that led to the answer. Throws as {@link check}.
   *
   * @example
   * policy.explain(check).candidates.filter((candidate) => candidate.standing === 'near_miss');
   */
  explain(check: (Subject & Query) | string): Explanation & WithId;
  /**
   * Says what comes out of names, claims or a token. Throws `identity_invalid`, or the code of the token or the claims.
   *
   * @example
   * policy.inspect({ unverified_token: token }).groups;
   */
  inspect(who: Names | Subject): ResolvedIdentity;
  /**
   * Opens an identity once, to ask it many times; it stays right when the policy changes. Claims are taken as they are: nobody
   * has checked them. Throws as {@link inspect}.
   *
   * @example
   * using alice = policy.open({ user: 'alice', groups: ['engineering'] });
   */
  open(who: Names | Claims | string): Identity;
  /**
   * Opens the identity of a token whose signature nobody looks at: to try a policy, never to let somebody in. Verified tokens
   * come from `gbac-engine/verify`. Throws as {@link inspect}.
   *
   * @example
   * policy.openUnverified(token).groups;
   */
  openUnverified(token: string, options?: { userinfo?: Record<string, unknown> }): Identity;
  /**
   * A resource that is asked about often; there is nothing to free.
   *
   * @example
   * const orders = policy.resource('topic', 'orders'); alice.can('read', orders);
   */
  resource(resourceType: ResourceType | ResourceTypeName, name: string): Resource;
  /**
   * Makes one change in place and says whether anything is different now. What a document may hold may be added. Throws
   * `change_invalid`, `role_unknown` or `role_exists`, and the policy is as before.
   *
   * @example
   * policy.apply({ change: 'add_member', role: 'readers', principal: 'Group:engineering' });
   */
  apply(change: Change | string): boolean;
  /**
   * The policy document of this policy, roles and ACLs in order.
   *
   * @example
   * await writeFile('policy.json', JSON.stringify(policy.export(), null, 2));
   */
  export(): ExportedDocument;
  /**
   * How many bytes of memory the engine has taken, for all policies of this entry together. It never shrinks.
   *
   * @example
   * console.log(policy.memoryBytes() / 2 ** 20, 'MiB');
   */
  memoryBytes(): number;
  /**
   * Gives the policy's memory back as soon as no identity of it is open; otherwise that happens when it is collected. Using the
   * policy afterwards throws `freed`; its open identities go on.
   *
   * @example
   * policy.free();   // or `using policy = ..`
   */
  free(): void;
  [Symbol.dispose](): void;
}

/** A resource that is asked about often: made by {@link Policy.resource}, and good for every policy of the same entry. */
export class Resource {
  private constructor();
  private readonly resource: true;
}

/**
 * An identity that is open: a check costs the same however many groups it has. Operations and resource types are in the
 * platform's own values or the short form, such as `read`.
 *
 * An identity from claims with an `exp` is denied once that time has passed. `{ now }` replaces the clock, and only
 * `{ ignoreExpiry: true }` ignores the expiry. An `exp` that is not a number counts as expired, with the warning
 * `expiry_unreadable`.
 */
export class Identity {
  protected constructor();
  /** The bare name of the user. */
  readonly user: string;
  /** The bare names of its groups, in the order of the token. */
  readonly groups: string[];
  /** What to know about the token and its groups. */
  readonly warnings: Warning[];
  /** Whether its token was verified. Without that, its answers are information and must not open anything. */
  readonly verified: boolean;
  /** When its token expires, in seconds since 1970; `undefined` if the token has no `exp`, or one that is not a number. */
  readonly expiresAt: number | undefined;
  /** All that came out of what it was opened from. */
  readonly inspection: ResolvedIdentity;
  /**
   * Whether its token has expired at `now`, in seconds since 1970; the default is the current time. Always `true` if `exp` is
   * not a number. Throws `wrong_type`, `clock_invalid`, `clock_in_milliseconds`.
   *
   * @example
   * if (identity.isExpired()) identity.free();
   */
  isExpired(now?: number): boolean;
  /**
   * Returns `true` only if the operation on the resource is allowed. Throws `unknown_value` for an operation or type that does
   * not exist, `unknown_option`, `host_invalid`, `clock_in_milliseconds`, `wrong_type`, `not_well_formed`, `too_long`.
   *
   * @example
   * if (alice.can('read', 'topic', 'orders', { host: '10.0.0.7' })) console.log('welcome');
   */
  can(
    operation: Operation | OperationName, resourceType: ResourceType | ResourceTypeName, name: string, options?: Circumstances,
  ): boolean;
  /** The same for a resource of {@link Policy.resource}. */
  can(operation: Operation | OperationName, resource: Resource, options?: Circumstances): boolean;
  /**
   * Like {@link can}, but returns `'allow'` or `'deny'`. Do not use it as a condition: `'deny'` is truthy, like every
   * non-empty string. Compare it with `'allow'`, or use {@link can}.
   *
   * @example
   * alice.check('read', 'topic', 'orders', { now: Date.now() / 1000 }) === 'allow';
   */
  check(
    operation: Operation | OperationName, resourceType: ResourceType | ResourceTypeName, name: string, options?: Circumstances,
  ): Outcome;
  /**
   * As {@link check}, for a resource of {@link Policy.resource}. `'deny'` is truthy here too.
   *
   * @example
   * alice.checkResource('write', orders) === 'allow';
   */
  checkResource(operation: Operation | OperationName, resource: Resource, options?: Circumstances): Outcome;
  /**
   * Returns the names on which the operation is allowed, in their order, all decided at one time. Throws like {@link can}.
   *
   * @example
   * alice.filter('describe', 'topic', topics);
   */
  filter(
    operation: Operation | OperationName, resourceType: ResourceType | ResourceTypeName, names: Iterable<string>,
    options?: Circumstances,
  ): string[];
  /**
   * Returns the outcomes of many requests, in their order. The members of a request override the options. `'deny'` is truthy.
   * Throws like {@link can}.
   *
   * @example
   * alice.checkMany([{ operation: 'read', resource_type: 'topic', resource_name: 'orders' }]).every((outcome) => outcome === 'allow');
   */
  checkMany(requests: Iterable<Access & { resource_name: string } & QueryCircumstances>, options?: Circumstances): Outcome[];
  /**
   * Returns the decision, with the ACL that decides and the path to it. `host` and `now` are members of the question. Throws
   * `check_invalid`.
   *
   * @example
   * alice.decide({ operation: 'read', resource_type: 'topic', resource_name: 'orders' }).acl?.principal;
   */
  decide(question: Query): Decision & WithId;
  decide(question: string): (Decision | RequestAnswer) & WithId;
  /**
   * The decision with all that led to it. Throws `check_invalid`.
   *
   * @example
   * alice.explain({ operation: 'read', resource_type: 'topic', resource_name: 'orders' }).paths;
   */
  explain(question: Query | string): Explanation & WithId;
  /**
   * The answer to a whole request of an API, with every check that it needs. Throws `check_invalid`, `unknown_request` and the
   * other codes of requests.
   *
   * @example
   * alice.request({ api: 'kafka', name: 'Produce', resources: { topic: ['orders'] } }).outcome === 'allow';
   */
  request(request: ApiRequest, options?: Circumstances & WithId): RequestAnswer & WithId;
  /** Gives its memory back at once; otherwise that happens when it is collected. Using it afterwards throws `freed`. */
  free(): void;
  [Symbol.dispose](): void;
}
