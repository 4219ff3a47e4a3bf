/** As much of the Amazon States Language as the workflow uses. */
interface State {
  readonly Type: string;
  readonly Next?: string;
  readonly Default?: string;
  readonly Choices?: readonly { readonly StringEquals: string; readonly Next: string }[];
  readonly Catch?: readonly { readonly Next: string }[];
  readonly ItemProcessor?: Definition;
}

export interface Definition {
  readonly StartAt: string;
  readonly States: Readonly<Record<string, State>>;
}

/**
 * A definition as a Mermaid state diagram, and a sentence for each state that errors lead to: as arrows they
 * would hide all others.
 */
export function stateDiagram({ StartAt, States }: Definition): string {
  const lines = [
    'stateDiagram-v2',
    ...Object.entries(States).flatMap(([name, state]) => declarationOf(name, state)),
    `[*] --> ${idOf(StartAt)}`,
    ...Object.entries(States).flatMap(([name, state]) => arrowsFrom(name, state)),
  ];
  const text = lines.map((line, index) => (index === 0 ? line : `  ${line}`)).join('\n');
  return `\`\`\`mermaid\n${text}\n\`\`\`\n\n${errorSentences(States).join('\n')}`;
}

function declarationOf(name: string, { ItemProcessor }: State): string[] {
  const title = `state "${name}" as ${idOf(name)}`;
  if (ItemProcessor === undefined) return [title];
  const { StartAt } = ItemProcessor;
  const inner = `${idOf(name)}Each`;
  return [
    `${title} {`,
    `  state "${StartAt}, for each batch" as ${inner}`,
    `  [*] --> ${inner}`,
    `  ${inner} --> [*]`,
    '}',
  ];
}

function arrowsFrom(name: string, { Type, Next, Choices = [], Default }: State): string[] {
  const ways = [
    ...Choices.map((choice) => ({ to: choice.Next, label: choice.StringEquals })),
    ...(Default === undefined ? [] : [{ to: Default, label: 'otherwise' }]),
    ...(Next === undefined ? [] : [{ to: Next, label: '' }]),
  ];
  const arrows = ways.map(({ to, label }) => arrow(idOf(name), idOf(to), label));
  return Type === 'Succeed' || Type === 'Fail' ? [arrow(idOf(name), '[*]', '')] : arrows;
}

function arrow(from: string, to: string, label: string): string {
  return `${from} --> ${to}${label === '' ? '' : `: ${label}`}`;
}

function errorSentences(states: Definition['States']): string[] {
  const caught = Object.entries(states).flatMap(([name, { Catch = [] }]) =>
    Catch.map(({ Next }) => ({ name, to: Next })),
  );
  const targets = [...new Set(caught.map(({ to }) => to))];
  return targets.map((target) => {
    const names = caught.filter(({ to }) => to === target).map(({ name }) => `*${name}*`);
    return `An error in these states leads to *${target}* when it outlasts its retries: ${names.join(', ')}.`;
  });
}

/** Mermaid takes letters and digits. */
function idOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]+(.?)/g, (_all, next: string) => next.toUpperCase());
}
