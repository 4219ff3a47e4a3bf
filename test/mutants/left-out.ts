/** What no simulated rollout can tell from the original, and why. A file, a function or a kind of expression. */
interface LeftOut {
  /** A file from the project's root, or the name of a function in one of the mutated files. */
  readonly names: readonly string[];
  readonly why: string;
}

export const LEFT_OUT: readonly LeftOut[] = [
  {
    names: ['lib/domain/planning/estimate.ts', 'lib/domain/turn/foresee.ts'],
    why: 'It foresees a rollout for people. No rollout reads it.',
  },
  {
    names: [
      ...['lib/steps/group/children.ts', 'lib/steps/group/draw-group.ts'],
      ...['lib/steps/group/group-ahead.ts', 'lib/steps/group/group-service.ts'],
      ...['lib/steps/group/of-each.ts', 'lib/steps/group/plan-runtimes.ts'],
      ...['lib/steps/group/settle-versions.ts', 'settleOfGroup'],
    ],
    why: 'Only releases of groups pass it: npm run group-releases simulates them.',
  },
  {
    names: ['unanswerableAlarms', 'unanswerableMetrics', 'whatToMend'],
    why: 'The command line asks it before a rollout begins. No rollout does.',
  },
  {
    names: ['describeOpening', 'waitsOfBake', 'rollSecondsOf'],
    why: 'It foresees something for people. No rollout reads it.',
  },
  {
    names: [
      ...['namesWhere', 'listNames', 'listReadings', 'waveOf', 'countOf', 'darkIn', 'leftOut'],
      ...['describePlace', 'describeRolled', 'describeLeft', 'describeStops', 'describeTime'],
      ...['describeFreeze', 'describeNewer', 'asSentence', 'emptyScope', 'describeError'],
      ...[
        'describeSize',
        'describeNewest',
        'nameOfMetric',
        'whyFailed',
        'statusReasonIn',
        'oneFor',
      ],
    ],
    why: 'It only makes sentences for people.',
  },
];

/** Fields that hold a sentence for people, or a part of one. */
const SENTENCE_FIELDS: ReadonlySet<string> = new Set(['message', 'detail', 'words']);

/** Variables that do. */
const SENTENCE_VARIABLES: ReadonlySet<string> = new Set([
  ...['message', 'words', 'parts', 'said', 'why', 'what', 'which', 'during', 'unanswered'],
]);

/** A node of the syntax tree, as far as we look at it. */
export interface SyntaxNode {
  readonly type: string;
  readonly id?: { readonly name?: string } | null;
  readonly key?: { readonly name?: string };
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[];
}

/** Why no mutant is made of a node and of all that is in it; `undefined`: mutants are made. */
export function whyLeftOut(node: SyntaxNode): string | undefined {
  if (isFunction(node))
    return LEFT_OUT.find(({ names }) => names.includes(node.id?.name ?? ''))?.why;
  const isField = node.type === 'ObjectProperty' && SENTENCE_FIELDS.has(node.key?.name ?? '');
  const isVariable =
    node.type === 'VariableDeclarator' && SENTENCE_VARIABLES.has(node.id?.name ?? '');
  return isField || isVariable || isSentence(node) ? 'It is a sentence for people.' : undefined;
}

function isFunction({ type }: SyntaxNode): boolean {
  return type === 'FunctionDeclaration';
}

/** No word that the product reads has a space in it. */
function isSentence({ type, value, quasis = [] }: SyntaxNode): boolean {
  if (type === 'StringLiteral') return String(value).includes(' ');
  return type === 'TemplateLiteral' && quasis.some(({ value: { raw } }) => raw.includes(' '));
}
