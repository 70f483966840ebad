// Writes the Debian package: `node packaging/deb.mjs FOLDER OUT VERSION [REPOSITORY]`, with the folder that program.mjs writes. Needs dpkg-deb.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { COMPLETIONS, ROOT } from './program.mjs';

const SOURCE = join(ROOT, 'packaging/debian');
/** Debian's names of the architectures, by the machine in the header of an ELF file. */
const ARCHITECTURES = { 0x3e: 'amd64', 0xb7: 'arm64' };
/** Where each shell looks for completions. */
const FOLDERS = { bash: 'bash-completion/completions', zsh: 'zsh/vendor-completions', fish: 'fish/vendor_completions.d' };

/** The libraries that a program needs: none if it is static, else the newest version of glibc that it names. */
function dependencies(program) {
  const minors = [...program.toString('latin1').matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
  const libraries = minors.length === 0 ? [] : [`libc6 (>= 2.${Math.max(...minors)})`, 'libgcc-s1'];
  return [...libraries, 'ca-certificates'].join(', ');
}

/** Writes the package; returns its path. */
export function writeDeb(folder, out, version, repository, compression = ['-Zxz']) {
  const root = mkdtempSync(join(tmpdir(), 'gbac-deb-'));
  const put = (path, content, mode = 0o644) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    chmodSync(join(root, path), mode);
  };
  const source = (name) => readFileSync(join(SOURCE, name));
  try {
    chmodSync(root, 0o755);
    const program = readFileSync(join(folder, 'gbac'));
    put('usr/bin/gbac', program, 0o755);
    for (const [shell, name] of Object.entries(COMPLETIONS)) {
      put(`usr/share/${FOLDERS[shell]}/${name}`, readFileSync(join(folder, 'completions', shell, name)));
    }
    for (const name of readdirSync(join(folder, 'man'))) put(`usr/share/man/man1/${name}.gz`, gzipSync(readFileSync(join(folder, 'man', name)), { level: 9 }));
    put('usr/share/doc/gbac/copyright', readFileSync(join(folder, 'LICENSE')));
    put('usr/share/doc/gbac/changelog.gz', gzipSync(readFileSync(join(folder, 'CHANGELOG.md')), { level: 9 }));
    put('usr/lib/systemd/system/gbac.service', source('gbac.service'));
    put('usr/lib/sysusers.d/gbac.conf', source('gbac.sysusers'));
    put('etc/gbac/gbac.toml', source('gbac.toml'));
    mkdirSync(join(root, 'var/lib/gbac'), { recursive: true, mode: 0o700 });
    put('DEBIAN/conffiles', '/etc/gbac/gbac.toml\n');
    for (const name of ['postinst', 'prerm', 'postrm']) put(`DEBIAN/${name}`, source(name), 0o755);
    const architecture = ARCHITECTURES[program.readUInt16LE(18)];
    const control = [
      'Package: gbac', `Version: ${version}`, `Architecture: ${architecture}`, 'Maintainer: The GBAC authors <noreply@example.com>',
      `Depends: ${dependencies(program)}`, 'Recommends: systemd', 'Section: admin', 'Priority: optional', ...(repository ? [`Homepage: ${repository}`] : []),
      'Description: group-based access control for streaming platforms',
      ' Tests and explains who can do what on Kafka-like platforms: a command line, and', ' a service with a web console.', '',
    ];
    put('DEBIAN/control', control.join('\n'));
    mkdirSync(out, { recursive: true });
    const deb = join(out, `gbac_${version}_${architecture}.deb`);
    const env = { ...process.env, SOURCE_DATE_EPOCH: '315532800' };
    execFileSync('dpkg-deb', ['--root-owner-group', ...compression, '--build', root, deb], { stdio: ['ignore', 'ignore', 'inherit'], env });
    return deb;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , folder, out, version, repository] = process.argv;
  console.log(writeDeb(folder, out, version, repository));
}
