// The services under test: one without TLS and one with it. The identity provider of both is that of the demo.

import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { basic } from '../../e2e/support/ask.mjs';
import { serve } from '../../e2e/support/launch.mjs';
import { certificate } from './certificate.mjs';

const PASSWORD = 'correct-horse-battery-staple';

const compiled = readFileSync(new URL('../../../server/proto/descriptors.binpb', import.meta.url));
/** Every message and service of the compiled `.proto` files. */
export const messages = createFileRegistry(fromBinary(FileDescriptorSetSchema, compiled));

/** The services that clients of the platform call. */
export const SERVICES = {
  acls: 'redpanda.api.dataplane.v1.ACLService',
  roles: 'redpanda.api.dataplane.v1.SecurityService',
  wrapped: 'redpanda.api.console.v1alpha1.SecurityService',
  admin: 'redpanda.core.admin.v2.SecurityService',
};

/** The host names of the service with TLS that the platform's provider uses: it replaces `://api-` by `://console-`. */
export const HOSTS = { api: 'api-gbac.example', console: 'console-gbac.example' };

/** Starts both services; `stop` ends them. */
export async function start() {
  const folder = await mkdtemp(join(tmpdir(), 'gbac-clients-'));
  const running = [];
  const stop = async () => {
    await Promise.all(running.map((service) => service.stop()));
    await rm(folder, { recursive: true });
  };
  const run = async (...flags) => {
    const service = await serve(['--listen', '127.0.0.1:0', ...flags], { GBAC_ADMIN_PASSWORD: PASSWORD });
    running.push(service);
    return service.origin;
  };
  try {
    const made = certificate(Object.values(HOSTS));
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    await Promise.all([writeFile(cert, made.certificate), writeFile(key, made.key, { mode: 0o600 })]);
    const plain = await run('--demo');
    const people = await (await fetch(`${plain}/demo/idp/people`)).json();
    const { token } = people.find(({ token }) => claims(token).sub === 'maya.okafor');
    const provider = ['--oidc-discovery-url', `${plain}/demo/idp/.well-known/openid-configuration`];
    const data = ['--data', join(folder, 'data'), '--license', 'valid', '--tls-cert', cert, '--tls-key', key];
    const hosts = ['--public-host', Object.values(HOSTS).join(',')];
    const secure = await run(...data, ...provider, '--oidc-audience', claims(token).aud, ...hosts);
    const headers = { admin: basic('admin', PASSWORD), user: `Bearer ${token}` };
    return { plain, secure, certificate: made.certificate, headers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const claims = (token) => JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString());

/** The ways to encode a call, with the versions of HTTP that carry each. */
export const ENCODINGS = {
  'Connect in JSON': [createConnectTransport, false, ['1.1', '2']],
  'Connect in binary': [createConnectTransport, true, ['1.1', '2']],
  gRPC: [createGrpcTransport, true, ['2']],
  'gRPC in JSON': [createGrpcTransport, false, ['2']],
  'gRPC-Web': [createGrpcWebTransport, true, ['1.1', '2']],
  'gRPC-Web in JSON': [createGrpcWebTransport, false, ['1.1', '2']],
};

/** Clients of every service, with these credentials. */
export function clients(services, { encoding, httpVersion, tls }, authorization) {
  const [create, useBinaryFormat] = ENCODINGS[encoding];
  const authorize = (next) => (request) => {
    if (authorization !== undefined) request.header.set('authorization', authorization);
    return next(request);
  };
  const transport = create({
    baseUrl: tls ? services.secure : services.plain,
    httpVersion,
    useBinaryFormat,
    interceptors: [authorize],
    nodeOptions: tls ? { ca: services.certificate } : {},
  });
  const client = ([name, service]) => [name, createClient(messages.getService(service), transport)];
  return Object.fromEntries(Object.entries(SERVICES).map(client));
}
