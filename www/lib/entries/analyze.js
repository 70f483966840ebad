// The engine with the analysis of whole policies: who can, permissions, diff, lint, least grant, and the simulator's.
import * as glue from '../../pkg/gbac_engine_analyze.js';
import id from '../../pkg/gbac_engine_analyze_id.js';
import { documentText, jsonText, listed, optionsOf, wholeNumber } from '../arguments.js';
import { EngineError, noMore, wellFormed } from '../error.js';
import { Module } from '../module.js';
import * as base from '../policy.js';

export { acls } from '../acls.js';
export { EngineError } from '../error.js';
export { Resource } from '../names.js';

/** An identity with its permissions and their smallest changes. */
export class Identity extends base.Identity {
  /** All permissions until it expires, and whether it has expired. */
  permissions(options, ...more) {
    noMore(more, 'permissions');
    const now = base.instantFor(this, options, 'permissions');
    return base.identityCall(this, (engine) => engine.permissions(now));
  }

  /** The smallest change that would allow a request. */
  leastGrant(question, ...more) {
    noMore(more, 'leastGrant', base.MEMBERS);
    const text = jsonText(question, 'a question');
    return base.identityCall(this, (engine) => engine.leastGrant(text, base.clock()));
  }

  /** The smallest removal after which a request is denied. */
  revoke(question, ...more) {
    noMore(more, 'revoke', base.MEMBERS);
    const text = jsonText(question, 'a question');
    return base.identityCall(this, (engine) => engine.revoke(text, base.clock()));
  }
}

/** The analysis of a whole policy. */
class AnalyzedPolicy extends base.Policy {
  static Identity = Identity;

  /** Who can do one operation on one resource. */
  whoCan(question, ...more) {
    noMore(more, 'whoCan', base.MEMBERS);
    const text = jsonText(question, 'a question');
    return this.#ask((engine) => engine.whoCan(text));
  }

  /** All permissions of an identity, or of a principal such as `Group:eng`. */
  permissions(who, options, ...more) {
    if (typeof who === 'string') {
      noMore([options, ...more], 'permissions', 'a principal has no expiry');
      const principal = wellFormed(who, 'a principal');
      return this.#ask((engine) => engine.permissionsOf(principal));
    }
    return this.#opened(who, (identity) => identity.permissions(options, ...more));
  }

  /** The smallest change that would allow somebody a request. */
  leastGrant(who, question, ...more) {
    return this.#opened(who, (identity) => identity.leastGrant(question, ...more));
  }

  /** The smallest removal after which somebody is denied a request. */
  revoke(who, question, ...more) {
    return this.#opened(who, (identity) => identity.revoke(question, ...more));
  }

  /** How the permissions of two identities differ, and the decision of both for a request, if there is one. */
  compare(first, second, question, ...more) {
    noMore(more, 'compare', base.MEMBERS);
    const text = optionalText(question);
    const now = base.clock();
    if (first === second && base.identityOf(this, first)) throw new EngineError('wrong_type', 'both arguments are the same open identity; pass two different ones');
    return this.#compared(first, (one) =>
      this.#compared(second, (other) =>
        base.identityCall(one, (engine) => engine.compare(base.identityEngine(other), text, now))));
  }

  /** Uses an open identity of this policy, or opens one for the call. */
  #compared(who, ask) {
    const open = base.identityOf(this, who);
    return open === undefined ? this.#opened(who, ask) : ask(open);
  }

  /** Names that become the same group: among a token's groups, and among all known groups. */
  collisions(options, ...more) {
    noMore(more, 'collisions');
    const { names = [], nested, limit = 100 } = optionsOf(options, 'collisions', ['names', 'nested', 'limit']);
    wholeNumber(limit, '`limit`');
    const text = jsonText(listed(names, 'the names').map((name) => wellFormed(name, 'a name')), 'the names');
    const behavior = nested === undefined ? undefined : wellFormed(nested, '`nested`');
    return this.#ask((engine) => engine.collisions(text, behavior, limit));
  }

  /** The effect of changes on somebody. Nothing is changed. */
  whatIf(who, changes, question, ...more) {
    noMore(more, 'whatIf', base.MEMBERS);
    const person = base.whoText(who);
    const tried = jsonText(changes, 'changes');
    const text = optionalText(question);
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

  /** The decisions that differ in another policy. */
  diff(later, ...more) {
    noMore(more, 'diff');
    return base.policyCall(this, undefined, (engine, instance) =>
      base.policyCall(later, instance, (after) => instance.take(() => engine.diff(after))));
  }

  /** Its findings. */
  lint(...more) {
    noMore(more, 'lint');
    return this.#ask((engine) => engine.lint());
  }
}

/** An optional request. */
function optionalText(question) {
  return question === undefined ? undefined : jsonText(question, 'a question');
}

/** The entry for its wasm module: compiled, as text, or `undefined` if `init` must be given one. */
export function analyze(code) {
  const module = new Module(glue, id, code);

  /** Loads the wasm module at the first call; `Policy.load` and `lintDocument` do so too. */
  async function init(wasm, ...more) {
    noMore(more, 'init');
    await module.load(wasm);
  }

  /** A policy with analysis. */
  class Policy extends AnalyzedPolicy {
    /** Loads a policy document, an object or JSON text. */
    static load(document, options, ...more) {
      return base.loadPolicy(this, module, document, options, more);
    }
  }

  /** The findings of a policy document, with duplicates, which a loaded policy no longer has. */
  async function lintDocument(document, options, ...more) {
    noMore(more, 'lintDocument');
    const { wasm } = optionsOf(options, 'lintDocument', ['wasm']);
    const text = documentText(document);
    const instance = await module.load(wasm);
    return instance.take(() => glue.lintDocument(text));
  }

  return { init, Policy, lintDocument };
}
