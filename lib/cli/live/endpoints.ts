import type { Instant } from '../../domain/clock.ts';
import { describeDuration } from '../../domain/durations.ts';
import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { nameOf } from '../../domain/sentences.ts';
import { CONCERNS, type EndpointRow } from '../../domain/story/standing.ts';
import { storyOf } from '../../domain/story/story.ts';
import { type Column, renderTable } from '../terminal/print-result.ts';
import type { Screen } from '../terminal/screen.ts';
import { plainText } from '../terminal/text.ts';
import { cutTo } from '../terminal/width.ts';
import { countConverged } from '../words/children.ts';
import { describeState } from '../words/phase.ts';
import { reasonInWords } from '../words/reasons.ts';

/** Each endpoint by its id, from the last read of the list. */
export type SeenEndpoints = ReadonlyMap<string, Endpoint>;

/** What is known besides the record of the rollout. */
export interface Surroundings {
  /** `null`: nobody here reads the list, so only the ledger's data is shown. */
  readonly seen: SeenEndpoints | null;
  /** The rollouts of the runtimes, by the runtime, if they are what the rollout rolls. `null`: it rolls endpoints. */
  readonly children: ReadonlyMap<string, AskedRollout> | null;
  readonly now: Instant;
}

/**
 * The endpoints, or the runtimes of a group, as a table of at most `room` lines. When not all of them fit, lost ones
 * come first, then those that have been in mid-roll the longest, and the rest is counted.
 */
export function renderEndpoints(
  rows: readonly EndpointRow[],
  around: Surroundings,
  room: number,
  screen: Screen,
): string[] {
  if (rows.length === 0 || room < 1) return [];
  const fits = rows.length + HEAD_LINES <= room;
  const sorted = fits ? rows : [...rows].sort(byConcern);
  const shown = sorted.slice(0, fits ? rows.length : Math.max(0, room - HEAD_LINES - 1));
  const rest = sorted.slice(shown.length);
  return [
    ...(shown.length > 0 ? renderRows(shown, around, screen) : []),
    ...(rest.length > 0 ? [renderRest(rest, shown.length > 0, screen)] : []),
  ];
}

const HEAD_LINES = 1;

function renderRows(
  rows: readonly EndpointRow[],
  { seen, children, now }: Surroundings,
  screen: Screen,
): string[] {
  const columns = (children === null ? COLUMNS : RUNTIME_COLUMNS).filter(
    ({ needsList = false }) => !needsList || (seen !== null && screen.columns >= NARROW),
  );
  const cells = rows.map((row) => {
    const { endpointId } = row.planned;
    const around = { endpoint: seen?.get(endpointId), child: children?.get(endpointId), now };
    return columns.map(({ cell }) => plainText(cell(row, around)));
  });
  const titles = columns.map(({ title, shortTitle = title, align = 'left' }) => ({
    title: screen.columns < NARROW ? shortTitle : title,
    align,
  }));
  const [head = '', ...lines] = renderTable(titles, cells, screen.columns);
  return [
    screen.style('dim', head),
    ...lines.map((line, index) => screen.style(formatOf(rows[index]), line)),
  ];
}

interface EndpointColumn extends Column {
  /** The value is only known from the list. */
  readonly needsList?: true;
  /** The title on a narrow terminal. @default - the same */
  readonly shortTitle?: string;
  cell(row: EndpointRow, around: AroundRow): string;
}

/** What is known of one row besides the record. */
interface AroundRow {
  readonly endpoint: Endpoint | undefined;
  readonly child: AskedRollout | undefined;
  readonly now: number;
}

const VERSIONS: EndpointColumn = {
  title: 'Live → target',
  shortTitle: 'Version',
  cell: versionsOf,
};

const COLUMNS: readonly EndpointColumn[] = [
  { title: 'Endpoint', cell: ({ planned }) => nameOf(planned) },
  VERSIONS,
  {
    title: 'Replicas',
    align: 'right',
    needsList: true,
    cell: (_, { endpoint }) => `${endpoint?.replicas ?? '?'}`,
  },
  { title: 'Status', needsList: true, cell: (_, { endpoint }) => endpoint?.status ?? '?' },
  { title: 'Rollout', cell: describeRow },
];

const RUNTIME_COLUMNS: readonly EndpointColumn[] = [
  { title: 'Runtime', cell: ({ planned }) => planned.endpointId },
  VERSIONS,
  {
    title: 'Endpoints',
    shortTitle: '',
    align: 'right',
    cell: (_, { child }) => (child && countConverged(child)) ?? '',
  },
  { title: 'Rollout', cell: describeRuntime },
];

/** Below this many columns only names, versions and states are shown, because a name that is cut off is useless. */
const NARROW = 60;

/** The versions from the list, or else those that follow from the state after the last read. */
function versionsOf({ planned, state }: EndpointRow, { endpoint }: AroundRow): string {
  const { previousVersion, previousTarget, desiredVersion } = planned;
  if (endpoint !== undefined) return describeVersions(endpoint.liveVersion, endpoint.targetVersion);
  if (state === 'converged') return describeVersions(desiredVersion, desiredVersion);
  const isRolled = state === 'progressing' || state === 'failed';
  return describeVersions(previousVersion, isRolled ? desiredVersion : previousTarget);
}

function describeVersions(live: number | null, target: number | null): string {
  return live === target ? `${live ?? '?'}` : `${live ?? '?'} → ${target ?? '?'}`;
}

function describeRow(
  { state, stop, roll, concern, statusReason }: EndpointRow,
  { now }: AroundRow,
): string {
  if (stop !== null) {
    if (stop.result === 'accepted') return 'stopped';
    return stop.result === 'kept'
      ? `not stopped: ${reasonInWords(stop.reason ?? '')}`
      : 'asked to stop, no answer';
  }
  if (state === 'converged') return concern === 'converged' ? state : 'live in 1 of 2 looks';
  if (statusReason !== null) return `${state}: ${statusReason}`;
  if (roll === null) return state;
  if (roll.result === 'rejected') return `${state}: ${reasonInWords(roll.reason ?? '')}`;
  if (concern !== 'in-mid-roll') return state;
  return `${state} ${describeDuration(Math.max(0, now - roll.at))}`;
}

/** The child knows sooner how it is than the rollout of the group, which looks at it from time to time. */
function describeRuntime(row: EndpointRow, around: AroundRow): string {
  const { child, now } = around;
  return child === undefined || row.state === 'converged' || row.statusReason !== null
    ? describeRow(row, around)
    : describeState(storyOf(child, now));
}

const FORMAT = {
  pending: 'dim',
  requested: 'yellow',
  progressing: 'yellow',
  converged: 'green',
  failed: 'red',
  missing: 'red',
  reverted: 'magenta',
  'taken-back': 'red',
  superseded: 'magenta',
} as const;

function formatOf(row: EndpointRow | undefined) {
  if (row?.stop) return 'red';
  const { state = 'pending', concern } = row ?? {};
  return state === 'converged' && concern === 'in-mid-roll' ? 'yellow' : FORMAT[state];
}

function byConcern(one: EndpointRow, other: EndpointRow): number {
  const concern = CONCERNS.indexOf(one.concern) - CONCERNS.indexOf(other.concern);
  return concern === 0 ? startOf(one) - startOf(other) : concern;
}

/**
 * The sort key within a concern. Of the endpoints in mid-roll, the one that was rolled first comes first, and those
 * that are nearly done come last. All others keep the order of the plan.
 */
function startOf({ concern, roll, state }: EndpointRow): number {
  if (concern !== 'in-mid-roll') return 0;
  return state === 'converged' ? Number.MAX_SAFE_INTEGER : (roll?.at ?? 0);
}

function renderRest(rows: readonly EndpointRow[], isMore: boolean, screen: Screen): string {
  const counts = CONCERNS.flatMap((concern) => {
    const count = rows.filter((row) => row.concern === concern).length;
    return count === 0 ? [] : [`${count} ${concern.replace('in-mid-roll', 'in mid-roll')}`];
  });
  const text = `${isMore ? '… and ' : ''}${counts.join(', ')}`;
  return screen.style('dim', cutTo(text, screen.columns));
}
