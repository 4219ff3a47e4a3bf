import { parseSync } from '@swc/core';

// Where a mutant is, and what it changes, in terms of the syntax tree: the operators, and no names. So whoever renames
// something, moves lines or puts a line in another shape still has the same mutants.

/** What is outside of all functions. */
export const CONSTANTS = 'constants';

/** The functions and classes at the top of a file. */
export interface Functions {
  readonly names: ReadonlySet<string>;
  /** The one in which a place of the text is; `CONSTANTS`: none. */
  at(place: number): string;
}

export function functionsIn(text: string): Functions {
  const { body, span } = parseSync(text, SYNTAX);
  // The parser counts bytes, from wherever the text before ended. Comments at the beginning are not in the span.
  const begin = firstTokenOf(text);
  const spans = body.map((node) => {
    const { start, end } = (node as unknown as SyntaxNode).span as Span;
    return { from: start - span.start + begin, to: end - span.start + begin, name: nameOf(node) };
  });
  return {
    names: new Set([CONSTANTS, ...spans.map(({ name }) => name)]),
    at(place) {
      const byte = Buffer.byteLength(text.slice(0, place));
      return spans.find(({ from, to }) => from <= byte && byte < to)?.name ?? CONSTANTS;
    },
  };
}

const SYNTAX = { syntax: 'typescript', target: 'es2022' } as const;

function firstTokenOf(text: string): number {
  const before = /^(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)*/.exec(text)?.[0] ?? '';
  return Buffer.byteLength(before);
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** A node of the syntax tree, with what we look at. */
interface SyntaxNode {
  readonly type: string;
  readonly span?: Span;
  readonly value?: unknown;
  readonly operator?: string;
  readonly prefix?: boolean;
  readonly declaration?: SyntaxNode;
  readonly declarations?: readonly { readonly id: SyntaxNode; readonly init?: SyntaxNode | null }[];
  readonly identifier?: SyntaxNode;
  readonly expression?: SyntaxNode;
  readonly callee?: SyntaxNode;
  readonly base?: SyntaxNode;
  readonly property?: SyntaxNode;
  readonly elements?: readonly unknown[];
  readonly properties?: readonly unknown[];
}

function nameOf(statement: unknown): string {
  const { type, declaration, identifier, declarations = [] } = statement as SyntaxNode;
  if (type === 'ExportDeclaration') return nameOf(declaration);
  if (type === 'FunctionDeclaration' || type === 'ClassDeclaration')
    return `${identifier?.value ?? CONSTANTS}`;
  const [only] = declarations;
  const isFunction = only?.init?.type === 'ArrowFunctionExpression';
  return isFunction ? `${only?.id.value}` : CONSTANTS;
}

/** `_ < _ -> _ <= _`: what becomes of an operator. Names and what it is applied to are left out. */
export function describeOperation(original: string, mutated: string): string {
  const operation = operationOf(original);
  return operation === BLOCK ? `${BLOCK} -> { }` : `${operation} -> ${operationOf(mutated)}`;
}

const BLOCK = '{ … }';

function operationOf(text: string): string {
  const code = text.trim();
  if (code === '') return 'nothing';
  const node = expressionOf(code);
  if (node !== null) return shapeOf(node);
  if (code.startsWith('{')) return BLOCK;
  if (/^(case|default)\b/.test(code)) return code.endsWith(':') ? 'case' : 'case …';
  return 'a statement';
}

/** `null`: it is none. */
function expressionOf(code: string): SyntaxNode | null {
  try {
    const [statement, ...more] = parseSync(`(${code})`, SYNTAX).body as unknown as SyntaxNode[];
    return more.length === 0 ? (statement?.expression ?? null) : null;
  } catch {
    return null;
  }
}

function shapeOf(node: SyntaxNode): string {
  const { type, operator = '', expression, elements = [], properties = [], value } = node;
  switch (type) {
    case 'ParenthesisExpression':
    case 'TsAsExpression':
    case 'TsSatisfiesExpression':
    case 'TsNonNullExpression':
    case 'TsConstAssertion':
      return expression === undefined ? '_' : shapeOf(expression);
    case 'BinaryExpression':
    case 'AssignmentExpression':
      return `_ ${operator} _`;
    case 'UnaryExpression':
      return `${operator}_`;
    case 'UpdateExpression':
      return node.prefix ? `${operator}_` : `_${operator}`;
    case 'ConditionalExpression':
      return '_ ? _ : _';
    case 'BooleanLiteral':
      return `${value}`;
    case 'StringLiteral':
      return value === '' ? '""' : '"…"';
    case 'TemplateLiteral':
      return '`…`';
    case 'ArrayExpression':
      return elements.length === 0 ? '[]' : '[…]';
    case 'ObjectExpression':
      return properties.length === 0 ? '{}' : '{…}';
    case 'ArrowFunctionExpression':
      return '() => …';
    case 'OptionalChainingExpression':
      return node.base === undefined ? '_?._' : chainOf(node.base);
    case 'CallExpression':
      return `${calledOf(node.callee)}(…)`;
    default:
      return '_';
  }
}

function chainOf(base: SyntaxNode): string {
  return base.type === 'CallExpression' ? `${calledOf(base.callee)}?.(…)` : '_?._';
}

/** Methods of arrays and texts have names that nobody changes, and an operation is often to call another one. */
function calledOf(callee: SyntaxNode | undefined): string {
  const { type, property } = callee ?? { type: '' };
  if (type !== 'MemberExpression' || !BUILT_IN.has(`${property?.value}`)) return '_';
  return `_.${property?.value}`;
}

const BUILT_IN: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(Array.prototype),
  ...Object.getOwnPropertyNames(String.prototype),
  ...Object.getOwnPropertyNames(Math),
]);

/**
 * What each of these says, and which one of several that say it: `_ < _ -> true (2 of 3)`. So an entry that is about a
 * mutant of a function fits none any more when the function gets one more like it, and nobody takes it for another.
 */
export function numbered(said: readonly string[]): readonly string[] {
  return said.map((one, index) => {
    const all = said.filter((other) => other === one).length;
    const nth = said.slice(0, index + 1).filter((other) => other === one).length;
    return all === 1 ? one : `${one} (${nth} of ${all})`;
  });
}
