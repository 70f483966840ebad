// Runs the console without a service and below any path: it is built for the top of an origin whose service answers its requests.
//
// - The address of a page is behind the `#` of this page's own: `index.html#/security/roles`. So every web server can reload it.
// - Requests of the console are answered here: there is an example policy, nothing is stored, and nothing is sent anywhere.
(function () {
  'use strict';
  // Browsers load no modules and no WebAssembly from a folder of files.
  if (location.protocol === 'file:') {
    addEventListener('load', () => {
      // The page says no other reason from now on.
      dispatchEvent(new Event('TrunkApplicationStarted'));
      document.getElementById('failed-why').textContent =
        'A browser cannot run it from a folder of files. Serve the folder, for example with `python3 -m http.server`, and open that address. The claim doctor and the documentation work from files.';
      document.getElementById('failed').hidden = false;
    });
    return;
  }

  const START = '/security/simulator';
  const page = location.pathname;
  const folder = new URL('.', document.currentScript.src);
  const isAddress = (hash) => hash.startsWith('#/');
  let last = isAddress(location.hash) ? location.hash.slice(1) : START;

  /** The address that the console sees. */
  function shown() {
    if (isAddress(location.hash)) last = location.hash.slice(1);
    const url = new URL(last, location.origin);
    if (location.hash && !isAddress(location.hash)) url.hash = location.hash;
    return url;
  }

  /** A part of an address that the console reads: of this page, or of a link in it. */
  globalThis.gbacPart = (address, part) => {
    // The origin is what the console puts before an address to copy it.
    if (part === 'origin') return address.origin === location.origin ? `${location.origin}${page}#` : address.origin;
    if (address === location) return shown()[part];
    if (address.pathname !== page) return address[part];
    if (isAddress(address.hash)) return new URL(address.hash.slice(1), location.origin)[part];
    return part === 'pathname' ? shown().pathname : address[part];
  };

  for (const name of ['pushState', 'replaceState']) {
    const real = history[name].bind(history);
    history[name] = (state, title, url) => real(state, title, url?.startsWith('/') ? '#' + url : url);
  }
  if (!isAddress(location.hash)) history.replaceState(null, '', START);

  // A link that is opened in a new tab, or copied, leads back to this page.
  const lead = (event) => {
    const link = event.target.closest?.('a[href^="/"]');
    if (link) link.setAttribute('href', '#' + link.getAttribute('href'));
  };
  for (const event of ['pointerover', 'pointerdown', 'focusin']) addEventListener(event, lead, true);

  const TAG = '"example"';
  const PROVIDER = { issuer: 'https://id.example.com/realms/prod', audience: 'streams', discovery: '', jwks: '', people: '/demo/idp/people' };
  const base64url = (text) => btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  /** Somebody with a token that nobody signed, for the example policy. */
  function person(id, name, note, groups) {
    const claims = { iss: PROVIDER.issuer, aud: PROVIDER.audience, sub: id, iat: 1795701600, exp: 4102444800, groups };
    const parts = [{ alg: 'RS256', typ: 'JWT', kid: 'prod-2026-10' }, claims].map((part) => JSON.stringify(part));
    return { id, name, note, token: [...parts, 'not a signature'].map(base64url).join('.') };
  }
  const PEOPLE = [
    person('ana', 'Ana', 'in payments-team', ['payments-team', 'engineering']),
    person('ben', 'Ben', 'in payments-team, and a contractor', ['payments-team', 'contractors']),
    person('cleo', 'Cleo', 'in analytics', ['analytics']),
  ];
  const REFUSAL = { code: 'UNIMPLEMENTED', message: 'This page has no service: it decides over an example policy, in this page' };
  const json = (value, status = 200, headers = {}) =>
    new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json', ...headers } });
  const fetched = globalThis.fetch.bind(globalThis);

  async function answer(request, path) {
    // A sign-in needs a service.
    if (request.method !== 'GET' || request.headers.has('authorization')) return json(REFUSAL, 501);
    if (path === '/gbac/v1/service') return json({ name: 'example policy', version: 'static', demo: false, provider: PROVIDER });
    if (path === PROVIDER.people) return json(PEOPLE);
    if (path === '/v1/cluster_config') return json({});
    if (path !== '/gbac/v1/policy') return json(REFUSAL, 501);
    if (request.headers.get('if-none-match') === TAG) return new Response(null, { status: 304 });
    const policy = await fetched(new URL('policy.json', folder));
    return json(await policy.json(), policy.status, { etag: TAG });
  }

  /** Puts a token into its field, as a person does, once the field is there. */
  function enter(token) {
    const field = document.getElementById('tok');
    if (!field) return false;
    field.value = token;
    field.dispatchEvent(new Event('input', { bubbles: true }));
    return true;
  }

  // The claim doctor that opened this page hands over its token.
  if (globalThis.opener) {
    addEventListener('message', ({ source, origin, data }) => {
      if (source !== opener || origin !== location.origin || typeof data?.token !== 'string' || enter(data.token)) return;
      const seen = new MutationObserver(() => enter(data.token) && seen.disconnect());
      seen.observe(document, { childList: true, subtree: true });
    });
    opener.postMessage('ready', location.origin);
  }

  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    // At the top of an origin, what is in the folder differs from a request by the ending of a file.
    const isFile = folder.pathname !== '/' || /\.(?:js|json|wasm|css|svg)$/.test(url.pathname);
    if (isFile && url.origin === location.origin && url.pathname.startsWith(folder.pathname)) return fetched(input, init);
    return answer(request, url.pathname);
  };
})();
