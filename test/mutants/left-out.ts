/** What no simulated rollout can tell from the original, and why. */
interface LeftOut {
  /** A file from the project's root, the name of a function in one of the mutated files, or a place of the definition. */
  readonly names: readonly string[];
  readonly why: string;
}

export const LEFT_OUT: readonly LeftOut[] = [
  {
    names: [
      ...['lib/domain/planning/estimate.ts', 'lib/domain/turn/foresee.ts'],
      'lib/steps/opening/draw-plan.ts',
    ],
    why: 'It foresees a rollout for people. No rollout reads it.',
  },
  {
    names: [
      ...['lib/steps/group/children.ts'],
      ...['lib/steps/group/group-ahead.ts', 'lib/steps/group/group-service.ts'],
      ...['lib/steps/group/of-each.ts', 'lib/steps/group/plan-runtimes.ts'],
      ...['lib/steps/group/settle-versions.ts', 'settleOfGroup'],
    ],
    why: 'Only releases of groups pass it: npm run group-releases simulates them.',
  },
  {
    names: ['addStops'],
    why: 'Only releases of groups pass it: npm run group-releases simulates them.',
  },
  {
    names: [
      ...['lib/domain/ending/execution.ts', 'decideAbandoned', 'endingOfDead', 'publishOverdue'],
    ],
    why: 'Only what looks after abandoned rollouts passes it: the janitor and the listener.',
  },
  {
    names: ['writeEach'],
    why: 'Only what writes to endpoints without a rollout passes it.',
  },
  {
    names: ['endInterrupted'],
    why: 'Only Ctrl-C passes it. No process of the simulation gets it.',
  },
  {
    names: ['countPossible'],
    why: 'It tells people of the writes of a rollout. No rollout reads it.',
  },
  {
    names: ['faultOfId'],
    why: 'The simulated service gives no endpoint an id that cannot stand in a path.',
  },
  {
    names: ['whatToMend', 'tryGate', 'tryMetrics', 'rehearseMetrics', 'rehearseProbes'],
    why: 'The command line asks it before a rollout begins. No rollout does.',
  },
  {
    names: ['firstAnswerSeconds', 'lateMetrics'],
    why: 'Only the check of a configuration reads it, and no rollout begins with a wrong one.',
  },
  {
    names: [...['describeOpening', 'waitsOfBake'], ...['foreseeNotGo', 'foreseeLease']],
    why: 'It foresees something for people. No rollout reads it.',
  },
  {
    names: [
      ...[
        'namesWhere',
        'listNames',
        'waveOf',
        'senderOf',
        'whyOf',
        'countOf',
        'darkAmong',
        'leftOut',
      ],
      ...[
        'describePlace',
        'describeRolled',
        'describeLeft',
        'describeStops',
        'describeTime',
        'dateMinute',
      ],
      ...['lib/domain/ending/fate.ts', 'describeWhereNow', 'byHand', 'keptBecause'],
      ...[
        'describeFreeze',
        'describeNewer',
        'describeStall',
        'messageOf',
        'asSentence',
        'emptyScope',
      ],
      ...['statusReasonsIn', 'seenElsewhere', 'stepAfter', 'describeTakenGates'],
      ...['describeSize', 'describeNewest', 'nameOfMetric', 'oneFor'],
      ...['describeFaulty', 'unknownVersion', 'describeMetric', 'describeRule'],
    ],
    why: 'It only makes sentences for people.',
  },
  {
    names: ['containmentOf'],
    why: 'It says to people who look what a failure policy does. No rollout reads it.',
  },
  {
    names: [
      ...['States / Hand over / Retry', 'States / Hand over / Catch'],
      'States / Hand over / ResultPath',
    ],
    why: 'Only on AWS can the start of an execution fail, and nothing reads what it answers.',
  },
  {
    names: ['States / Close rollout / Retry / 0'],
    why: 'Close rollout throws no error that is known to last.',
  },
  {
    names: ['States / Roll wave / Catch', 'States / Stop old endpoints / Catch'],
    why: 'Every error of an item is caught in the Map, so only a limit of AWS can fail the Map itself.',
  },
  {
    names: [
      'States / Roll wave / ItemProcessor / States / Roll batch / ResultPath',
      'States / Stop old endpoints / ItemProcessor / States / Stop batch / ResultPath',
    ],
    why: 'The Map around it leaves out what its items answer. Only a limit of AWS could tell.',
  },
  {
    names: ['States / Roll wave / MaxConcurrency', 'States / Stop old endpoints / MaxConcurrency'],
    why: 'No fleet of the simulation is large enough for so many batches.',
  },
];

/** Fields that hold a sentence for people, or a part of one. */
const SENTENCE_FIELDS: ReadonlySet<string> = new Set([
  ...['message', 'detail', 'words', 'announce'],
  ...['describe', 'command'],
]);

/** Variables that do. */
const SENTENCE_VARIABLES: ReadonlySet<string> = new Set([
  ...['message', 'words', 'parts', 'said', 'why', 'what', 'which', 'during', 'unanswered'],
  ...['limited', 'LEFT_OUT_WORDS', 'HOST'],
]);

/** Variables that hold a part of the configuration's schema. No rollout begins with what it refuses. */
const SCHEMA_VARIABLES: ReadonlySet<string> = new Set([
  ...['schema', 'settings', 'hostPattern', 'metricRule', 'noData', 'divisor', 'dimension'],
  ...['COUNTS', 'METRIC_PLACEHOLDERS', 'NO_LIMIT', 'LATELY_MS'],
]);

/** Parts of a gate that only people and the stack on AWS read. */
const TOLD_PARTS: ReadonlySet<string> = new Set(['describe', 'found', 'grants']);

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
  if (/^Object(Method|Property)$/.test(node.type) && TOLD_PARTS.has(node.key?.name ?? '')) {
    return 'No rollout reads it.';
  }
  if (node.type === 'VariableDeclarator' && SCHEMA_VARIABLES.has(node.id?.name ?? '')) {
    return 'Only the check of a configuration reads it.';
  }
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
