const { verdict } = require('./program.cjs');

test('a verdict', async () => {
  expect(await verdict()).toBe('allow deny');
});
