// The table of environments in the README of the package.
import { readFileSync } from 'node:fs';
import { ENVIRONMENTS } from './environments.mjs';

export const README = new URL('../README.md', import.meta.url);
const [BEGIN, END] = ['<!-- environments: begin -->\n', '<!-- environments: end -->'];

const { dependencies, optionalDependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
const version = (tool) => ({ ...dependencies, ...optionalDependencies })[tool]?.replace(/^npm:.*@/, '');

/** The environments as a Markdown table, one line for each title. */
export function tableOf() {
  const lines = new Map();
  for (const { title, tool } of ENVIRONMENTS) {
    const versions = lines.get(title) ?? [];
    // The short form also runs on the Node of the machine, whatever its version.
    versions.push(version(tool) ?? '');
    lines.set(title, versions);
  }
  const rows = [...lines].map(([title, versions]) => `| ${title} | ${versions.filter(Boolean).join(', ')} |`);
  return ['| environment | tested versions |', '|---|---|', ...rows, ''].join('\n');
}

const parts = (text) => {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error('the README has no place for the table');
  return [text.slice(0, begin + BEGIN.length), text.slice(begin + BEGIN.length, end), text.slice(end)];
};

export const tableIn = (text) => parts(text)[1];

export function withTable(text, table) {
  const [before, , after] = parts(text);
  return before + table + after;
}
