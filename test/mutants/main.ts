import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ROLLOUT_DEFINITION } from '../../lib/workflow/definition.ts';
import { readArguments, wholeNumber } from '../support/command-arguments.ts';
import { compilingMutants } from './compiling.ts';
import { complaints } from './complaints.ts';
import { DEFINITION_FILE, definitionMutants, withDefinitionMutants } from './definition-mutants.ts';
import { type Finding, hunt, withCopies } from './hunt.ts';
import { makeMutants, mutatedFiles } from './make-mutants.ts';
import { describeMutant, type Mutant } from './mutant.ts';
import { pastDefects } from './past-defects.ts';
import { type Results, readResults, resultsOf, survived, writeResults } from './results.ts';
import { search } from './search.ts';

// npm run mutants -- --sample 300 --seed 1
//
// Makes mutants of the decisions, the steps and the workflow, switches on one after the other, and simulates rollouts
// until an invariant is violated. It prints every mutant that is found in none of them, and was not left by the count that
// was written down last. What is interrupted goes on where it was. --write writes the results down, and the docs have
// their numbers.

const { values, runs, seed, sample, searched } = readArguments(() => {
  const { values } = parseArgs({
    options: {
      /** How many mutants, drawn by chance. 0: only defects of the past are tried. @default - all */
      sample: { type: 'string' },
      /** Another one draws others. */
      seed: { type: 'string', default: '1' },
      /** A part of the path of the files whose mutants are tried. */
      file: { type: 'string', default: '' },
      /** The most rollouts for each mutant. */
      runs: { type: 'string', default: '5000' },
      write: { type: 'boolean', default: false },
      /** Only says whether what is left out, and the defects of the past, are about the code of today. */
      check: { type: 'boolean', default: false },
      /** In so many more rollouts, others that show what was not found are searched for, and kept in the corpus. */
      search: { type: 'string', default: '0' },
    },
  });
  return {
    values,
    runs: wholeNumber('--runs', values.runs),
    seed: wholeNumber('--seed', values.seed),
    sample: values.sample === undefined ? null : wholeNumber('--sample', values.sample, 0),
    searched: wholeNumber('--search', values.search, 0),
  };
});

// The copies are removed however it ends.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

const isMeant = (file: string) => file.includes(values.file);
// A rollout that comes to no end is found because it passes so many switches, and the definition has none.
const needsSteps = isMeant(DEFINITION_FILE);
const switched = (file: string) => isMeant(file) || (needsSteps && file.startsWith('lib/steps/'));
const complained = complaints();
for (const complaint of complained) print(complaint);
if (complained.length > 0 || values.check) process.exit(complained.length === 0 ? 0 : 1);

const made = await makeMutants(mutatedFiles().filter(switched));
const definition = withDefinitionMutants(readFileSync(DEFINITION_FILE, 'utf8'));
const ofDefinition = needsSteps ? definitionMutants(ROLLOUT_DEFINITION) : [];
const everything = [...made.mutants.filter(({ file }) => isMeant(file)), ...ofDefinition];
const drawn = draw(everything);
const mutants = await compilingMutants(drawn, (done, all) => tell('compiled', done, all));
const patches = pastDefects().filter(({ mutant }) => isMeant(mutant.file));

const files = new Map([...made.files, [DEFINITION_FILE, definition]]);
const findings = await withCopies({ mutants, files, patches }, async (copies) => {
  const rollouts = { count: runs, seed: 1, corpus: 'added' } as const;
  const found = await hunt(copies, { rollouts, onProgress: tell });
  if (searched > 0) await search(copies, { findings: found, count: searched, onProgress: tell });
  return found;
});
const results: Results = resultsOf(findings, {
  runs,
  seed,
  of: everything.length,
  refused: drawn.length - mutants.length,
});
const before = readResults();
for (const finding of findings) {
  if (finding.foundIn !== null || survived(before, finding.mutant)) continue;
  print(describeSurvivor(finding));
  process.exitCode = 1;
}
const { mutants: tried, found, noticed } = results.all;
const told = `${found} were found in ${runs} rollouts, and ${noticed} more were noticed`;
print(`Of ${tried} mutants ${told}: ${percent(found + noticed, tried)} %.`);
if (values.write) writeResults(results);

/** The same mutants, whatever else there is. */
function draw(all: readonly Mutant[]): readonly Mutant[] {
  if (sample === null) return all;
  const lot = ({ file, within, operation }: Mutant) =>
    createHash('sha1').update([seed, file, within, operation].join('\0')).digest('hex');
  const drawn = new Set(all.toSorted((a, b) => (lot(a) < lot(b) ? -1 : 1)).slice(0, sample));
  return all.filter((mutant) => drawn.has(mutant));
}

function tell(what: string, done: number, all: number): void {
  if (process.stderr.isTTY)
    process.stderr.write(`\r${what}: ${done} of ${all} ${done === all ? '\n' : ''}`);
}

function describeSurvivor({ mutant, differsIn, touched }: Finding): string {
  const unseen = touched === 0 ? 'no rollout comes there' : `nobody sees it in ${touched} rollouts`;
  const seen = differsIn === null ? unseen : `noticed only in rollout ${differsIn}`;
  const { kind, range, within, operation } = mutant;
  const place = range === null ? '' : `: within ${within}, ${operation}`;
  return `left: ${describeMutant(mutant)} (${kind}, ${seen})${place}`;
}

function percent(part: number, all: number): string {
  return ((100 * part) / Math.max(1, all)).toFixed(1);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
