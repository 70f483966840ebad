// The claim doctor's page: shows what its WebAssembly module finds in a token. Nothing is sent, stored or put into the address.
(function () {
  'use strict';
  const $ = (id) => document.getElementById(id);
  /** More than this is refused anyway; it need not be copied whole. */
  const MOST = 4 << 20;

  const PLATFORMS = [
    { name: 'Redpanda', brokers: true, path: 'oidc_group_claim_path', nested: 'nested_group_behavior' },
    { name: 'Apache Kafka with GBAC', path: 'gbac.groups.claim', nested: 'gbac.groups.nested' },
    { name: 'Strimzi', path: 'oauth.groups.claim', nested: null },
  ];
  const TIMES = { iat: 1795701600, exp: 4102444800 };
  const ENTRA = { iss: 'https://login.microsoftonline.com/9f4c0000-0000-4000-8000-000000000000/v2.0', aud: 'streams', sub: 'maya.okafor' };
  const KEYCLOAK = { iss: 'https://id.example.com/realms/prod', aud: 'streams', sub: 'maya.okafor', azp: 'kafka-cli' };
  const EXAMPLES = [
    [
      'Entra ID, over 200 groups',
      { ...ENTRA, ...TIMES, _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.microsoft.com/v1.0/users/0000/getMemberObjects' } } },
    ],
    ['Nested groups', { ...KEYCLOAK, ...TIMES, typ: 'Bearer', groups: ['/eng/payments', '/eng/platform', '/contractors/payments'] }],
    ['Roles only', { ...KEYCLOAK, ...TIMES, typ: 'Bearer', realm_access: { roles: ['payments-writers', 'offline_access'] }, resource_access: { 'kafka-cli': { roles: ['viewer'] } } }],
    ['One string', { iss: 'https://id.example.com', ...TIMES, sub: 'maya.okafor', groups: 'engineering, payments, on-call' }],
    ['ID token', { ...KEYCLOAK, ...TIMES, typ: 'ID', nonce: 'n-0S6', at_hash: 'MTIzNDU2Nzg5MDEyMzQ1Ng' }],
  ];

  const base64url = (text) => btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const example = (claims) =>
    [{ alg: 'RS256', typ: 'JWT', kid: 'prod-2026-10' }, claims].map((part) => base64url(JSON.stringify(part))).join('.') + '.' + base64url('not a signature');

  /** An element with children, which are texts or elements. */
  function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  const spans = (words) => words.map(([kind, text]) => (kind === 'code' ? element('span', { class: 'cl' }, text) : text));

  function icon(name) {
    $('result').querySelector('use').setAttribute('href', '#' + name);
  }

  let module;
  let guides = [];
  let chosen = null;
  let platform = PLATFORMS[0];

  function showProvider(found) {
    const code = chosen ?? found.provider;
    guides = JSON.parse(module.providers(found.reason));
    const guide = guides.find((one) => one.code === code);
    for (const tab of $('tabs').querySelectorAll('input')) tab.checked = tab.value === code;
    $('steps').closest('.tp').hidden = !guide;
    $('recognized').textContent = guide ? '' : 'Choose your provider';
    if (!guide) return;
    if (found.provider === code) $('recognized').textContent = `${guide.name}, recognized by the issuer`;
    $('steps').replaceChildren(...guide.steps.map((step) => element('li', {}, element('span', {}, ...spans(step)))));
    $('then').hidden = guide.path === null;
    $('then-path').textContent = guide.path ?? '';
    $('request').closest('.reqc').hidden = guide.request === null;
    $('request').textContent = guide.request ?? '';
    $('copy-request').dataset.copy = guide.request ?? '';
  }

  function row({ path, note, none, found, refused, groups, more }) {
    const head = element('th', { scope: 'row' }, element('span', { class: 'cl' }, path));
    if (note) head.append(element('small', {}, note));
    const cell = element('div', { class: 'c' });
    if (none) {
      cell.append(element('b', {}, none), ' ', element('span', { class: 'quiet small' }, ...spans(found)));
    } else {
      const name = (group) => element('li', {}, element('span', { class: 'pr' }, element('span', { class: 'pr-t' }, 'Group:'), element('span', { class: 'pr-n' }, group)));
      cell.append(element('ul', { class: 'names' }, ...groups.map(name)));
      if (more) cell.append(element('p', { class: 'quiet small' }, more));
    }
    if (refused) cell.append(element('p', { class: 'refused small' }, ...spans(refused)));
    return element('tr', {}, head, element('td', { 'data-l': 'Groups' }, cell));
  }

  function claim({ depth, name, value, marked }) {
    const text = element('span', {}, '\u00a0\u00a0'.repeat(depth) + name + ': ');
    return element('li', {}, text, marked ? element('mark', {}, value) : value);
  }

  function show() {
    const suffix = platform.nested !== null && document.querySelector('[name="nested"]:checked').value === 'suffix';
    const found = JSON.parse(module.examination($('token').value.slice(0, MOST), suffix, platform.brokers === true, Date.now() / 1000));
    for (const id of ['decoded', 'paths']) $(id).hidden = !found || found.paths.length === 0;
    $('provider').hidden = !found?.advises;
    $('notes').replaceChildren();
    if (!found) {
      $('result').className = 'note';
      icon('none');
      $('h-result').textContent = 'Paste a token to see its groups';
      $('words').textContent = 'Or press an example.';
      return;
    }
    const [look, shape] = { good: ['note-ok', 'allow'], warn: ['note-warn', 'warn'], bad: ['note-err', 'warn'] }[found.mark];
    $('result').className = 'note ' + look;
    icon(shape);
    $('h-result').textContent = found.title;
    $('words').replaceChildren(...spans(found.words));
    for (const { title, words } of found.notes) {
      $('notes').append(element('li', {}, ...(title ? [element('b', {}, title + '. ')] : []), ...spans(words)));
    }
    if (found.paths.length === 0) return;
    $('summary').textContent = found.summary;
    $('claims').replaceChildren(...found.claims.map(claim));
    $('setting').textContent = platform.path;
    $('rows').replaceChildren(...found.paths.map(row));
    $('nested').hidden = platform.nested === null;
    $('nested-setting').textContent = platform.nested ?? '';
    $('nested-words').replaceChildren(...spans(found.nested));
    showProvider(found);
    $('provider').open = chosen !== null || found.mark !== 'good';
  }

  function radio(group, value, label, isChecked, press) {
    const input = element('input', { type: 'radio', name: group, value });
    input.checked = isChecked;
    input.addEventListener('change', press);
    return element('label', {}, input, element('span', {}, label));
  }

  /** Opens the simulator, which asks for the token: so it is in no address and in no store. */
  function handOver(event) {
    const token = $('token').value;
    // A page from a file has no origin that the other page could check.
    if (token.trim() === '' || location.protocol === 'file:') return;
    const simulator = open(event.currentTarget.href);
    if (!simulator) return;
    event.preventDefault();
    addEventListener('message', function answer(message) {
      if (message.source !== simulator || message.origin !== location.origin) return;
      removeEventListener('message', answer);
      simulator.postMessage({ token }, location.origin);
    });
  }

  function controls() {
    $('with-policy')?.addEventListener('click', handOver);
    const buttons = EXAMPLES.map(([name, claims]) => {
      const button = element('button', { class: 'chip', type: 'button', 'aria-pressed': 'false' }, name);
      button.addEventListener('click', () => {
        $('token').value = example(claims);
        for (const other of buttons) other.setAttribute('aria-pressed', String(other === button));
        chosen = null;
        show();
      });
      return button;
    });
    $('examples').append(...buttons);
    $('platforms').append(
      ...PLATFORMS.map((one, place) =>
        radio('platform', String(place), one.name, place === 0, () => {
          platform = one;
          show();
        }),
      ),
    );
    for (const input of document.querySelectorAll('[name="nested"]')) input.addEventListener('change', show);
    $('token').addEventListener('input', () => {
      for (const button of buttons) button.setAttribute('aria-pressed', 'false');
      chosen = null;
      show();
    });
    $('tabs').append(
      ...JSON.parse(module.providers('')).map(({ code, name }) =>
        radio('idp', code, name, false, () => {
          chosen = code;
          show();
        }),
      ),
    );
  }

  try {
    const bytes = Uint8Array.from(atob(globalThis.claimDoctorModule), (letter) => letter.charCodeAt(0));
    delete globalThis.claimDoctorModule;
    // Pages that are opened from a file fetch nothing, so the module comes as a script.
    wasm_bindgen.initSync({ module: bytes });
    module = wasm_bindgen;
    controls();
    show();
  } catch (error) {
    $('result').className = 'note note-err';
    $('h-result').textContent = 'The claim doctor does not run in this browser';
    $('words').textContent = 'It needs WebAssembly and a browser of 2024 or later. The command line does the same: gbac doctor FILE.';
    console.error(error);
  }
})();
