// Names of 300 letters, right-to-left, combining, emoji and hidden characters, in every place of a policy that has names.

import assert from 'node:assert/strict';
import { isAccessible } from './axe.mjs';

/** Each kind of name: as it is stored, and as it is shown. */
export const NAMES = {
  long: ['l'.repeat(300), 'l'.repeat(300)],
  words: [Array.from({ length: 60 }, (_, n) => `w${n}`).join('-'), Array.from({ length: 60 }, (_, n) => `w${n}`).join('-')],
  rtl: ['مجموعة-المدفوعات', 'مجموعة-المدفوعات'],
  hebrew: ['צוות/תשלומים (eu)', 'צוות/תשלומים (eu)'],
  combining: [`e\u0301quipe-${'a\u0351\u0352\u0353'.repeat(12)}`, `e\u0301quipe-${'a\u0351\u0352\u0353'.repeat(12)}`],
  emoji: ['👩‍👩‍👧‍👦-🏳️‍🌈-team', undefined],
  hidden: ['pay\u202estnem\u200b\u0007', 'payU+202EstnemU+200BU+0007'],
};
/** Characters that nobody sees, or that turn what stands around them. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;
const WIDTHS = [1440, 1024, 390];

export const cut = (name, most) => [...name].slice(0, most).join('');
/** The name of a role: at most 128 letters, without control characters. */
export const roleOf = (kind) => cut(NAMES[kind][0].replaceAll(/\p{Cc}/gu, ''), 128);

const acl = (principal, name, more = {}) => ({
  resource_type: 'RESOURCE_TYPE_GROUP',
  resource_name: name,
  resource_pattern_type: 'RESOURCE_PATTERN_TYPE_LITERAL',
  principal,
  host: '*',
  operation: 'OPERATION_READ',
  permission_type: 'PERMISSION_TYPE_ALLOW',
  ...more,
});
const TOPIC = { resource_type: 'RESOURCE_TYPE_TOPIC', resource_pattern_type: 'RESOURCE_PATTERN_TYPE_PREFIXED', operation: 'OPERATION_WRITE' };
const DENY = { permission_type: 'PERMISSION_TYPE_DENY' };

/** Puts each name into every place of a policy that a name can have. */
export async function fill(service) {
  const before = await service.policy();
  const kinds = Object.keys(NAMES);
  const roles = kinds.map((kind) => ({
    name: roleOf(kind),
    members: [{ principal: `Group:${NAMES[kind][0]}` }, { principal: `User:${NAMES[kind][0]}` }],
  }));
  const acls = kinds.flatMap((kind) => {
    const name = NAMES[kind][0];
    return [
      acl(`Role:${roleOf(kind)}`, name),
      acl(`Role:${roleOf(kind)}`, cut(name, 80), TOPIC),
      acl(`Group:${name}`, name, DENY),
      acl(`User:${name}`, cut(name, 80), TOPIC),
    ];
  });
  await service.putPolicy({ ...before, roles: [...before.roles, ...roles], acls: [...before.acls, ...acls] });
}

/** Nothing is wider than the page at any width, no hidden character stands in its text, and axe finds nothing. */
export async function isSafe(page, state, { atEnd = false } = {}) {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const { scroll, client, words, wide } = await page.evaluate(() => {
      const root = document.scrollingElement;
      const isWide = (element) =>
        element.getBoundingClientRect().right > root.clientWidth + 1 && !element.closest('.scroll, #nav, pre, .tabs');
      return {
        scroll: root.scrollWidth,
        client: root.clientWidth,
        words: `${document.title}\n${document.body.textContent}`,
        wide: [...document.querySelectorAll('main *, dialog *')].filter(isWide).map((one) => `${one.tagName}.${one.className}`),
      };
    });
    assert.ok(scroll <= client, `${state}, ${width} px: ${scroll} px in ${client} px: ${wide.slice(0, 5).join(', ')}`);
    const found = words.match(HIDDEN);
    assert.equal(found, null, `${state}: hidden character ${found?.[0].codePointAt(0).toString(16)} in ${JSON.stringify(words.slice(Math.max(0, (found?.index ?? 0) - 60), (found?.index ?? 0) + 20))}`);
  }
  await isAccessible(page, state, { atEnd });
  await page.setViewportSize({ width: 1440, height: 900 });
}

/** The names of links and buttons hold no hidden character either. */
export async function areNamesSafe(page, state) {
  const names = await page.evaluate(() =>
    [...document.querySelectorAll('[aria-label], [title], [placeholder], option')].map(
      (one) => `${one.ariaLabel ?? ''} ${one.title ?? ''} ${one.placeholder ?? ''} ${one.tagName === 'OPTION' ? one.label : ''}`,
    ),
  );
  const bad = names.filter((name) => HIDDEN.test(name));
  assert.deepEqual(bad, [], `${state}: names with hidden characters`);
}
