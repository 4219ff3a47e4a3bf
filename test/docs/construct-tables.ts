import { readFileSync } from 'node:fs';
import { tableOf } from './markdown-table.ts';

const TUNING = 'lib/constructs/resources/tuning.ts';
const CONSTRUCT = 'lib/constructs/endpoint-rollouts.ts';
const DOCUMENTED = /\/\*\*((?:(?!\*\/).)+)\*\/\s+(readonly |)(\w+)[?:(]/gs;

interface Documented {
  readonly name: string;
  readonly isMethod: boolean;
  readonly meaning: string;
  /** Empty where nothing is said. */
  readonly byDefault: string;
}

/** The props that a file of configuration cannot have, as their declarations say. */
export function propsTable(): string {
  const rows = documented(TUNING, 'export interface Tuning').map(({ name, byDefault, meaning }) => [
    `\`${name}\``,
    byDefault,
    meaning,
  ]);
  return tableOf(['prop', 'default', ''], rows);
}

/** What an app finds on the construct, as its declarations say. */
export function membersTable(): string {
  const rows = documented(CONSTRUCT, 'export class EndpointRollouts').map(
    ({ name, isMethod, meaning }) => [`\`${name}${isMethod ? '()' : ''}\``, meaning],
  );
  return tableOf(['member', ''], rows);
}

function documented(file: string, declaration: string): Documented[] {
  const text = readFileSync(file, 'utf8');
  const start = text.indexOf(declaration);
  const body = text.slice(start, text.indexOf('\n}', start));
  return [...body.matchAll(DOCUMENTED)].flatMap(([, said = '', kind, name = '']) => {
    const [plain = ''] = said.replaceAll(/\s+(?:\* ?)?/g, ' ').split('@throws');
    if (name === 'constructor' || plain.includes('@internal')) return [];
    const [meaning = '', byDefault = ''] = plain.split(/@default (?:- )?/);
    return [{ name, isMethod: kind === '', meaning: meaning.trim(), byDefault: byDefault.trim() }];
  });
}
