import type { Random } from '../../lib/rehearsal/random.ts';
import { ended, startProgram } from '../cli/program-process.ts';
import { BAD_VERSION, GROUP, type SoakService, startSoakService } from './service.ts';

const RUNTIMES = 20;
const ENDPOINTS = 5;
const GOOD_VERSION = 2;

/**
 * Releases a good version to a group of 20 runtimes, and then a bad one. Its process is killed again and again, at
 * random, and the release is resumed by the next one. Answers what went wrong, and what was done.
 */
export async function killReleases(random: Random): Promise<readonly [string[], string[]]> {
  const service = await startSoakService({
    ...{ runtimes: RUNTIMES, endpoints: ENDPOINTS },
    ...{ rollSeconds: 0.5, maxAtRisk: 1 },
  });
  try {
    const good = await release(GOOD_VERSION, service, random);
    const faultsOfGood = await checkGood(good.outcome, service);
    const bad = await release(BAD_VERSION, service, random);
    const faultsOfBad = await checkBad(bad.outcome, service);
    return [
      [...faultsOfGood, ...faultsOfBad],
      [
        `version ${GOOD_VERSION}: ${good.outcome}, killed ${good.kills} times`,
        `version ${BAD_VERSION}: ${bad.outcome}, killed ${bad.kills} times`,
      ],
    ];
  } finally {
    await service.close();
  }
}

async function release(version: number, { home, variables }: SoakService, random: Random) {
  const start = ['start', '--group', GROUP, '--version', `${version}`, '--yes'];
  let args = start;
  for (let kills = 0; ; kills += 1) {
    const child = startProgram(home, ['rollout', ...args, '-o', 'json'], 'steproll', variables);
    const over = ended(child);
    const timer = setTimeout(() => child.kill('SIGKILL'), random.integer(1_500, 9_000));
    const { stdout, stderr } = await over;
    clearTimeout(timer);
    if (stdout !== '') return { outcome: JSON.parse(stdout).outcome as string, kills };
    if (child.signalCode !== 'SIGKILL') throw new Error(stderr);
    const [, rolloutId] = /^Rollout (\S+)\n/.exec(stderr) ?? [];
    // It was killed before it had written anything, or else it is known from then on.
    if (rolloutId !== undefined) args = ['resume', rolloutId];
  }
}

async function checkGood(outcome: string, service: SoakService): Promise<string[]> {
  const live = await service.liveVersions();
  const late = [...live].filter(([, versions]) => versions.some((one) => one !== GOOD_VERSION));
  const order = runtimesInOrder(service, GOOD_VERSION);
  return [
    ...(outcome === 'Succeeded' ? [] : [`The good version ended as ${outcome}.`]),
    ...late.map(([id, versions]) => `${id} is live on ${versions}.`),
    // Only one runtime may be at risk at a time, so its rolls are all behind those of the one before it.
    ...(order.length === RUNTIMES
      ? []
      : [`Runtimes were rolled side by side: ${order.join(', ')}`]),
  ];
}

async function checkBad(outcome: string, service: SoakService): Promise<string[]> {
  const order = runtimesInOrder(service, BAD_VERSION);
  return [
    ...(outcome === 'Failed' ? [] : [`The bad version ended as ${outcome}.`]),
    ...(order.length === 1 ? [] : [`The bad version reached ${order.join(', ')}.`]),
  ];
}

/** The runtimes that were rolled, each once for each time that its turn came. */
function runtimesInOrder({ rolls }: SoakService, wanted: number): string[] {
  return rolls
    .filter(({ version }) => version === wanted)
    .map(({ runtimeId }) => runtimeId)
    .filter((runtimeId, index, all) => runtimeId !== all[index - 1]);
}
