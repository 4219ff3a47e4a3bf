import { parseSync, printSync } from '@swc/core';

// A rollout that passes a mutant goes as it does without it, unless something else comes of it there. Most places are
// passed by nearly every rollout, and in most rollouts nothing else comes of them. A copy with probes tells which
// rollouts can tell a mutant at all: a probe works out a function, or an expression, once more with every mutant in it
// that was passed.

/** The text of a mutated file, with a probe around all in it that only works something out. */
export function withProbes(text: string): string {
  const module = parseSync(text, { syntax: 'typescript', target: 'es2022' });
  return printSync(probed(module) as typeof module).code;
}

/** How the instrumenter asks whether a mutant is on, and how it says that its place was passed. */
const ASKED = 'stryMutAct_9fa48';
const PASSED = 'stryCov_9fa48';

/** How it says so inside of a probe, which finds out the rest, and the probe. */
const TOUCHED = 'stryTouch_9fa48';
const PROBE = 'stryProbe_9fa48';

/** A node of the syntax tree, with what we look at. */
interface SyntaxNode {
  readonly type: string;
  readonly value?: unknown;
  readonly async?: boolean;
  readonly generator?: boolean;
  readonly test?: SyntaxNode;
  readonly expression?: SyntaxNode;
  readonly callee?: SyntaxNode;
  readonly arguments?: readonly { readonly expression: SyntaxNode }[];
  readonly body?: (SyntaxNode & { readonly stmts?: readonly unknown[] }) | null;
}

function probed(node: unknown): unknown {
  if (isNode(node)) {
    const { type, body, async, generator } = node;
    const isFunction = type === 'FunctionDeclaration' && body && !async && !generator;
    if (isFunction && isApart(body, LEADS_OUT)) {
      const call = probeOf(body, body);
      return call === null ? node : { ...node, body: { ...body, stmts: [returned(call)] } };
    }
    // Only around the outermost choice: what is another one inside may come to the same in the end.
    if (isChoice(node) && isApart(node, CHANGES)) return probeOf(node, inParentheses(node)) ?? node;
  }
  return mapped(node, probed);
}

/** `stryMutAct("2") ? mutated : (stryCov("2"), original)` */
function isChoice({ type, test, expression }: SyntaxNode): boolean {
  if (type === 'ParenthesisExpression' && expression !== undefined) return isChoice(expression);
  return type === 'ConditionalExpression' && test?.callee?.value === ASKED;
}

/** `stryProbe(["2"], () => body)`; `null`: there is no mutant in it. */
function probeOf(node: SyntaxNode, body: unknown): SyntaxNode | null {
  const ids = idsIn(node);
  if (ids.length === 0) return null;
  const call = expressionOf(`${PROBE}(${JSON.stringify(ids)}, () => 0)`);
  const [first, thunk] = call.arguments ?? [];
  const filled = { ...thunk, expression: { ...thunk?.expression, body: touching(body) } };
  return { ...call, arguments: [first, filled] } as SyntaxNode;
}

function touching(node: unknown): unknown {
  if (isNode(node) && node.type === 'Identifier' && node.value === PASSED) {
    return { ...node, value: TOUCHED };
  }
  return mapped(node, touching);
}

function idsIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { callee, arguments: asked } = node as SyntaxNode;
  const own = callee?.value === ASKED ? [`${asked?.[0]?.expression.value}`] : [];
  return [...own, ...Object.values(node).flatMap(idsIn)];
}

function expressionOf(code: string): SyntaxNode {
  const [statement] = parseSync(code).body as readonly SyntaxNode[];
  return statement?.expression as SyntaxNode;
}

function inParentheses(expression: SyntaxNode): SyntaxNode {
  return { ...expressionOf('(0)'), expression };
}

function returned(argument: SyntaxNode): unknown {
  const { body } = expressionOf('(() => { return 0; })').expression as SyntaxNode;
  return { ...(body?.stmts?.[0] as object), argument };
}

/** What is asked, changed or told there is outside of a step. */
const LEADS_OUT: ReadonlySet<string> = new Set([
  ...['AwaitExpression', 'YieldExpression'],
  ...['ports', 'ledger', 'service', 'clock', 'gates', 'context'],
]);

/** Besides, what changes a variable that lives on. A function has variables of its own. */
const CHANGES: ReadonlySet<string> = new Set([
  ...LEADS_OUT,
  ...['AssignmentExpression', 'UpdateExpression'],
  ...['push', 'pop', 'shift', 'unshift', 'splice', 'set', 'add', 'delete', 'next'],
]);

/** It can be worked out once more, and nothing comes of that. */
function isApart(node: unknown, names: ReadonlySet<string>): boolean {
  if (typeof node !== 'object' || node === null) return true;
  const { type, value } = node as SyntaxNode;
  const isNamed = names.has(type) || (type === 'Identifier' && names.has(`${value}`));
  return !isNamed && Object.values(node).every((child) => isApart(child, names));
}

function mapped(node: unknown, change: (node: unknown) => unknown): unknown {
  if (Array.isArray(node)) return node.map(change);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, change(value)]));
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value;
}
