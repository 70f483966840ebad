import { expect, test } from 'vitest';
import { verdict } from './program.mjs';

test('a verdict', async () => {
  expect(await verdict()).toBe('allow deny');
});
