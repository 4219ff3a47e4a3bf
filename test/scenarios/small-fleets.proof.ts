import { expect, test } from '@jest/globals';
import type { Endpoint } from '../../lib/domain/endpoint/endpoint.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import type { StepContext } from '../../lib/steps/io/ports.ts';
import { everyWay, readPath, writePath } from './small-fleets/chooser.ts';
import { CONFIGURATIONS, nameOf, readName } from './small-fleets/configuration.ts';
import type { Scene } from './small-fleets/scene.ts';
import { rolloutIn } from './small-fleets/situation.ts';
import type { Plant } from './small-fleets/stage.ts';
import { follow, walk } from './small-fleets/walk.ts';

// `npm run small-fleets` walks through larger ones.
test.each([
  ['1/wave-each/stop-old/crash', ['Failed, EndpointFailed, stopped', 'Succeeded, Converged, none']],
  [
    '1/wave-each/roll-back/lost+stale',
    ['Failed, Stalled, incomplete', 'Failed, Stalled, rolledBack'],
  ],
  ['1/wave-each/hold/move+abort', ['Aborted, Aborted, stopped', 'Superseded, Superseded, none']],
  ['1/wave-each/hold/crash+pause', ['Failed, Stalled, none', 'Succeeded, Converged, none']],
  ['2/at-once/stop-old/lost', ['Failed, Stalled, kept', 'Failed, Stalled, stopped']],
])(
  'whatever happens in %s, in any order, every step is safe and every end is the truth',
  async (name, some) => {
    const walked = await walk({ configuration: readName(name), isDoubtful: true });

    expect(walked.violations).toEqual([]);
    expect(walked.ends).toEqual(expect.arrayContaining(some));
  },
);

/** A stop trusts the list on which the rollout has failed. */
const stopsWithoutARead: Plant = (context, sceneNow) =>
  withList(context, async (list) => (isIn('Stop batch', sceneNow()) ? sceneNow().shown : list()));

/** A look that has to confirm another one sees the same list once more. */
const believesOneList: Plant = (context, sceneNow) =>
  withList(context, async (list) => {
    const { memory, shown } = sceneNow();
    const { observations = [] } = rolloutIn(memory)?.progress ?? {};
    const isToConfirm = observations.some(({ reads }) => reads === 1);
    return isIn('Look', sceneNow()) && isToConfirm ? shown : list();
  });

/** Nobody listens between two looks at the list. */
const isDeaf: Plant = (context) =>
  withLedger(context, (ledger) => ({
    hear: async (of) => ({ ...(await ledger.hear(of)), signals: [] }),
  }));

/** Nobody listens to what is held. */
const isDeafToAPause: Plant = (context) =>
  withLedger(context, (ledger) => ({
    hear: async (of) => ({ ...(await ledger.hear(of)), holds: [] }),
    renew: async (...args) => (await ledger.renew(...args)).slice(0, 0),
  }));

/** What is paused is nowhere written down, so the deadline runs on from a look under a pause. */
const runsUnderAPause: Plant = (context) =>
  withLedger(context, (ledger) => ({
    saveProgress: (lease, progress) =>
      ledger.saveProgress(lease, {
        ...progress,
        stuckMs: progress.isPaused ? progress.stuckMs + 60_000 : progress.stuckMs,
      }),
  }));

/** Every look at the list is progress, so no deadline passes. */
const isPatient: Plant = (context) =>
  withLedger(context, (ledger) => ({
    saveProgress: (lease, progress) => ledger.saveProgress(lease, { ...progress, stuckMs: 0 }),
  }));

/** What is about to be written is not written down. */
const forgetsIntentions: Plant = (context) =>
  withLedger(context, (ledger) => ({
    append: (lease, lines) =>
      ledger.append(
        lease,
        lines.filter(({ result }) => result !== 'intended'),
      ),
  }));

test.each<readonly [string, Plant, string, RegExp]>([
  [
    'stops without a read',
    stopsWithoutARead,
    '3/at-once/stop-old/none',
    /was stopped without a read/,
  ],
  ['believes one old list', believesOneList, '2/wave-each/roll-back/stale', /rolledBack: /],
  ['is deaf to an abort', isDeaf, '1/wave-each/hold/abort', /after it was told to end/],
  ['is deaf to a pause', isDeafToAPause, '2/wave-each/hold/pause', /rolled under a pause/],
  ['stalls under a pause', runsUnderAPause, '2/wave-each/hold/pause', /nothing serious went wrong/],
  ['is never done waiting', isPatient, '1/wave-each/hold/none', /go on like this for ever/],
  ['forgets what it intended', forgetsIntentions, '1/wave-each/hold/none', /is not in the journal/],
])('a rollout that %s is found, with the way there', async (_, plant, name, message) => {
  const configuration = readName(name);

  const { violations } = await walk({ configuration }, plant);

  const found = violations.find((one) => message.test(one.message));
  expect(found?.message).toMatch(message);
  const path = readPath(writePath(found?.path ?? []));
  const again = await follow(configuration, path, plant);
  expect(again.violations.join('\n')).toBe(found?.message);
});

test('every sequence of choices is made once, also where one depends on another', async () => {
  const made: string[] = [];
  const ways = everyWay(async ({ choose }) => {
    const meal = choose('a meal', ['soup', 'salad', 'cake']);
    choose('bread', ['none of it']);
    if (meal === 'cake') return [meal];
    return [meal, choose('a drink', ['water', 'milk'])];
  });
  for await (const { result, choices } of ways) {
    made.push(result.join(' and '));
    expect(readPath(writePath(choices)).length).toBeLessThanOrEqual(choices.length);
  }

  expect(made.toSorted()).toEqual([
    'cake',
    'salad and milk',
    'salad and water',
    'soup and milk',
    'soup and water',
  ]);
});

test('a fleet is called what it is', () => {
  expect(CONFIGURATIONS.map(nameOf).map(readName)).toEqual(CONFIGURATIONS);
  expect(() => readName('2/all/hold/crash')).toThrow('--only: 2/all/hold/crash is no fleet');
});

function isIn(state: string, { states }: Scene): boolean {
  return states.at(-1) === state;
}

type List = () => Promise<readonly Endpoint[]>;

function withList(context: StepContext, see: (list: List) => ReturnType<List>): StepContext {
  const { service } = context;
  const list = (runtimeId: string) => see(() => service.list(runtimeId));
  return { ...context, service: { ...service, list } };
}

/** The ledger of a walk is a proxy, so its methods cannot be spread. */
function withLedger(
  context: StepContext,
  change: (ledger: Ledger) => Partial<Ledger>,
): StepContext {
  const changed = change(context.ledger);
  const get = (ledger: Ledger, name: keyof Ledger) => changed[name] ?? ledger[name];
  return { ...context, ledger: new Proxy(context.ledger, { get } as ProxyHandler<Ledger>) };
}
