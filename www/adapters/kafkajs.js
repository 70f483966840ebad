// Guards for KafkaJS: producers, consumers and admin clients check permissions before they send a request.

import { own } from '../lib/own.js';

/** Thrown before a request is sent; `answer` has all checks of the request, with their decisions. */
export class NotAllowed extends Error {
  /** @param {import('gbac-engine').RequestAnswer} answer */
  constructor(answer) {
    const denied = answer.checks.filter((check) => check.decision.outcome === 'deny');
    super(`not allowed: ${denied.map((check) => `${check.operation} on ${check.resource_name}`).join(', ')}`);
    this.name = 'NotAllowed';
    this.answer = answer;
  }
}

/** @typedef {Partial<Record<'topic' | 'group' | 'transactional_id', string[]>>} Resources */

/**
 * Returns a function that throws {@link NotAllowed} unless the identity, which must be of a verified token, is allowed to make a
 * request of the Kafka API.
 * @param {import('gbac-engine').Identity} identity
 * @param {() => number} clock
 */
function demandOf(identity, clock) {
  if (!identity.verified) throw new Error('the identity must be of a verified token; open it with `policy.open(claims)` of `gbac-engine/verify`');
  return (/** @type {string} */ name, /** @type {Resources} */ resources) => {
    const answer = identity.request({ api: 'kafka', name, resources }, { now: clock() });
    if (answer.outcome !== 'allow') throw new NotAllowed(answer);
  };
}

const seconds = () => Date.now() / 1000;
/** @param {Iterable<string>} names */
const unique = (names) => [...new Set(names)];

/**
 * Returns the client with guards instead of some of its methods.
 * @template {object} Client
 * @param {Client} client
 * @param {Record<string, (...args: any[]) => unknown>} guards
 * @param {(name: string) => unknown} [other] returns a replacement for a method without a guard
 * @returns {Client}
 */
function guarded(client, guards, other) {
  return new Proxy(client, {
    get(target, name) {
      if (Object.hasOwn(guards, name)) return Reflect.get(guards, name);
      const value = Reflect.get(target, name);
      return other !== undefined && typeof name === 'string' && typeof value === 'function' ? other(name) : value;
    },
  });
}

/**
 * Returns a producer that sends only to topics that the identity is allowed to write to: to all topics of a call, or to none.
 * @template {object} Producer
 * @param {Producer} producer
 * @param {import('gbac-engine').Identity} identity of a verified token
 * @param {{ transactionalId?: string, clock?: () => number }} [options] `clock` returns seconds since 1970
 * @returns {Producer}
 * @example
 * const producer = guardProducer(kafka.producer(), identity);
 */
export function guardProducer(producer, identity, options = {}) {
  const { transactionalId, clock = seconds } = own(options);
  const demand = demandOf(identity, clock);
  const transaction = transactionalId === undefined ? {} : { transactional_id: [transactionalId] };
  return guardSender(producer, (topics) => demand('Produce', { topic: unique(topics), ...transaction }), (group) => demand('TxnOffsetCommit', { group: [group.consumerGroupId], topic: unique(group.topics.map(({ topic }) => topic)), ...transaction }));
}

/**
 * @template {object} S
 * @param {S} sender
 * @param {(topics: string[]) => void} demand
 * @param {(offsets: { consumerGroupId: string, topics: { topic: string }[] }) => void} demandOffsets
 * @returns {S}
 */
function guardSender(sender, demand, demandOffsets) {
  const inner = /** @type {any} */ (sender);
  return guarded(sender, {
    async send(/** @type {{ topic: string }} */ batch) {
      demand([batch.topic]);
      return inner.send(batch);
    },
    async sendBatch(/** @type {{ topicMessages?: { topic: string }[] }} */ batches) {
      const topics = (batches.topicMessages ?? []).map(({ topic }) => topic);
      if (topics.length > 0) demand(topics);
      return inner.sendBatch(batches);
    },
    async sendOffsets(/** @type {{ consumerGroupId: string, topics: { topic: string }[] }} */ offsets) {
      demandOffsets(offsets);
      return inner.sendOffsets(offsets);
    },
    async transaction() {
      if (inner.transaction === undefined) throw new Error('this producer does not support transactions');
      return guardSender(await inner.transaction(), demand, demandOffsets);
    },
  });
}

/**
 * Returns a consumer that subscribes only to topics that the identity is allowed to read, with a group that it is allowed to read.
 * It stops before the next batch of a topic that the identity is no longer allowed to read. Subscribe to topics by name: a regular
 * expression is refused, because its topics are not known in advance.
 * @template {object} Consumer
 * @param {Consumer} consumer
 * @param {import('gbac-engine').Identity} identity of a verified token
 * @param {{ groupId: string, clock?: () => number }} options the group of the consumer
 * @returns {Consumer}
 * @example
 * const consumer = guardConsumer(kafka.consumer({ groupId: 'billing' }), identity, { groupId: 'billing' });
 */
export function guardConsumer(consumer, identity, options) {
  const { groupId, clock = seconds } = own(options);
  const demand = demandOf(identity, clock);
  const inner = /** @type {any} */ (consumer);
  return guarded(consumer, {
    async subscribe(/** @type {{ topic?: string | RegExp, topics?: (string | RegExp)[] }} */ subscription) {
      const topics = subscription.topics ?? [subscription.topic];
      const names = topics.filter((topic) => typeof topic === 'string');
      if (names.length < topics.length) throw new Error('subscribe to topics by name; the topics of a regular expression cannot be checked');
      demand('JoinGroup', { group: [groupId] });
      demand('Fetch', { topic: unique(names) });
      return inner.subscribe(subscription);
    },
    async run(/** @type {{ eachMessage?: Function, eachBatch?: Function }} */ config = {}) {
      const { eachMessage, eachBatch } = config;
      return inner.run({
        ...config,
        ...(eachMessage && { eachMessage: async (/** @type {{ topic: string }} */ payload) => {
          demand('Fetch', { topic: [payload.topic] });
          return eachMessage(payload);
        } }),
        ...(eachBatch && { eachBatch: async (/** @type {{ batch: { topic: string } }} */ payload) => {
          demand('Fetch', { topic: [payload.batch.topic] });
          return eachBatch(payload);
        } }),
      });
    },
    async commitOffsets(/** @type {{ topic: string }[]} */ offsets) {
      if (offsets.length > 0) demand('OffsetCommit', { group: [groupId], topic: unique(offsets.map(({ topic }) => topic)) });
      return inner.commitOffsets(offsets);
    },
    async describeGroup() {
      demand('DescribeGroups', { group: [groupId] });
      return inner.describeGroup();
    },
  });
}

/** KafkaJS's numbers of resource types in configurations. */
const TOPIC = 2;

/**
 * The requests of each method of an admin client, by its argument. All other methods are refused.
 * @type {Record<string, (given: any) => [string, Resources][]>}
 */
const ADMIN = {
  createTopics: ({ topics }) => [['CreateTopics', { topic: unique(topics.map((/** @type {{ topic: string }} */ { topic }) => topic)) }]],
  deleteTopics: ({ topics }) => [['DeleteTopics', { topic: unique(topics) }]],
  createPartitions: ({ topicPartitions }) => [['CreatePartitions', { topic: unique(topicPartitions.map((/** @type {{ topic: string }} */ { topic }) => topic)) }]],
  deleteTopicRecords: ({ topic }) => [['DeleteRecords', { topic: [topic] }]],
  fetchTopicOffsets: (topic) => [['ListOffsets', { topic: [topic] }]],
  fetchTopicOffsetsByTimestamp: (topic) => [['ListOffsets', { topic: [topic] }]],
  fetchOffsets: ({ groupId, topics }) => [['OffsetFetch', { group: [groupId], topic: unique(topics) }]],
  setOffsets: ({ groupId, topic }) => [['OffsetCommit', { group: [groupId], topic: [topic] }]],
  resetOffsets: ({ groupId, topic }) => [['OffsetCommit', { group: [groupId], topic: [topic] }], ['ListOffsets', { topic: [topic] }]],
  describeGroups: (groups) => [['DescribeGroups', { group: unique(groups) }]],
  deleteGroups: (groups) => [['DeleteGroups', { group: unique(groups) }]],
  describeConfigs: ({ resources }) => configs('DescribeConfigs', resources),
  alterConfigs: ({ resources }) => configs('AlterConfigs', resources),
  createAcls: () => [['CreateACLs', {}]],
  deleteAcls: () => [['DeleteACLs', {}]],
  describeAcls: () => [['DescribeACLs', {}]],
  alterPartitionReassignments: () => [['AlterPartitionReassignments', {}]],
  listPartitionReassignments: () => [['ListPartitionReassignments', {}]],
};

/**
 * The requests for configurations: of topics by name, of everything else as those of the cluster.
 * @param {string} request
 * @param {{ type: number, name: string }[]} resources
 * @returns {[string, Resources][]}
 */
function configs(request, resources) {
  const topics = unique(resources.filter(({ type }) => type === TOPIC).map(({ name }) => name));
  /** @type {[string, Resources][]} */
  const requests = topics.length > 0 ? [[request, { topic: topics }]] : [];
  return resources.some(({ type }) => type !== TOPIC) || topics.length === 0 ? [...requests, [request, {}]] : requests;
}

/** Methods without a check, because they send nothing that the cluster would check. */
const FREE = ['connect', 'disconnect', 'on', 'logger'];

/**
 * Returns an admin client that makes only requests that the identity is allowed to make. Lists contain only what the identity is
 * allowed to describe. Methods that this guard does not know are refused.
 * @template {object} Admin
 * @param {Admin} admin
 * @param {import('gbac-engine').Identity} identity of a verified token
 * @param {{ clock?: () => number }} [options]
 * @returns {Admin}
 * @example
 * const admin = guardAdmin(kafka.admin(), identity);
 */
export function guardAdmin(admin, identity, options = {}) {
  const { clock = seconds } = own(options);
  const demand = demandOf(identity, clock);
  const inner = /** @type {any} */ (admin);
  /** @type {Record<string, (...args: any[]) => unknown>} */
  const guards = {
    async listTopics() {
      return identity.filter('describe', 'topic', await inner.listTopics(), { now: clock() });
    },
    async listGroups() {
      const listed = await inner.listGroups();
      if (identity.can('describe', 'cluster', 'kafka-cluster', { now: clock() })) return listed;
      const { groups, ...rest } = listed;
      const seen = new Set(identity.filter('describe', 'group', groups.map((/** @type {{ groupId: string }} */ { groupId }) => groupId), { now: clock() }));
      return { ...rest, groups: groups.filter((/** @type {{ groupId: string }} */ { groupId }) => seen.has(groupId)) };
    },
    async fetchTopicMetadata(/** @type {{ topics?: string[] }} */ given = {}) {
      const topics = given.topics ?? [];
      if (topics.length > 0) demand('Metadata', { topic: unique(topics) });
      const { topics: found, ...rest } = await inner.fetchTopicMetadata(given);
      const seen = new Set(identity.filter('describe', 'topic', found.map((/** @type {{ name: string }} */ { name }) => name), { now: clock() }));
      return { ...rest, topics: found.filter((/** @type {{ name: string }} */ { name }) => seen.has(name)) };
    },
    async describeCluster() {
      if (!identity.can('describe', 'cluster', 'kafka-cluster', { now: clock() })) throw new Error('not allowed: OPERATION_DESCRIBE on kafka-cluster');
      return inner.describeCluster();
    },
  };
  for (const [name, requestsOf] of Object.entries(ADMIN)) {
    guards[name] = async (given, ...more) => {
      for (const [request, resources] of requestsOf(given)) demand(request, resources);
      return inner[name](given, ...more);
    };
  }
  return guarded(admin, guards, (name) => {
    if (FREE.includes(name)) return inner[name];
    return async () => { throw new Error(`\`${name}\` is refused, because the guard does not know its permissions`); };
  });
}
