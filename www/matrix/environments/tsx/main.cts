import gbac = require('gbac-engine');

async function verdict(): Promise<string> {
  const policy: gbac.Policy = await gbac.Policy.load({ version: 1 });
  return policy.open({ user: 'alice' }).check('read', 'topic', 'orders');
}
verdict().then((outcome) => console.log(outcome));
