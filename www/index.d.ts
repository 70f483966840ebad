/** One thing that is wrong with a document. */
export interface Problem {
  /** Where: a JSON Pointer (RFC 6901) such as `/acls/3/host`. */
  path: string;
  /** A stable name of the fault. */
  code: string;
  /** What was found and what to do. */
  message: string;
}

/** What every method throws: a stable `code`, and for a document every problem at once. */
export interface EngineError extends Error {
  code: string;
  problems?: Problem[];
}

/** A policy, loaded once and asked many times. Documents, checks and answers are those of docs/policy-document.md. */
export class Policy {
  private constructor();
  /**
   * Loads a policy document, an object or JSON text. Throws an {@link EngineError}.
   *
   * A name that was asked about is remembered, so that asking again costs a third: `remember` of them (16,384 unless it is
   * given, about 200 bytes each; 0 for none), and then all are forgotten and remembered anew.
   */
  static load(document: object | string, options?: { remember?: number }): Promise<Policy>;
  /** Answers a check. Throws an {@link EngineError} when the check cannot be read. */
  check(check: object | string): object;
  /** Answers a check about one operation on one resource, with all that led to the answer. */
  explain(check: object | string): object;
  /** Says what comes out of `{ identity }`, `{ claims }` or `{ unverified_token }`. */
  inspect(who: object | string): object;
  /** Opens an identity once, to ask it many times. Throws an {@link EngineError} when it names no user. */
  open(who: { user: string; groups?: readonly string[] } | { claims: object; userinfo?: object }): Identity;
  /** A resource that is asked about often; there is nothing to free. */
  resource(resourceType: string, name: string): Resource;
  /** The policy document of this policy. */
  export(): object;
  /** How many bytes of memory the engine has taken, for all policies together. It never shrinks. */
  memoryBytes(): number;
  /** Gives the policy's memory back at once. */
  free(): void;
}

/** A resource that is asked about often: made by {@link Policy.resource}, and good for every policy. */
export class Resource {
  private constructor();
}

/** An identity that is open. Operations and resource types are in the platform's own values or the short form, such as `read`. */
export class Identity {
  private constructor();
  /** The bare names of its groups, in the order of the token. */
  readonly groups: string[];
  /** What to know about the token and its groups. */
  readonly warnings: { code: string; message: string; location?: string }[];
  /** Whether an operation on a resource is allowed. Throws an {@link EngineError} for a value that does not exist. */
  check(operation: string, resourceType: string, name: string, options?: { host?: string }): 'allow' | 'deny';
  /** The same for a resource of {@link Policy.resource}, without a host. */
  checkResource(operation: string, resource: Resource): 'allow' | 'deny';
  /** Those of the names on which the operation is allowed, in their order. */
  filter(operation: string, resourceType: string, names: Iterable<string>, options?: { host?: string }): string[];
  /** The answers to many requests, in their order. */
  checkMany(
    requests: Iterable<{ operation: string; resource_type: string; resource_name: string; host?: string }>,
  ): ('allow' | 'deny')[];
  /** Gives its memory back at once. */
  free(): void;
}
