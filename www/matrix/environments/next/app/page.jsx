import { verdict } from '../program.mjs';

export const dynamic = 'force-dynamic';

export default async function Page() {
  return <p>{`verdict: ${await verdict()};`}</p>;
}
