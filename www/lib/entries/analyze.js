// The engine with questions about a whole policy: who can, permissions, diff, lint, least grant, and those of the simulator.
import * as glue from '../../pkg/gbac_engine_analyze.js';
import id from '../../pkg/gbac_engine_analyze_id.js';
import { documentText, jsonText, listed, optionsOf } from '../arguments.js';
import { EngineError, noMore, wellFormed } from '../error.js';
import { Module } from '../module.js';
import * as base from '../policy.js';

export { acls } from '../acls.js';
export { EngineError } from '../error.js';
export { Resource } from '../names.js';

/** An identity that can also be asked what it may do. */
export class Identity extends base.Identity {
  /** Everything that it may do until it expires, and whether it has expired. */
  permissions(options, ...more) {
    noMore(more, 'permissions');
    const now = base.instantFor(this, options, 'permissions');
    return base.identityCall(this, (engine) => engine.permissions(now));
  }

  /** The least that would allow what a question asks. */
  leastGrant(question, ...more) {
    noMore(more, 'leastGrant', base.MEMBERS);
    const text = jsonText(question, 'a question');
    return base.identityCall(this, (engine) => engine.leastGrant(text, base.clock()));
  }

  /** The least that has to go for what a question asks to be denied. */
  revoke(question, ...more) {
    noMore(more, 'revoke', base.MEMBERS);
    const text = jsonText(question, 'a question');
    return base.identityCall(this, (engine) => engine.revoke(text, base.clock()));
  }
}

/** What a policy is asked about as a whole. */
class AnalyzedPolicy extends base.Policy {
  static Identity = Identity;

  /** Who may do one operation on one resource. */
  whoCan(question, ...more) {
    noMore(more, 'whoCan', base.MEMBERS);
    const text = jsonText(question, 'a question');
    return this.#ask((engine) => engine.whoCan(text));
  }

  /** Everything that somebody may do: an identity, or a principal such as `Group:eng`. */
  permissions(who, options, ...more) {
    if (typeof who === 'string') {
      noMore([options, ...more], 'permissions', 'a principal has no expiry');
      const principal = wellFormed(who, 'a principal');
      return this.#ask((engine) => engine.permissionsOf(principal));
    }
    return this.#opened(who, (identity) => identity.permissions(options, ...more));
  }

  /** The least that would allow somebody what a question asks. */
  leastGrant(who, question, ...more) {
    return this.#opened(who, (identity) => identity.leastGrant(question, ...more));
  }

  /** The least that has to go for what a question asks to be denied to somebody. */
  revoke(who, question, ...more) {
    return this.#opened(who, (identity) => identity.revoke(question, ...more));
  }

  /** How two people differ, and how a question is answered to both where there is one. */
  compare(first, second, question, ...more) {
    noMore(more, 'compare', base.MEMBERS);
    const text = optionalText(question);
    const now = base.clock();
    if (first === second && base.identityOf(this, first)) throw new EngineError('wrong_type', 'these are one open identity; pass two');
    return this.#compared(first, (one) =>
      this.#compared(second, (other) =>
        base.identityCall(one, (engine) => engine.compare(base.identityEngine(other), text, now))));
  }

  /** With an open identity of this policy as it is, or with one that is opened for it. */
  #compared(who, ask) {
    const open = base.identityOf(this, who);
    return open === undefined ? this.#opened(who, ask) : ask(open);
  }

  /** Names that become one group: of a token's, and of all known groups. */
  collisions(options, ...more) {
    noMore(more, 'collisions');
    const { names = [], nested, limit = 100 } = optionsOf(options, 'collisions', ['names', 'nested', 'limit']);
    if (!(Number.isInteger(limit) && limit >= 0 && limit < 2 ** 32)) throw new EngineError('wrong_type', '`limit` is a number of collisions');
    const text = jsonText(listed(names, 'the names').map((name) => wellFormed(name, 'a name')), 'the names');
    const behavior = nested === undefined ? undefined : wellFormed(nested, '`nested`');
    return this.#ask((engine) => engine.collisions(text, behavior, limit));
  }

  /** What changes would do to somebody. Nothing is changed. */
  whatIf(who, changes, question, ...more) {
    noMore(more, 'whatIf', base.MEMBERS);
    const [person, tried, text] = [base.whoText(who), jsonText(changes, 'changes'), optionalText(question)];
    return this.#ask((engine) => engine.whatIf(person, tried, text, base.clock()));
  }

  #ask(run) {
    return base.policyCall(this, undefined, (engine, instance) => instance.take(() => run(engine)));
  }

  #opened(who, ask) {
    const identity = this.open(who);
    try {
      return ask(identity);
    } finally {
      identity.free();
    }
  }

  /** What a later policy decides differently. */
  diff(later, ...more) {
    noMore(more, 'diff');
    return base.policyCall(this, undefined, (engine, instance) =>
      base.policyCall(later, instance, (after) => instance.take(() => engine.diff(after))));
  }

  /** What is odd in it. */
  lint(...more) {
    noMore(more, 'lint');
    return this.#ask((engine) => engine.lint());
  }
}

/** A question that may be left out. */
function optionalText(question) {
  return question === undefined ? undefined : jsonText(question, 'a question');
}

/** The entry over its wasm module: compiled, as text, or `undefined` where `init` has to be given one. */
export function analyze(code) {
  const module = new Module(glue, id, code);

  /** Loads the wasm module, the first time; `Policy.load` and `lintDocument` do it as well. */
  async function init(wasm, ...more) {
    noMore(more, 'init');
    await module.load(wasm);
  }

  /** A policy that can also be asked about as a whole. */
  class Policy extends AnalyzedPolicy {
    /** Loads a policy document, an object or JSON text. */
    static load(document, options, ...more) {
      return base.loadPolicy(this, module, document, options, more);
    }
  }

  /** What is odd in a policy document, what it holds twice too: a policy that was loaded does not. */
  async function lintDocument(document, options, ...more) {
    noMore(more, 'lintDocument');
    const { wasm } = optionsOf(options, 'lintDocument', ['wasm']);
    const text = documentText(document);
    const instance = await module.load(wasm);
    return instance.take(() => glue.lintDocument(text));
  }

  return { init, Policy, lintDocument };
}
