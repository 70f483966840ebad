// Kafka's own Java clients, in one process for each test file.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { JAVA, java } from './cluster.mjs';

const PROGRAM = fileURLToPath(new URL('../Client.java', import.meta.url));

/** What a client that never waits long has in its properties. */
const PROMPT = {
  'request.timeout.ms': 15_000,
  'default.api.timeout.ms': 30_000,
  'max.block.ms': 30_000,
  'delivery.timeout.ms': 30_000,
  'reconnect.backoff.max.ms': 200,
};

/** What clients of one kind have besides: a producer asks for its topic only, and a consumer reads all records. */
const DEFAULTS = { producer: { 'enable.idempotence': false }, consumer: { 'auto.offset.reset': 'earliest' } };

/** A call failed; `name` is the class of Kafka's exception. */
export class KafkaError extends Error {
  constructor(name, message) {
    super(message);
    this.name = name;
  }
}

/**
 * Starts the process. `open(kind, properties)` makes a producer, a consumer or an admin; its calls are those of Client.java.
 * `attempt` gives the name of the exception of a call, or its value.
 */
export function startClients() {
  const child = spawn(JAVA, [...java(), PROGRAM], { stdio: ['pipe', 'pipe', 'pipe'] });
  const waiting = new Map();
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (said += text));
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, value, error, message } = JSON.parse(line);
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error) reject(new KafkaError(error, message));
    else resolve(value);
  });
  child.once('exit', (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`the clients ended with ${code ?? signal}: ${said}`));
  });
  // A test file that is ended from outside leaves no program behind.
  const kill = () => child.kill('SIGKILL');
  process.on('exit', kill);

  let last = 0;
  const call = (client, name, more = {}) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve, reject });
      child.stdin.write(`${JSON.stringify({ id, client, call: name, ...more })}\n`);
    });

  return {
    async open(kind, values) {
      const name = `${kind}-${++last}`;
      await call(name, 'open', { kind, properties: { ...PROMPT, ...DEFAULTS[kind], ...values } });
      const attempt = (what, more) =>
        call(name, what, more).catch((error) => {
          if (error instanceof KafkaError) return error.name;
          throw error;
        });
      return { call: (what, more) => call(name, what, more), attempt, close: () => call(name, 'close') };
    },
    /** What the clients have logged. */
    output: () => said,
    async stop() {
      process.off('exit', kill);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const over = once(child, 'close');
      child.kill('SIGKILL');
      await over;
    },
  };
}
