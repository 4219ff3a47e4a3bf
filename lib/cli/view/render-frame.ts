import type { Endpoint } from '../../domain/endpoint.ts';
import type { EndpointState } from '../../domain/rollout.ts';
import { describeDuration } from './describe-duration.ts';
import { cutTo, plainText } from './plain-text.ts';
import {
  countWaves,
  nameOfWave,
  type RolloutModel,
  stateOfEndpoint,
  type WaveCount,
} from './rollout-model.ts';
import type { Screen } from './screen.ts';
import { type Column, renderTable } from './table.ts';

const BAR_WIDTH = 20;
const SIGN = { done: '✔', current: '●', waiting: '○' } as const;

/** One picture of a running rollout: the waves, the endpoints, and what the workflow does now. */
export function renderFrame(model: RolloutModel, elapsedMs: number, screen: Screen): string[] {
  const title = `${plainText(model.runtimeId)} ${describeGoal(model)}`;
  const waves = countWaves(model).map((wave, index) => {
    const name = model.plan?.direction === 'back' ? 'Rollback' : `Wave ${index + 1}`;
    return renderWave(wave, name, screen);
  });
  const now = `${describeState(model)} · ${describeDuration(elapsedMs)}`;
  const why = model.cause === null ? [] : [cutTo(plainText(model.cause.message), screen.columns)];
  const room = screen.rows - waves.length - why.length - FIXED_LINES;
  return [
    screen.style('bold', cutTo(title, screen.columns)),
    ...why.map((line) => screen.style('red', line)),
    '',
    ...waves,
    '',
    ...renderEndpoints(model, room, screen),
    '',
    screen.style('cyan', cutTo(now, screen.columns)),
  ];
}

function describeGoal({ plan, desiredVersion }: RolloutModel): string {
  if (plan?.direction === 'back') return '← back to the versions before';
  return `→ version ${desiredVersion ?? '?'}`;
}

/** Title, blank lines, table head, the line that counts the rest, the last line and the prompt's. */
const FIXED_LINES = 8;

function renderWave({ state, converged, total }: WaveCount, name: string, screen: Screen): string {
  const filled = Math.round((BAR_WIDTH * converged) / total);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
  const text = `${SIGN[state]} ${name}  ${bar}  ${converged}/${total}`;
  const format = { done: 'green', current: 'yellow', waiting: 'dim' } as const;
  return screen.style(format[state], cutTo(text, screen.columns));
}

const COLUMNS: readonly Column[] = [
  { title: 'Endpoint' },
  { title: 'Live → target' },
  { title: 'Replicas', align: 'right' },
  { title: 'Status' },
  { title: 'Rollout' },
];

/** Below this many columns only names, versions and states are shown: a cut name tells nothing. */
const NARROW = 60;
const SHOWN_WHEN_NARROW: ReadonlySet<string> = new Set(['Endpoint', 'Live → target', 'Rollout']);

const FORMAT = {
  pending: 'dim',
  requested: 'yellow',
  progressing: 'yellow',
  converged: 'green',
  failed: 'red',
  missing: 'red',
  reverted: 'magenta',
  superseded: 'magenta',
} as const satisfies Record<EndpointState, string>;

function renderEndpoints(model: RolloutModel, room: number, screen: Screen): string[] {
  const planned = model.plan?.endpoints ?? [];
  const first = firstShown(model, planned.length, room);
  const shown = planned.slice(first, first + Math.max(1, room)).map((endpoint, index) => {
    const state = stateOfEndpoint(model, first + index);
    const write = model.writes.get(endpoint.endpointId);
    const name = plainText(endpoint.name ?? endpoint.endpointId);
    return {
      state,
      cells: [
        name,
        ...cellsOf(model.endpoints.get(endpoint.endpointId)),
        describeEndpoint(state, write),
      ],
    };
  });
  const isShown = ({ title }: Column) => screen.columns >= NARROW || SHOWN_WHEN_NARROW.has(title);
  const [head = '', ...lines] = renderTable(
    COLUMNS.filter(isShown),
    shown.map(({ cells }) => cells.filter((_, index) => isShown(COLUMNS[index] ?? { title: '' }))),
    screen.columns,
  );
  const hidden = planned.length - shown.length;
  return [
    screen.style('dim', head),
    ...lines.map((line, index) => screen.style(FORMAT[shown[index]?.state ?? 'pending'], line)),
    ...(hidden > 0 ? [screen.style('dim', `… and ${hidden} more`)] : []),
  ];
}

/** Where the list is cut when not all of it fits: the current wave is what people want to see. */
function firstShown({ plan, progress }: RolloutModel, total: number, room: number): number {
  const wave = plan?.waves[progress?.wave ?? 0]?.from ?? 0;
  return Math.max(0, Math.min(wave, total - Math.max(1, room)));
}

function cellsOf(endpoint: Endpoint | undefined): string[] {
  if (endpoint === undefined) return ['-', '-', '-'];
  const { liveVersion, targetVersion, replicas, status } = endpoint;
  const live = `${liveVersion ?? '?'}`;
  const versions = liveVersion === targetVersion ? live : `${live} → ${targetVersion ?? '?'}`;
  return [versions, `${replicas ?? '?'}`, plainText(status ?? '?')];
}

type LastWrite = ReturnType<RolloutModel['writes']['get']>;

function describeEndpoint(state: EndpointState, write: LastWrite): string {
  if (write?.operation !== 'stop') return state;
  if (write.result === 'accepted') return 'stopped';
  return write.result === 'kept' ? `kept: ${write.reason}` : 'stop in doubt';
}

const STATES: Readonly<Record<string, string>> = {
  'Open rollout': 'Reading the list, freezing the plan',
  'Roll wave': 'Rolling',
  'Roll batch': 'Rolling',
  'Wait to poll': 'Waiting for the next look at the list',
  'Check wave': 'Looking at the list',
  Bake: 'Baking: waiting before the wave is trusted',
  'Verify wave': 'Verifying that the wave is still converged',
  'Turn around': 'Planning the way back',
  'Stop old endpoints': 'Stopping the old endpoints',
  'Stop batch': 'Stopping the old endpoints',
  'Close rollout': 'Writing the outcome down',
};

function describeState(model: RolloutModel): string {
  const words = STATES[model.state] ?? model.state;
  const hasWaves = (model.plan?.waves.length ?? 0) > 0;
  return hasWaves ? `${nameOfWave(model)}: ${words}` : words;
}
