import { globSync, readFileSync } from 'node:fs';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { LEFT_OUT, type SyntaxNode, whyLeftOut } from './left-out.ts';
import type { Mutant } from './mutant.ts';
import { describeOperation, functionsIn, numbered } from './place.ts';

/** The decisions, the gates that they follow, and the steps that carry them out. */
const MUTATED = [
  'lib/domain/{clock,look-again}.ts',
  'lib/domain/{containment,decision,ending,endpoint,planning,signals,turn,wave}/*.ts',
  'lib/gates/{ask-gates,limit,metric-rule,metrics,probe}.ts',
  'lib/steps/**/*.ts',
];

export interface Mutants {
  readonly mutants: readonly Mutant[];
  /** Every mutated file with all of its mutants in it, each behind a switch. */
  readonly files: ReadonlyMap<string, string>;
}

/** Makes all mutants of these files, each of them in the same copy. */
export async function makeMutants(files: readonly string[]): Promise<Mutants> {
  const sources = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
  const instrumented = await new Instrumenter(SILENT).instrument(
    [...sources].map(([name, content]) => ({ name, content, mutate: true })),
    {
      // Our own functions look after the switches.
      noHeader: true,
      plugins: null,
      excludedMutations: [],
      ignorers: [{ shouldIgnore: (path) => whyLeftOut((path as { node: SyntaxNode }).node) }],
    },
  );
  const functions = new Map([...sources].map(([name, text]) => [name, functionsIn(text)]));
  const mutants = instrumented.mutants
    .filter(({ status }) => status !== 'Ignored')
    .map(({ id, fileName, location, mutatorName, replacement }): Mutant => {
      const text = sources.get(fileName) ?? '';
      const lines = text.split('\n');
      const placeOf = ({ line, column }: { readonly line: number; readonly column: number }) =>
        lines.slice(0, line).reduce((sum, { length }) => sum + length + 1, column);
      const { start, end } = location;
      const range = [placeOf(start), placeOf(end)] as const;
      return {
        id,
        file: fileName,
        line: start.line + 1,
        within: functions.get(fileName)?.at(range[0]) ?? '',
        operation: describeOperation(text.slice(...range), replacement),
        range,
        original: text.slice(...range),
        mutated: replacement,
        kind: mutatorName,
      };
    });
  return {
    mutants: withNumbers(mutants),
    files: new Map(instrumented.files.map(({ name, content }) => [name, content])),
  };
}

/** In the order of the text, whatever the instrumenter's is. */
function withNumbers(mutants: readonly Mutant[]): readonly Mutant[] {
  const operations = new Map<Mutant, string>();
  for (const own of Map.groupBy(mutants, ({ file, within }) => `${file} ${within}`).values()) {
    const inOrder = own.toSorted((a, b) => placeOf(a) - placeOf(b));
    const said = numbered(inOrder.map(({ operation }) => operation));
    for (const [index, mutant] of inOrder.entries()) operations.set(mutant, said[index] ?? '');
  }
  return mutants.map((mutant) => ({ ...mutant, operation: operations.get(mutant) ?? '' }));
}

function placeOf({ range }: Mutant): number {
  return range?.[0] ?? 0;
}

export function mutatedFiles(): readonly string[] {
  const isLeftOut = (file: string) => LEFT_OUT.some(({ names }) => names.includes(file));
  return MUTATED.flatMap((pattern) => globSync(pattern))
    .filter((file) => !isLeftOut(file))
    .toSorted();
}

const no = () => false;
const silent = () => undefined;
const SILENT: ConstructorParameters<typeof Instrumenter>[0] = {
  isTraceEnabled: no,
  isDebugEnabled: no,
  isInfoEnabled: no,
  isWarnEnabled: no,
  isErrorEnabled: no,
  isFatalEnabled: no,
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  fatal: silent,
};
