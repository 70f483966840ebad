// Finds the package with the program of this platform.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The packages that can contain the program of a platform, the best one first. */
export function packagesFor(platform, arch, isGlibc) {
  const name = `gbac-${platform}-${arch}`;
  if (platform !== 'linux') return [name];
  // The program for musl is static, so it also runs where the one for glibc is not installed.
  return isGlibc ? [`${name}-gnu`, `${name}-musl`] : [`${name}-musl`];
}

function isGlibc() {
  if (process.platform !== 'linux') return false;
  // Without it, the report looks up the names of network addresses, which can take seconds.
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime !== undefined;
}

/** Returns the path of the program, or a sentence that says why there is none. */
export function findProgram() {
  const { platform, arch } = process;
  const candidates = packagesFor(platform, arch, isGlibc());
  for (const name of candidates) {
    try {
      return { program: require.resolve(`${name}/bin/gbac${platform === 'win32' ? '.exe' : ''}`) };
    } catch {
      // The next one.
    }
  }
  const { optionalDependencies, version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const known = candidates.find((name) => name in optionalDependencies);
  if (known === undefined) return { missing: `There is no program for this platform (${platform}-${arch}).` };
  return { missing: `The package ${known} is not installed; run \`npm install ${known}@${version}\`, or install again without --omit=optional.` };
}
