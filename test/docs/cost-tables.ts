import { PRESETS } from '../../lib/domain/rollout/default-policy.ts';
import { type Cost, dollarsOf, PRICES } from '../bench/cost/cost.ts';
import { ENDPOINTS_OF_EACH, type Results, RUNTIMES, readResults } from '../bench/cost/results.ts';
import { tableOf } from './markdown-table.ts';
import { metricsOf } from './stack-facts.ts';

// Dollars of docs/cost.md, from what `npm run bench` has counted. Its prices are in test/bench/cost/cost.ts; here are
// those of what is paid for by the month.
const METRIC_OF_ALARM = 0.1;
const METRIC = 0.3;
const DASHBOARD = 3;
const SECRET = 0.4;
const SWEEPS = (365 * 24 * 60) / 12 / 5;
const HOURS = 730;
const GB_OF_LOGS = 0.5;
const GB_OF_TABLE = 0.45;
const TRACE = 5 / 1e6;
const EVENT = 1 / 1e6;

/** Guessed from above, in bytes: what an event of a history and a call of a function log, and a write unit stores. */
const BYTES = { event: 512, call: 2_560, writeUnit: 1_024 };
const GB = 1e9;
const EVENTS_OF_ROLLOUT = 9;
const METRICS_OF_FUNCTIONS = 10;

/** What is paid for without any rollout. */
export function costOfNothing(): string {
  const rows = alwaysPaid().map(([what, sum, dollars]) => [what, sum, dollars.toFixed(2)]);
  return tableOf(['always', '', '$'], [...rows, ['together', '', paidAlways()]]);
}

function alwaysPaid(): [what: string, sum: string, dollars: number][] {
  const metrics = metricsOf({});
  return [
    ['alarms', `${metrics} metrics × ${METRIC_OF_ALARM.toFixed(2)}`, metrics * METRIC_OF_ALARM],
    ['dashboard', '', DASHBOARD],
    ['secret', '', SECRET],
    [
      'sweep, every 5 minutes',
      `${grouped(SWEEPS)} calls × ${PRICES.invocation.toFixed(10)}, and one metric × ${METRIC.toFixed(2)}`,
      SWEEPS * PRICES.invocation + METRIC,
    ],
  ];
}

function paidAlways(): string {
  return sumOf(alwaysPaid().map(([, , dollars]) => dollars)).toFixed(2);
}

const FLEETS = [
  { name: 'small', runtimes: 1, endpoints: 10, rollouts: 20 },
  { name: 'medium', runtimes: 10, endpoints: 100, rollouts: 300 },
  { name: 'large', runtimes: 50, endpoints: 1_000, rollouts: 3_000 },
] as const;

/** What three fleets pay in a month. */
export function costOfMonths(): string {
  const fleets = FLEETS.map((fleet) => ({ ...fleet, paid: monthOf(fleet) }));
  const kinds = Object.keys(fleets[0]?.paid ?? {}) as (keyof ReturnType<typeof paidFor>)[];
  return tableOf(
    ['a month', ...fleets.map(({ name }) => name)],
    [
      [
        'runtimes × endpoints',
        ...fleets.map((one) => `${one.runtimes} × ${grouped(one.endpoints)}`),
      ],
      ['rollouts', ...fleets.map(({ rollouts }) => grouped(rollouts))],
      ...kinds.map((what) => [what, ...fleets.map(({ paid }) => paid[what].toFixed(2))]),
      ['together', ...fleets.map(({ paid }) => sumOf(Object.values(paid)).toFixed(2))],
    ],
  );
}

/** In whole cents, so that what is shown adds up. */
function monthOf(fleet: (typeof FLEETS)[number]) {
  const paid = paidFor(fleet);
  return Object.fromEntries(
    Object.entries(paid).map(([what, dollars]) => [what, Math.round(100 * dollars) / 100]),
  ) as typeof paid;
}

function paidFor({ endpoints, rollouts }: (typeof FLEETS)[number]) {
  const cost = countedOf(endpoints).first;
  const logged = rollouts * (cost.historyEvents * BYTES.event + cost.invocations * BYTES.call);
  const stored = rollouts * cost.writeUnits * BYTES.writeUnit;
  return {
    always: Number(paidAlways()),
    'workflow, functions and ledger of the rollouts': rollouts * dollarsOf(cost),
    'logs, 0.50 a GB: 0.5 KB for each event of a history, 2.5 KB for each call':
      (logged / GB) * GB_OF_LOGS,
    '10 metrics, 0.30 each, in hours with a rollout':
      METRICS_OF_FUNCTIONS * METRIC * Math.min(1, rollouts / HOURS),
    'a trace for each rollout and sweep, 5.00 a million; 9 events for each rollout, 1.00 a million':
      (rollouts + SWEEPS) * TRACE + rollouts * EVENTS_OF_ROLLOUT * EVENT,
    'table with backup, 0.45 a GB, of at most 1 KB for each write unit':
      (stored / GB) * GB_OF_TABLE,
  };
}

/** What a rollout takes, in units and in dollars. */
export function costOfRollouts(): string {
  const { sizes } = readResults();
  const units = tableOf(
    ['endpoints', ...UNITS.map(([name]) => name), 'largest payload'],
    sizes.map(({ endpoints, first }) => [
      grouped(endpoints),
      ...UNITS.map(([, read]) => grouped(read(first))),
      `${grouped(first.largestPayload)} B`,
    ]),
  );
  const dollars = tableOf(
    [
      'endpoints',
      'Step Functions',
      'Lambda',
      'DynamoDB',
      '$ for 1,000',
      'second rollout of a runtime',
    ],
    sizes.map(({ endpoints, first, second }) => [
      grouped(endpoints),
      perThousand(first.transitions * PRICES.transition),
      perThousand(first.invocations * PRICES.invocation),
      perThousand(first.readUnits * PRICES.readUnit + first.writeUnits * PRICES.writeUnit),
      perThousand(dollarsOf(first)),
      perThousand(dollarsOf(second)),
    ]),
  );
  return [units, dollars].join('\n\n');
}

/** What it takes the ledger to close a rollout, and to say when it may be forgotten. */
export function costOfCloses(): string {
  return tableOf(
    ['endpoints', 'read', 'write', 'read, with `historyDays`', 'write, with `historyDays`'],
    readResults().sizes.map(({ endpoints, close: [never, days] }) =>
      [endpoints, never.read, never.write, days.read, days.write].map(grouped),
    ),
  );
}

/** What gates that are asked in bakes add. */
export function costOfPolicies(): string {
  const { policies } = readResults();
  return tableOf(
    ['100 endpoints with a probe', 'transitions', '$ for 1,000', 'probes'],
    Object.entries(policies).map(([name, cost]) => [
      nameOfPolicy(name),
      grouped(cost.transitions),
      perThousand(dollarsOf(cost)),
      grouped(cost.probes),
    ]),
  );
}

function nameOfPolicy(name: string): string {
  if (name in PRESETS) return `\`${name}\``;
  return name === 'default' ? name : `one wave, which bakes for ${name}`;
}

/** The same for checks and queries: what they are, in the order in which they are counted. */
const ASKED = [
  'none',
  'a check before the rollout',
  'a check before the rollout, at work',
  'a check before each wave',
  'a check before each wave, at work',
  'a check in the bake',
  'a check in the bake, `everySeconds` 300',
  'a check at the end of the bake',
  'a check at the end of the bake, at work',
  'a query',
  'a query with `{endpoint}`',
];

export function costOfQuestions(): string {
  const { asked } = readResults();
  return tableOf(
    ['100 endpoints with', 'transitions', '$ for 1,000', 'questions'],
    asked.map((cost, index) => [
      ASKED[index] ?? '',
      grouped(cost.transitions),
      perThousand(dollarsOf(cost)),
      grouped(cost.questions),
    ]),
  );
}

/** What the release of a group adds to the rollouts of its runtimes. */
export function costOfGroup(): string {
  const { group, children } = readResults().group;
  const columns = [...UNITS, ['$ for one release', dollarsOf] as const];
  const cells = (read: (cost: Cost) => number, cost: Cost) =>
    read === dollarsOf ? read(cost).toFixed(3) : grouped(read(cost));
  const ratio = (read: (cost: Cost) => number) =>
    ((read(group) + read(children)) / read(children)).toFixed(2);
  return tableOf(
    [`${RUNTIMES} runtimes of ${ENDPOINTS_OF_EACH} endpoints`, ...columns.map(([name]) => name)],
    [
      ['the runtimes', ...columns.map(([, read]) => cells(read, children))],
      ['their group', ...columns.map(([, read]) => cells(read, group))],
      ['both, beside the runtimes alone', ...columns.map(([, read]) => ratio(read))],
    ],
  );
}

const UNITS: readonly (readonly [string, (cost: Cost) => number])[] = [
  ['transitions', ({ transitions }) => transitions],
  ['invocations', ({ invocations }) => invocations],
  ['HTTP calls', ({ httpCalls }) => httpCalls],
  ['events', ({ historyEvents }) => historyEvents],
  ['read units', ({ readUnits }) => readUnits],
  ['write units', ({ writeUnits }) => writeUnits],
];

function countedOf(endpoints: number): Results['sizes'][number] {
  const counted = readResults().sizes.find((one) => one.endpoints === endpoints);
  if (counted === undefined) throw new Error(`Nobody has counted ${endpoints} endpoints.`);
  return counted;
}

function perThousand(dollars: number): string {
  return (1_000 * dollars).toFixed(2);
}

function grouped(count: number): string {
  return count.toLocaleString('en');
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
