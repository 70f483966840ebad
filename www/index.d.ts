/// <reference lib="esnext.disposable" />
import type {
  Access, ApiRequest, Change, UnverifiedClaims, Decision, Explanation, ExportedDocument, FaultCode, FullAcl, Names, Operation, OperationName, Outcome,
  PolicyDocument, Principal, Problem, Query, QueryCircumstances, RequestAnswer, RequestQuery, ResolvedIdentity, ResourceType,
  ResourceTypeName, Subject, UnverifiedToken, Warning, WithId,
} from './types.js';
export type * from './types.js';

/** The options of a method that returns an outcome. Any other member is refused. */
export interface Circumstances {
  /** The IP address of the client. Without it, ACLs limited to one host do not allow, but still deny. */
  host?: string;
  /** The time of the decision, in seconds since 1970, not in milliseconds. The default is the current time. */
  now?: number;
  /** `true` ignores the identity's expiry. For simulation; never use it to grant access. Cannot be used with `now`. */
  ignoreExpiry?: boolean;
}

/** The codes of invalid arguments and objects, and of a wasm module that cannot be loaded or has failed. */
export type PackageErrorCode = 'engine_failed' | 'exclusive_options' | 'freed' | 'identity_invalid' | 'missing_member'
  | 'module_not_loaded' | 'not_json' | 'not_loaded' | 'not_verified' | 'not_well_formed' | 'other_module' | 'too_long'
  | 'too_many_arguments' | 'unknown_option' | 'unknown_value' | 'wrong_type';

/** The code of an {@link EngineError}. */
export type EngineErrorCode = FaultCode | PackageErrorCode;

/**
 * An error of this package: a stable `code`, a message, and for a document all problems. The README lists the codes with their
 * causes and remedies.
 *
 * After `engine_failed` (for example, because WebAssembly ran out of memory), every existing policy, identity and verifier throws
 * the same code, and nothing is allowed. Load and open them again.
 *
 * @example
 * try { await Policy.load(document); } catch (error) { if (error instanceof EngineError) console.error(error.code, error.problems); }
 */
export class EngineError extends Error {
  /** @hidden */
  constructor(code: EngineErrorCode, message: string, more?: { problems?: Problem[]; cause?: unknown });
  readonly code: EngineErrorCode;
  readonly problems?: Problem[];
}

/** The instances of a class of the environment; `never` where the library of TypeScript does not declare it. @hidden */
export type Declared<Scope, Name extends string> = Scope extends { [name in Name]: { prototype: infer Instance } } ? Instance : never;
/** A compiled module; `never` where TypeScript has no declarations of WebAssembly. */
export type WasmModule = typeof globalThis extends { WebAssembly: infer Scope } ? Declared<Scope, 'Module'> : never;
/** A source of the wasm module, instead of the embedded one: a compiled module, bytes, a response, or a URL. */
export type WasmSource =
  | WasmModule | ArrayBuffer | ArrayBufferView | Declared<typeof globalThis, 'Response'> | Declared<typeof globalThis, 'URL'> | string;

/**
 * Loads the wasm module: from `wasm`, or by default the embedded one; `gbac-engine/slim` has none. Only the first call loads it, and
 * `Policy.load` calls it too. Throws `module_not_loaded`, with the address, the response and the remedy in its message.
 *
 * @example
 * await init(new URL('https://example.com/gbac_engine_bg.wasm'));   // with `gbac-engine/slim`
 */
export function init(wasm?: WasmSource | Promise<WasmSource>): Promise<void>;

/** The type of a document that TypeScript imports from a `.json` file, where strings are not literals. */
export type ImportedDocument = Imported<PolicyDocument>;
/** @hidden */
export type Imported<T> =
  T extends string ? string : T extends number ? number : T extends readonly (infer Element)[] ? readonly Imported<Element>[]
    : T extends object ? { [Name in keyof T]: Imported<T[Name]> | (undefined extends T[Name] ? undefined : never) } : T;
/** Excludes documents that are written in a program, which have to match {@link PolicyDocument}. @hidden */
export type IfImported<Document extends { version: number }> = number extends Document['version'] ? unknown : never;

/**
 * ACLs in the short form of {@link acls}: `allow` or `deny` with operations, one resource type with the names of resources, and the
 * principals. **A trailing `*` makes a prefix**: `orders-*` matches every name that begins with `orders-`, and `*` every name.
 */
export type ShortAcl = ShortPermission & ShortResource & {
  /** The principals that it applies to. */
  to: Principal | readonly Principal[];
  /** The only IPv4 or IPv6 address of clients from which it applies; the default is `*`, every address. */
  host?: string;
};
/** Whether a short ACL allows or denies, and which operations. */
export type ShortPermission =
  | { allow: ShortOperations; deny?: never }
  | { deny: ShortOperations; allow?: never };
/** One or more operations, in either form. */
export type ShortOperations = Operation | OperationName | readonly (Operation | OperationName)[];
/** The resources of a short ACL. The cluster and the Schema Registry have no name; their value is `true`. */
export type ShortResource = {
  [Type in ResourceTypeName]:
    { [Only in Type]: Type extends 'cluster' | 'registry-global' ? true : string | readonly string[] }
    & { [Other in Exclude<ResourceTypeName, Type>]?: never }
}[ResourceTypeName];

/**
 * Returns the ACLs of a policy document for ACLs in the short form, one for each operation, name and principal. Throws
 * `missing_member`, `exclusive_options`, `unknown_option`, `unknown_value`, `wrong_type` and `not_json`.
 *
 * @example
 * await Policy.load({ version: 1, acls: acls([{ allow: ['read', 'describe'], topic: 'orders-*', to: 'Group:engineering' }]) });
 */
export function acls(short: Iterable<ShortAcl>): FullAcl[];

/** Options of an explanation. */
export interface ExplainOptions {
  /** Maximum number of `candidates`; the default is 50. The deciding ACL comes first, then those that match or almost match. */
  limit?: number;
}

/** Options of loading a policy. */
export interface LoadOptions {
  /**
   * Maximum number of checked names to cache, which makes further checks of a name several times as fast. The default is 16,384, about 200
   * bytes each; 0 disables the cache. If there are more, or they use more than 16 MiB, the cache is cleared. Names of more than
   * 4,096 bytes are never cached.
   */
  cacheSize?: number;
  /** The source of the wasm module, as for {@link init}. */
  wasm?: WasmSource | Promise<WasmSource>;
}

/**
 * A policy, loaded once for many checks. Every method throws an {@link EngineError}.
 *
 * @example
 * using policy = await Policy.load({ version: 1, acls: [] });
 */
export class Policy {
  protected constructor();
  /**
   * Loads a policy document, an object or JSON text. Throws `policy_invalid` with all problems.
   *
   * @example
   * const policy = await Policy.load(await readFile('policy.json', 'utf8'));
   */
  static load<const Document extends ImportedDocument>(document: Document & IfImported<Document>, options?: LoadOptions): Promise<Policy>;
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
   * Explains the decision on an operation on a resource, with the ACLs that matter most; `omitted` is the number of the others. It
   * reads the whole policy: use {@link check} to decide. Throws like {@link check}.
   *
   * @example
   * policy.explain(check).candidates.filter((candidate) => candidate.status === 'near_miss');
   */
  explain(check: (Subject & Query) | string, options?: ExplainOptions): Explanation & WithId;
  /**
   * Returns the user and groups of names, claims or a token. Throws `identity_invalid`, or the code of the token or the claims.
   *
   * @example
   * policy.inspect({ unverified_token: token }).groups;
   */
  inspect(who: Names | Subject): ResolvedIdentity;
  /**
   * Resolves an identity once for many checks; it stays correct if the policy changes. Claims are not verified.
   * Throws like {@link inspect}.
   *
   * @example
   * using alice = policy.open({ user: 'alice', groups: ['engineering'] });
   */
  open(who: Names | UnverifiedClaims | string): Identity;
  /**
   * Resolves the identity of a token without verifying its signature: for simulation, never to grant access. Use
   * `gbac-engine/verify` to verify tokens. Throws like {@link inspect}.
   *
   * @example
   * policy.openUnverified(token).groups;
   */
  openUnverified(token: string, options?: { userinfo?: Record<string, unknown> }): Identity;
  /**
   * A resource for frequent checks; it does not have to be freed.
   *
   * @example
   * const orders = policy.resource('topic', 'orders'); alice.can('read', orders);
   */
  resource(resourceType: ResourceType | ResourceTypeName, name: string): Resource;
  /**
   * Makes one change in place and returns whether the policy changed. Accepts everything that a document can contain. Throws
   * `change_invalid`, `role_unknown` or `role_exists`, and the policy stays unchanged.
   *
   * @example
   * policy.apply({ change: 'add_member', role: 'readers', principal: 'Group:engineering' });
   */
  apply(change: Change | string): boolean;
  /**
   * Calls `listener` after every change that {@link apply} makes to this policy. Changes without effect are not reported. Returns a
   * function that removes the listener. An error of a listener is reported as an uncaught error; the change and the other listeners
   * are not affected. Throws `wrong_type`, `freed`.
   *
   * @example
   * const stop = policy.subscribe((change) => console.log(change.change));
   */
  subscribe(listener: (change: Readonly<Change>) => void): () => void;
  /**
   * The policy document of this policy, roles and ACLs in order.
   *
   * @example
   * await writeFile('policy.json', JSON.stringify(policy.export(), null, 2));
   */
  export(): ExportedDocument;
  /**
   * Bytes of memory used by the engine for all policies of this entry point. It never shrinks.
   *
   * @example
   * console.log(policy.memoryBytes() / 2 ** 20, 'MiB');
   */
  memoryBytes(): number;
  /**
   * Frees the policy's memory once it has no open identities; otherwise the garbage collector does. Using the
   * policy afterwards throws `freed`; its open identities keep working.
   *
   * @example
   * policy.free();   // or `using policy = ..`
   */
  free(): void;
  [Symbol.dispose](): void;
}

/** A resource for frequent checks, created by {@link Policy.resource} and valid for every policy of the same entry point. */
export class Resource {
  private constructor();
  private readonly resource: true;
}

/**
 * A resolved identity: the cost of a check does not depend on its number of groups. Operations and resource types have the
 * values of the platform or the short form, such as `read`.
 *
 * An identity from claims with an `exp` is denied once that time has passed. `{ now }` replaces the clock, and only
 * `{ ignoreExpiry: true }` ignores the expiry. An `exp` or `nbf` that is not a time in seconds counts as
 * expired, with the warning `expiry_unreadable`.
 */
export class Identity {
  protected constructor();
  /** The bare name of the user. */
  readonly user: string;
  /** The bare names of its groups, in the order of the token. */
  readonly groups: string[];
  /** Warnings about the token and its groups. */
  readonly warnings: Warning[];
  /** Whether its token was verified. If not, decisions are information only and must not grant access. */
  readonly verified: boolean;
  /** When its token expires, in seconds since 1970; `undefined` if the token has no `exp`, or one that is not a number. */
  readonly expiresAt: number | undefined;
  /** The result of reading the names, claims or token. */
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
   * Like {@link check}, for a resource of {@link Policy.resource}. `'deny'` is truthy here too.
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
   * Returns the decision, with the ACL that decides and the path to it. `host` and `now` are members of the request. Throws
   * `check_invalid`.
   *
   * @example
   * alice.decide({ operation: 'read', resource_type: 'topic', resource_name: 'orders' }).acl?.principal;
   */
  decide(question: Query): Decision & WithId;
  decide(question: string): (Decision | RequestAnswer) & WithId;
  /**
   * The decision with its explanation, with the ACLs that matter most; `omitted` is the number of the others. It reads the whole
   * policy: use {@link decide} for each request. Throws `check_invalid`.
   *
   * @example
   * alice.explain({ operation: 'read', resource_type: 'topic', resource_name: 'orders' }).paths;
   */
  explain(question: Query | string, options?: ExplainOptions): Explanation & WithId;
  /**
   * The result of an API request, with every check that it needs. Throws `check_invalid`, `unknown_request` and the
   * other codes of API requests.
   *
   * @example
   * alice.request({ api: 'kafka', name: 'Produce', resources: { topic: ['orders'] } }).outcome === 'allow';
   */
  request(request: ApiRequest, options?: Circumstances & WithId): RequestAnswer & WithId;
  /**
   * For logs: its user and groups, whether its token was verified, and when it expires. `console.log` writes the same. Throws `freed`.
   *
   * @example
   * console.log(alice, JSON.stringify(alice));
   */
  toJSON(): { user: string; groups: string[]; verified: boolean; expiresAt?: number };
  /** Frees its memory immediately; otherwise the garbage collector does. Using it afterwards throws `freed`. */
  free(): void;
  [Symbol.dispose](): void;
}
