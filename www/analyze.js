// The engine with questions about a whole policy: who can, permissions, diff, lint, least grant, and those of the simulator.
import * as glue from './pkg/gbac_engine_analyze.js';
import { EngineError, jsonText, listed, reading, wellFormed } from './lib/error.js';
import { Module } from './lib/module.js';
import * as base from './lib/policy.js';

const module = new Module(glue, () => new URL('./pkg/gbac_engine_analyze_bg.wasm', import.meta.url));

export { EngineError } from './lib/error.js';
export { Resource } from './lib/names.js';

/** Loads the wasm module, the first time; `Policy.load` and `lintDocument` do it as well. */
export const init = (wasm) => module.load(wasm);

/** An identity that can also be asked what it may do. */
export class Identity extends base.Identity {
  /** Everything that it may do. */
  permissions() {
    return module.ask(() => base.identityEngine(this).permissions());
  }

  /** The least that would allow what a question asks. */
  leastGrant(question) {
    const text = jsonText(question, 'a question');
    return module.ask(() => base.identityEngine(this).leastGrant(text));
  }

  /** The least that has to go for what a question asks to be denied. */
  revoke(question) {
    const text = jsonText(question, 'a question');
    return module.ask(() => base.identityEngine(this).revoke(text));
  }
}

/** A policy that can also be asked about as a whole. */
export class Policy extends base.Policy {
  static Identity = Identity;

  /** Loads a policy document, an object or JSON text. */
  static load(document, options) {
    return base.loadPolicy(this, module, document, options);
  }

  /** Who may do one operation on one resource. */
  whoCan(question) {
    const text = jsonText(question, 'a question');
    return module.ask(() => base.policyEngine(this, module).whoCan(text));
  }

  /** Everything that somebody may do: an identity, or a principal such as `Group:eng`. */
  permissions(who) {
    if (typeof who === 'string') {
      const principal = wellFormed(who, 'a principal');
      return module.ask(() => base.policyEngine(this, module).permissionsOf(principal));
    }
    return this.#asked(who, (identity) => identity.permissions());
  }

  /** The least that would allow somebody what a question asks. */
  leastGrant(who, question) {
    return this.#asked(who, (identity) => identity.leastGrant(question));
  }

  /** The least that has to go for what a question asks to be denied to somebody. */
  revoke(who, question) {
    return this.#asked(who, (identity) => identity.revoke(question));
  }

  /** How two people differ, and how a question is answered to both where there is one. */
  compare(first, second, question) {
    const text = optionalText(question);
    return this.#asked(first, (one) =>
      this.#asked(second, (other) =>
        module.ask(() => base.identityEngine(one).compare(base.identityEngine(other), text))));
  }

  /** Names that become one group: of a token's, and of all known groups. */
  collisions(options) {
    const [names = [], nested, limit = 100] =
      reading('the options of collisions', () => [options?.names, options?.nested, options?.limit]);
    if (!(Number.isInteger(limit) && limit >= 0 && limit < 2 ** 32)) throw new EngineError('wrong_type', '`limit` is a number of collisions');
    const text = jsonText(listed(names, 'the names').map((name) => wellFormed(name, 'a name')), 'the names');
    const behavior = nested == null ? undefined : wellFormed(nested, '`nested`');
    return module.ask(() => base.policyEngine(this, module).collisions(text, behavior, limit));
  }

  /** What changes would do to somebody. Nothing is changed. */
  whatIf(who, changes, question) {
    const [person, tried, text] = [base.whoText(who), jsonText(changes, 'changes'), optionalText(question)];
    return module.ask(() => base.policyEngine(this, module).whatIf(person, tried, text));
  }

  #asked(who, ask) {
    const identity = this.open(who);
    try {
      return ask(identity);
    } finally {
      identity.free();
    }
  }

  /** What a later policy decides differently, and for whom. */
  diff(later) {
    const after = base.policyEngine(later, module);
    return module.ask(() => base.policyEngine(this, module).diff(after));
  }

  /** What is odd in it. */
  lint() {
    return module.ask(() => base.policyEngine(this, module).lint());
  }
}

/** What is odd in a policy document, what it holds twice too: a policy that was loaded does not. */
export async function lintDocument(document, { wasm } = {}) {
  await module.load(wasm);
  const text = jsonText(document, 'a policy document', { longest: Infinity });
  return module.ask(() => glue.lintDocument(text));
}

/** A question that may be left out. */
function optionalText(question) {
  return question === undefined ? undefined : jsonText(question, 'a question');
}
