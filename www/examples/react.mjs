// A page in React whose button is enabled only if the user may use it. `npm install react react-dom`, then `node react.mjs`.
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { acls, Policy } from 'gbac-engine';
import { useCan } from 'gbac-engine/react';

const loading = Policy.load({ version: 1, acls: acls([{ allow: 'write', topic: 'orders', to: 'Group:engineering' }]) });

function Publish({ policy, identity }) {
  const mayWrite = useCan(policy, identity, 'write', 'topic', 'orders');
  return createElement('button', { disabled: !mayWrite }, 'publish');
}
// While the policy is being loaded, nothing is allowed.
export const Page = ({ policy, identity }) => (policy === undefined ? createElement('p', null, 'loading') : createElement(Publish, { policy, identity }));

console.log(renderToString(createElement(Page)));   // <p>loading</p>
const policy = await loading;
const page = (groups) => renderToString(createElement(Page, { policy, identity: policy.open({ user: 'alice', groups }) }));
console.log(page(['engineering']));   // <button>publish</button>
console.log(page([]));   // <button disabled="">publish</button>
