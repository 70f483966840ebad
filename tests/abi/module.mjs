// The WebAssembly ABI as a host sees it: numbers, and bytes in its memory (docs/abi.md).
import { readFileSync, readdirSync } from 'node:fs';

const folder = new URL('../vectors/', import.meta.url);

/** The compiled module. */
export const compiled = new WebAssembly.Module(readFileSync(process.env.GBAC_ABI));

const RESOURCE_TYPES = {
  TOPIC: 2, GROUP: 3, CLUSTER: 4, TRANSACTIONAL_ID: 5, DELEGATION_TOKEN: 6, USER: 7, REGISTRY: 64, SUBJECT: 65,
};
const PATTERNS = { LITERAL: 3, PREFIXED: 4 };
const OPERATIONS = [
  'ALL', 'READ', 'WRITE', 'CREATE', 'DELETE', 'ALTER', 'DESCRIBE', 'CLUSTER_ACTION', 'DESCRIBE_CONFIGS', 'ALTER_CONFIGS',
  'IDEMPOTENT_WRITE', 'CREATE_TOKENS', 'DESCRIBE_TOKENS', 'TWO_PHASE_COMMIT',
];
const PERMISSIONS = { DENY: 2, ALLOW: 3 };

const fold = (text) => text.replaceAll(/[_-]/g, '').toLowerCase();
const named = (names, prefix, text) => names.find((name) => text === `${prefix}${name}` || fold(text) === fold(name));

/** The number of an operation in any spelling. */
export const operation = (text) => 2 + OPERATIONS.indexOf(named(OPERATIONS, 'OPERATION_', text));
/** The number of a resource type in any spelling. */
export const resourceType = (text) => {
  const short = { 'registry-global': 'REGISTRY', 'registry-subject': 'SUBJECT', 'user-principal': 'USER' }[text];
  return RESOURCE_TYPES[short ?? named(Object.keys(RESOURCE_TYPES), 'RESOURCE_TYPE_', text)];
};

export const u8 = (value) => Buffer.from([value]);
export const u16 = (value) => Buffer.from([value & 255, value >> 8]);
export const u32 = (value) => Buffer.from(new Uint32Array([value]).buffer);
export const u64 = (value) => Buffer.from(new BigUint64Array([BigInt(value)]).buffer);
export const text = (value) => Buffer.concat([u32(Buffer.byteLength(value)), Buffer.from(value)]);
export const texts = (values) => Buffer.concat([u32(values.length), ...values.map(text)]);

/** Kafka compares hosts as texts, an IPv6 address with its eight groups. */
function kafkaHost(host) {
  if (!host.includes(':') || host.includes('/')) return host;
  const [head, tail] = host.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const groups = tail === undefined ? head : [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail];
  return groups.map((group) => parseInt(group, 16).toString(16)).join(':');
}

export function aclRecord(adds, acl, dialect = 'platform') {
  const { resource_type: type, resource_name: name = '', resource_pattern_type: pattern, permission_type: permission } = acl;
  return Buffer.concat([
    u8(adds ? 1 : 2), u8(resourceType(type)), u8(PATTERNS[pattern.slice('RESOURCE_PATTERN_TYPE_'.length)]),
    u8(operation(acl.operation)), u8(PERMISSIONS[permission.slice('PERMISSION_TYPE_'.length)]),
    text(acl.principal), text(dialect === 'kafka' ? kafkaHost(acl.host) : acl.host), text(name),
  ]);
}

/** The records of a policy document. */
export function records({ settings = {}, roles = [], acls = [] }) {
  const { dialect = 'platform', kafka_version: version = '4.4', superusers = [] } = settings;
  const [major, minor] = version.split('.').map(Number);
  return [
    Buffer.concat([u8(5), u8(dialect === 'kafka' ? 1 : 0), u16(major), u16(minor)]),
    ...superusers.map((name) => Buffer.concat([u8(6), text(name)])),
    ...roles.flatMap(({ name, members = [] }) =>
      members.map((member) => Buffer.concat([u8(3), text(name), text(member.principal)]))),
    ...acls.map((acl) => aclRecord(true, acl, dialect)),
  ];
}

/** A running module with one buffer. */
export class Host {
  constructor() {
    // It needs nothing of its host.
    this.exports = new WebAssembly.Instance(compiled, {}).exports;
    this.size = 1 << 16;
    this.buffer = this.exports.gbac_alloc(this.size);
  }

  /** Puts bytes into the buffer and calls a function with them at the end of its arguments. */
  call(name, args, bytes) {
    if (bytes.length > this.size) {
      this.exports.gbac_free(this.buffer, this.size);
      this.size = bytes.length;
      this.buffer = this.exports.gbac_alloc(this.size);
    }
    new Uint8Array(this.exports.memory.buffer).set(bytes, this.buffer);
    return this.exports[name](...args, this.buffer, bytes.length);
  }

  apply(list) {
    return this.call('gbac_apply', [], Buffer.concat(list));
  }

  open(principal, groups) {
    return this.call('gbac_open', [], Buffer.concat([text(principal), texts(groups)]));
  }

  /** The client's host and the name of a resource, as bytes. */
  static request(host, name) {
    return [host === undefined ? -1 : Buffer.byteLength(host), Buffer.from((host ?? '') + name)];
  }

  mask(handle, type, host, name) {
    const [length, bytes] = Host.request(host, name);
    return this.call('gbac_mask', [handle, type, length], bytes);
  }

  explain(handle, asked, type, host, name) {
    const [length, bytes] = Host.request(host, name);
    return this.result(this.call('gbac_explain', [handle, asked, type, length], bytes)).toString();
  }

  nearMiss(handle, asked, type, host, name) {
    const [length, bytes] = Host.request(host, name);
    return this.result(this.call('gbac_near_miss', [handle, asked, type, length], bytes)).toString();
  }

  /** The user, the groups and the warnings of claims. */
  extract({ path = '$.groups', nested = 'none', mapping = '' }, claims) {
    const rules = [text(path), u8(nested === 'suffix' ? 1 : 0), text(mapping), text(claims)];
    const address = this.call('gbac_extract', [], Buffer.concat(rules));
    if (address < 0) return { error: address };
    const bytes = this.result(address);
    let at = 1;
    const number = () => {
      at += 4;
      return bytes.readUInt32LE(at - 4);
    };
    const next = () => {
      const length = number();
      at += length;
      return bytes.toString('utf8', at - length, at);
    };
    const list = () => Array.from({ length: number() }, next);
    const user = next();
    return { user: bytes[0] === 1 ? user : undefined, groups: list(), warnings: list() };
  }

  result(address) {
    if (address < 0) throw new Error(`error ${address}`);
    const memory = Buffer.from(this.exports.memory.buffer);
    return memory.subarray(address + 4, address + 4 + memory.readUInt32LE(address));
  }
}

/** The vectors that one identity with names or readable claims and one operation state. */
export function* vectors() {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.json')).sort()) {
    const { policy, tests } = JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
    yield { name, policy, tests: tests.filter(({ check, expect }) => !('error' in expect) && !check.request) };
  }
}
