import type { Instant } from '../../domain/clock.ts';
import { describeDuration } from '../../domain/durations.ts';
import type { EndpointRow, Fate } from '../../domain/ending/fate.ts';
import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import { hasConverged } from '../../domain/endpoint/observation.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { storyOf } from '../../telling/story/story.ts';
import { type Column, renderTable } from '../../telling/table.ts';
import { plainText } from '../../telling/text.ts';
import { cutTo } from '../../telling/width.ts';
import { countConverged } from '../../telling/words/children.ts';
import { describeFate, reasonInWords } from '../../telling/words/fates.ts';
import { describeState } from '../../telling/words/phase.ts';
import type { Screen } from '../terminal/screen.ts';

/** Each endpoint by its id, from the last read of the list. */
export type SeenEndpoints = ReadonlyMap<string, Endpoint>;

/** What is known besides the record of the rollout. */
export interface Surroundings {
  /** `null`: nobody here reads the list, so only the ledger's data is shown. */
  readonly seen: SeenEndpoints | null;
  /** The rollouts of the runtimes, by the runtime, if they are what the rollout rolls. `null`: it rolls endpoints. */
  readonly children: ReadonlyMap<string, AskedRollout> | null;
  /** Where the rollout goes, as `describeWanted` says it. */
  readonly wanted: string;
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
  const sorted = fits ? rows : [...rows].sort(byFate);
  const shown = sorted.slice(0, fits ? rows.length : Math.max(0, room - HEAD_LINES - 1));
  const rest = sorted.slice(shown.length);
  return [
    ...(shown.length > 0 ? renderRows(shown, around, screen) : []),
    ...(rest.length > 0 ? [renderRest(rest, shown.length > 0, around.wanted, screen)] : []),
  ];
}

const HEAD_LINES = 1;

function renderRows(
  rows: readonly EndpointRow[],
  { seen, children, ...always }: Surroundings,
  screen: Screen,
): string[] {
  const columns = (children === null ? COLUMNS : RUNTIME_COLUMNS).filter(
    ({ needsList = false }) => !needsList || (seen !== null && screen.columns >= NARROW),
  );
  const cells = rows.map((row) => {
    const { endpointId } = row;
    const own = { endpoint: seen?.get(endpointId), child: children?.get(endpointId) };
    const around = { ...always, ...own };
    return columns.map(({ cell }) => plainText(cell(row, around)));
  });
  const titles = columns.map(({ title, shortTitle = title, align = 'left' }) => ({
    title: screen.columns < NARROW ? shortTitle : title,
    align,
  }));
  const [head = '', ...lines] = renderTable(titles, cells, screen.columns);
  return [
    screen.style('dim', head),
    ...lines.map((line, index) => screen.style(formatOf(rows[index] as EndpointRow), line)),
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
  readonly wanted: string;
  readonly now: number;
}

const VERSIONS: EndpointColumn = {
  title: 'Live → target',
  shortTitle: 'Version',
  cell: versionsOf,
};

const COLUMNS: readonly EndpointColumn[] = [
  { title: 'Endpoint', cell: ({ name }) => name },
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
  { title: 'Runtime', cell: ({ endpointId }) => endpointId },
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
function versionsOf({ planned, seen: { state } }: EndpointRow, { endpoint }: AroundRow): string {
  const { previousVersion, previousTarget, desiredVersion } = planned;
  if (endpoint !== undefined) return describeVersions(endpoint.liveVersion, endpoint.targetVersion);
  if (state === 'converged') return describeVersions(desiredVersion, desiredVersion);
  const isRolled = state === 'progressing' || state === 'failed';
  return describeVersions(previousVersion, isRolled ? desiredVersion : previousTarget);
}

function describeVersions(live: number | null, target: number | null): string {
  return live === target ? `${live ?? '?'}` : `${live ?? '?'} → ${target ?? '?'}`;
}

/** Its fate, and for how long it has had that, while people wait for a change. */
function describeRow(row: EndpointRow, { now, wanted }: AroundRow): string {
  const { seen, roll, fate } = row;
  const isUnproven = seen.state === 'converged' && !hasConverged(seen);
  if (isUnproven) return reasonInWords(seen.state);
  const words = describeFate(row, wanted);
  const since = fate === 'in-mid-roll' ? roll?.at : fate === 'lost' ? seen.changedAt : undefined;
  return since === undefined ? words : `${words} ${describeDuration(Math.max(0, now - since))}`;
}

/** The child knows sooner how it is than the rollout of the group, which looks at it from time to time. */
function describeRuntime(row: EndpointRow, around: AroundRow): string {
  const { child, now } = around;
  return child === undefined || row.seen.state === 'converged' || row.statusReason !== null
    ? describeRow(row, around)
    : describeState(storyOf(child, now));
}

/** What wants attention comes first, then what is on its way, and then the rest. */
const LOOKS = {
  refused: ['red', 0],
  lost: ['red', 0],
  stopped: ['red', 0],
  kept: ['red', 0],
  'stop-unsure': ['red', 0],
  'not-back': ['red', 0],
  'in-mid-roll': ['yellow', 1],
  'not-rolled': ['dim', 2],
  live: ['green', 3],
  back: ['green', 3],
} as const satisfies Readonly<Record<Fate, readonly [string, number]>>;

function formatOf({ fate, seen }: EndpointRow) {
  return fate === 'live' && !hasConverged(seen) ? 'yellow' : LOOKS[fate][0];
}

/** Of the endpoints in mid-roll, the one that was rolled first comes first. All others keep the order of the plan. */
function byFate(one: EndpointRow, other: EndpointRow): number {
  const startOf = ({ fate, roll }: EndpointRow) => (fate === 'in-mid-roll' ? (roll?.at ?? 0) : 0);
  return LOOKS[one.fate][1] - LOOKS[other.fate][1] || startOf(one) - startOf(other);
}

function renderRest(
  rows: readonly EndpointRow[],
  isMore: boolean,
  wanted: string,
  screen: Screen,
): string {
  const groups = Map.groupBy(rows, (row) => describeFate({ ...row, statusReason: null }, wanted));
  const counts = [...groups].map(([words, own]) => `${own.length} ${words}`);
  const text = `${isMore ? '… and ' : ''}${counts.join(', ')}`;
  return screen.style('dim', cutTo(text, screen.columns));
}
