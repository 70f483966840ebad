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
  /** Loads a policy document, an object or JSON text. Throws an {@link EngineError}. */
  static load(document: object | string): Promise<Policy>;
  /** Answers a check. Throws an {@link EngineError} when the check cannot be read. */
  check(check: object | string): object;
  /** Answers a check about one operation on one resource, with all that led to the answer. */
  explain(check: object | string): object;
  /** Says what comes out of `{ identity }`, `{ claims }` or `{ unverified_token }`. */
  inspect(who: object | string): object;
  /** The policy document of this policy. */
  export(): object;
  /** How many bytes of memory the engine has taken, for all policies together. It never shrinks. */
  memoryBytes(): number;
  /** Gives the policy's memory back at once. */
  free(): void;
}
