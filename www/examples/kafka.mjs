// A guard for producers of KafkaJS: who produces is asked before anything is sent.

/** @typedef {{ topic: string }} Batch */
/** @typedef {{ send(batch: Batch): Promise<unknown>, sendBatch(batches: { topicMessages?: Batch[] }): Promise<unknown> }} Sender */

/** Thrown in place of sending; `answer` says which of the checks is denied. */
export class NotAllowed extends Error {
  /** @param {import('gbac-engine').RequestAnswer} answer */
  constructor(answer) {
    const denied = answer.checks.filter((check) => check.decision.outcome === 'deny');
    super(`not allowed: ${denied.map((check) => `${check.operation} on ${check.resource_name}`).join(', ')}`);
    this.name = 'NotAllowed';
    this.answer = answer;
  }
}

/**
 * A producer that sends only what the identity may write, all topics of a call or none. The identity is one of a verified token.
 * @template {Sender & { transaction?(): Promise<Sender> }} Producer
 * @param {Producer} producer
 * @param {import('gbac-engine/verify').Identity} identity
 * @param {{ transactionalId?: string, clock?: () => number }} [options]
 * @returns {Producer}
 */
export function guardProducer(producer, identity, { transactionalId, clock = () => Date.now() / 1000 } = {}) {
  if (!identity.verified) throw new Error('the identity comes from no verified token');
  /** @param {string[]} topics */
  const demand = (topics) => {
    const resources = { topic: [...new Set(topics)], ...(transactionalId === undefined ? {} : { transactional_id: [transactionalId] }) };
    const answer = identity.request({ api: 'kafka', name: 'Produce', resources }, { now: clock() });
    if (answer.outcome !== 'allow') throw new NotAllowed(answer);
  };
  return guardSender(producer, demand);
}

/**
 * @template {Sender & { transaction?(): Promise<Sender> }} S
 * @param {S} sender
 * @param {(topics: string[]) => void} demand
 * @returns {S}
 */
function guardSender(sender, demand) {
  const guards = {
    /** @param {Batch} batch */
    async send(batch) {
      demand([batch.topic]);
      return sender.send(batch);
    },
    /** @param {{ topicMessages?: Batch[] }} batches */
    async sendBatch(batches) {
      const topics = (batches.topicMessages ?? []).map(({ topic }) => topic);
      if (topics.length > 0) demand(topics);
      return sender.sendBatch(batches);
    },
    async transaction() {
      if (sender.transaction === undefined) throw new Error('this producer has no transactions');
      return guardSender(await sender.transaction(), demand);
    },
  };
  return new Proxy(sender, {
    get: (target, name) => (Object.hasOwn(guards, name) ? Reflect.get(guards, name) : Reflect.get(target, name)),
  });
}
