/** As much of JSON Schema as the configuration uses. */
export interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SchemaNode;
  readonly items?: SchemaNode;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

/** What may stand there, in words: `whole number, 1 to 10`, `` `stop-old`, `roll-back` or `hold` ``. */
export function typeOf(node: SchemaNode): string {
  const variants = node.anyOf ?? node.oneOf;
  if (variants !== undefined) return either(variants.flatMap(wordsOf));
  return either(wordsOf(node));
}

function wordsOf(node: SchemaNode): string[] {
  if (node.const !== undefined) return [`\`${node.const}\``];
  if (node.enum !== undefined) return node.enum.map((value) => `\`${value}\``);
  if (node.items !== undefined) {
    const most = node.maxItems === undefined ? '' : `, ${numberText(node.maxItems)} at most`;
    return [`list of ${typeOf(node.items)}${most}`];
  }
  if (node.type === 'object') return [objectText(node)];
  if (typeof node.type === 'object') return node.type.flatMap((type) => wordsOf({ ...node, type }));
  if (node.format === 'date-time') return ['time'];
  const word = WORDS[node.type ?? ''] ?? node.type ?? 'anything';
  return [[word, rangeText(node)].filter((part) => part !== '').join(', ')];
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  boolean: '`true` or `false`',
};

/** The keys that have to be there tell the objects of a choice apart. */
function objectText({ required = [], additionalProperties }: SchemaNode): string {
  if (typeof additionalProperties === 'object') {
    return additionalProperties.type === 'string' ? 'texts by name' : 'object by id';
  }
  return required.length === 0 ? 'object' : `\`{${required.join(', ')}}\``;
}

function rangeText({ minimum, exclusiveMinimum, maximum }: SchemaNode): string {
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (minimum !== undefined && most !== undefined) {
    return `${numberText(minimum)} to ${numberText(most)}`;
  }
  const limits = [
    minimum !== undefined && `at least ${numberText(minimum)}`,
    exclusiveMinimum !== undefined && `more than ${numberText(exclusiveMinimum)}`,
    most !== undefined && `at most ${numberText(most)}`,
  ];
  return limits.filter((limit) => limit !== false).join(', ');
}

function numberText(value: number): string {
  return value.toLocaleString('en-US');
}

function either(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}
