import { type Cost, dollarsOf } from './cost.ts';
import { countHolds } from './count-holds.ts';
import { countPollers, POLLER_ASSUMPTIONS } from './count-pollers.ts';
import type { RolloutCost } from './count-rollout.ts';
import { ASKED } from './gates-asked.ts';
import { countAll, ENDPOINTS_OF_EACH, type Results, ROLL_SECONDS, RUNTIMES } from './results.ts';

/**
 * What a rollout takes, beside a poller for each endpoint. Counted, so a busy machine changes nothing, and written down
 * for the docs.
 */
export async function benchCost(): Promise<readonly string[]> {
  const results = await countAll();
  const lines = results.sizes.flatMap(({ endpoints, first, second }) => [
    ...compare(endpoints, first, countPollers(endpoints, ROLL_SECONDS)),
    row(['', 'second', ...valuesOf(second), `${count(second.largestPayload)} B`]),
  ]);
  return [
    `Cost per rollout: the default policy, and a roll of an endpoint takes ${ROLL_SECONDS} s. Pollers:`,
    ...POLLER_ASSUMPTIONS.map((assumption) => `- ${assumption}`),
    '',
    row(['endpoints', '', ...COLUMNS.map(({ title }) => title), 'payload']),
    ...lines,
    '',
    ...compareGroup(results),
    '',
    ...showBakes(results),
    '',
    'Units of the ledger for holds, read and written:',
    '',
    ...(await countHolds()).map(({ what, read, write }) => row([what, '', `${read}`, `${write}`])),
    '',
    ...showQuestions(results),
    '',
    ...showHistory(results),
  ];
}

/** What the rollout of a group adds to those of its runtimes. */
function compareGroup({ group: { group, children } }: Results): string[] {
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

/** What it takes to watch waves while they bake. */
function showBakes({ policies }: Results): string[] {
  return [
    `Cost of a rollout of ${ENDPOINTS_OF_EACH} endpoints with a probe, by preset, and of one wave by its bake:`,
    '',
    row(['', '', ...COLUMNS.map(({ title }) => title), 'probes']),
    ...Object.entries(policies).map(([name, cost]) =>
      row([name, '', ...valuesOf(cost), count(cost.probes)]),
    ),
  ];
}

/** What it takes to ask a gate of a user's own. */
function showQuestions({ asked }: Results): string[] {
  return [
    `Cost of a rollout of ${ENDPOINTS_OF_EACH} endpoints with the default policy and a check or a query:`,
    '',
    row(['', '', ...COLUMNS.map(({ title }) => title), 'questions']),
    ...asked.map((cost, index) =>
      row([ASKED[index]?.[0] ?? '', '', ...valuesOf(cost), count(cost.questions)]),
    ),
  ];
}

/** What it takes to tell the table that it may remove a rollout some day. */
function showHistory({ sizes }: Results): string[] {
  return [
    'Units of the ledger for the close of a rollout, without and with historyDays:',
    '',
    row(['endpoints', '', 'read', 'write', 'read', 'write']),
    ...sizes.map(({ endpoints, close: [never, days] }) => {
      const units = [never.read, never.write, days.read, days.write].map(count);
      return row([count(endpoints), '', ...units]);
    }),
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
