import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import { POLICIES, PROBED_POLICY } from '../policies.ts';
import { type Cost, dollarsOf } from './cost.ts';
import { countGroup } from './count-group.ts';
import { countClose } from './count-history.ts';
import { countHolds } from './count-holds.ts';
import { countPollers, POLLER_ASSUMPTIONS } from './count-pollers.ts';
import { countRollout, countSecondRollout, type RolloutCost } from './count-rollout.ts';
import { ASKED } from './gates-asked.ts';

const SIZES = [1, 10, 100, 1_000, 10_000];
const ROLL_SECONDS = 60;

/** What a rollout takes, beside a poller for each endpoint. Counted, so a busy machine changes nothing. */
export async function benchCost(): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const endpoints of SIZES) {
    const own = await countRollout(endpoints, ROLL_SECONDS);
    const second = await countSecondRollout(endpoints, ROLL_SECONDS);
    lines.push(...compare(endpoints, own, countPollers(endpoints, ROLL_SECONDS)));
    lines.push(row(['', 'second', ...valuesOf(second), `${count(second.largestPayload)} B`]));
  }
  return [
    `Cost per rollout: the default policy, and a roll of an endpoint takes ${ROLL_SECONDS} s. Pollers:`,
    ...POLLER_ASSUMPTIONS.map((assumption) => `- ${assumption}`),
    '',
    row(['endpoints', '', ...COLUMNS.map(({ title }) => title), 'payload']),
    ...lines,
    '',
    ...(await compareGroup()),
    '',
    ...(await countBakes()),
    '',
    'Units of the ledger for holds, read and written:',
    '',
    ...(await countHolds()).map(({ what, read, write }) => row([what, '', `${read}`, `${write}`])),
    '',
    ...(await countQuestions()),
    '',
    ...(await countHistory()),
  ];
}

const RUNTIMES = 100;
const ENDPOINTS_OF_EACH = 100;

/** What the rollout of a group adds to those of its runtimes. */
async function compareGroup(): Promise<string[]> {
  const { group, children } = await countGroup(RUNTIMES, ENDPOINTS_OF_EACH, ROLL_SECONDS);
  const ratios = COLUMNS.map(
    ({ read }) => `${((read(group) + read(children)) / read(children)).toFixed(2)} x`,
  );
  return [
    `Cost of a group of ${RUNTIMES} runtimes of ${ENDPOINTS_OF_EACH} endpoints, with the default policies:`,
    '',
    row(['', '', ...COLUMNS.map(({ title }) => title)]),
    row(['', 'runtimes', ...valuesOf(children)]),
    row(['', 'group', ...valuesOf(group)]),
    row(['', 'ratio', ...ratios]),
  ];
}

const HOUR = 3600;

/** One wave, which bakes for so long. */
const BAKES: readonly [string, Partial<RolloutPolicy>][] = [
  ['5 min', { waves: [{ percent: 100 }] }],
  ['1 h', { waves: [{ percent: 100 }], bakeSeconds: HOUR }],
  ['12 h', { waves: [{ percent: 100 }], bakeSeconds: 12 * HOUR }],
];

/** What it takes to watch waves while they bake. */
async function countBakes(): Promise<string[]> {
  const lines: string[] = [];
  for (const [name, parts] of [...Object.entries(POLICIES), ...BAKES]) {
    const policy = { ...PROBED_POLICY, ...parts };
    const cost = await countRollout(ENDPOINTS_OF_EACH, ROLL_SECONDS, policy);
    lines.push(row([name, '', ...valuesOf(cost), count(cost.probes)]));
  }
  return [
    `Cost of a rollout of ${ENDPOINTS_OF_EACH} endpoints with a probe, by preset, and of one wave by its bake:`,
    '',
    row(['', '', ...COLUMNS.map(({ title }) => title), 'probes']),
    ...lines,
  ];
}

/** What it takes to ask a gate of a user's own. */
async function countQuestions(): Promise<string[]> {
  const lines: string[] = [];
  for (const [name, policy, workSeconds] of ASKED) {
    const cost = await countRollout(ENDPOINTS_OF_EACH, ROLL_SECONDS, policy, workSeconds);
    lines.push(row([name, '', ...valuesOf(cost), count(cost.questions)]));
  }
  return [
    `Cost of a rollout of ${ENDPOINTS_OF_EACH} endpoints with the default policy and a check or a query:`,
    '',
    row(['', '', ...COLUMNS.map(({ title }) => title), 'questions']),
    ...lines,
  ];
}

/** What it takes to tell the table that it may remove a rollout some day. */
async function countHistory(): Promise<string[]> {
  const lines: string[] = [];
  for (const endpoints of SIZES) {
    const never = await countClose(endpoints, ROLL_SECONDS);
    const some = await countClose(endpoints, ROLL_SECONDS, 90);
    const units = [never.read, never.write, some.read, some.write].map((each) => count(each));
    lines.push(row([count(endpoints), '', ...units]));
  }
  return [
    'Units of the ledger for the close of a rollout, without and with historyDays:',
    '',
    row(['endpoints', '', 'read', 'write', 'read', 'write']),
    ...lines,
  ];
}

interface Column {
  readonly title: string;
  readonly read: (cost: Cost) => number;
}

const COLUMNS: readonly Column[] = [
  { title: 'transitions', read: ({ transitions }) => transitions },
  { title: 'invocations', read: ({ invocations }) => invocations },
  { title: 'HTTP calls', read: ({ httpCalls }) => httpCalls },
  { title: 'events', read: ({ historyEvents }) => historyEvents },
  { title: 'read units', read: ({ readUnits }) => readUnits },
  { title: 'write units', read: ({ writeUnits }) => writeUnits },
  { title: '$ per 1,000', read: (cost) => 1_000 * dollarsOf(cost) },
];

function compare(endpoints: number, own: RolloutCost, pollers: Cost): string[] {
  const ratios = COLUMNS.map(({ read }) =>
    read(pollers) > 0 ? `${(read(pollers) / read(own)).toFixed(2)} x` : '',
  );
  return [
    row([count(endpoints), 'steproll', ...valuesOf(own), `${count(own.largestPayload)} B`]),
    row(['', 'pollers', ...valuesOf(pollers)]),
    row(['', 'ratio', ...ratios]),
  ];
}

function valuesOf(cost: Cost): string[] {
  return COLUMNS.map(({ title, read }) =>
    title.startsWith('$') ? read(cost).toFixed(2) : count(read(cost)),
  );
}

function count(value: number): string {
  return value.toLocaleString('en');
}

function row([endpoints = '', name = '', ...cells]: readonly string[]): string {
  const numbers = cells.map((cell) => cell.padStart(13)).join('');
  return `${endpoints.padStart(12)}  ${name.padEnd(8)}${numbers}`.trimEnd();
}
