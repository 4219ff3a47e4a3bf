import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { type RequestLine, startEndpointServer } from '../../../lib/simulation/server.ts';
import { runHere } from '../run-here.ts';

const SCENARIO = {
  runtimes: [{ id: 'shop', version: 1, rollSeconds: 60, endpoints: 12 }],
  faults: [{ endpoint: 'endpoint-03', version: 3, kind: 'stuck' }],
};

let folder = '';
let file = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steproll-rehearse-'));
  file = join(folder, 'fleet.json');
  writeFileSync(file, JSON.stringify(SCENARIO));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function rehearse(...args: readonly string[]) {
  return runHere(['rehearse', ...args], { STEPROLL_STATE_DIR: join(folder, 'state') });
}

/** Rehearsals by the dozen are of a small fleet. */
const onSmallOne = (...args: readonly string[]) => {
  const [runtime] = SCENARIO.runtimes;
  writeFileSync(file, JSON.stringify({ runtimes: [{ ...runtime, endpoints: 2 }] }));
  return onScenario('--bake', '30', ...args);
};

const onScenario = (...args: readonly string[]) =>
  rehearse('shop', '--version', '2', '--scenario', file, ...args);

describe('one rehearsal', () => {
  test('is told as a story with its times, its calls and its end', async () => {
    const { code, stdout, stderr } = await onScenario();

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Rehearsal: shop to version 2 on 12 endpoints\n');
    expect(stdout).toContain('✔ Succeeded in 20 min 26 s');
    expect(stdout).toMatch(/^ {2}0:01:06 {2}Wave 1 of 3 has converged, 1 endpoint/m);
    expect(stdout).toMatch(/^ {2}0:20:26 {2}Ended as Succeeded\./m);
    expect(stdout).toContain('12 writes and 47 reads of the list; on AWS 135 transitions');
    // The fault of the scenario is met only on the way to version 3.
    expect(stdout).not.toContain('What goes wrong');
  });

  test('meets the faults of the scenario, and has the exit code of the rollout', async () => {
    const { code, stdout } = await rehearse('shop', '--version', '3', '--scenario', file);

    expect(code).toBe(1);
    expect(stdout).toContain('endpoint-03, rolled to version 3: gets stuck after 1 replica\n');
    expect(stdout).toContain('✘ Failed (stuck)');
    expect(stdout).toContain('1 stopped');
  });

  test('waits for windows that bind rolls, in no time, and begins when the first one opens', async () => {
    const config = join(folder, 'bound.json');
    const windows = [{ days: ['mon', 'tue'], from: '09:00', to: '09:15' }];
    writeFileSync(
      config,
      JSON.stringify({ policies: { default: { windowsBind: 'rolls', windows } } }),
    );
    const { code, stdout } = await onScenario('--bake', '10m', '--config', config);

    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}0:01:06 {2}Wave 1 of 3 has converged/m);
    expect(stdout).toMatch(
      /^ {2}0:2\d:\d\d {2}Wave 3 of 3 waits for its window, which opens 2026-01-06/m,
    );
    expect(stdout).toMatch(/^ {2}24:\d\d:\d\d {2}Wave 3 of 3, rolling 9 endpoints/m);
  });

  test('goes to the latest version of the scenario, and waits until it is made', async () => {
    const versions = [{ version: 1 }, { version: 2, madeAfterSeconds: 90 }];
    const [runtime] = SCENARIO.runtimes;
    writeFileSync(file, JSON.stringify({ runtimes: [{ ...runtime, versions }] }));
    const { code, stdout } = await rehearse('shop', '--version', 'latest', '--scenario', file);

    expect(code).toBe(0);
    expect(stdout).toContain('Rehearsal: shop to version 2 on 12 endpoints\n');
    // 90 s of waiting before the 66 s of the first wave.
    expect(stdout).toMatch(/^ {2}0:02:36 {2}Wave 1 of 3 has converged/m);
  });

  test('C01: to the latest version of a scenario without versions: exit 2', async () => {
    expect(await rehearse('shop', '--version', 'latest', '--scenario', file)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^VersionsUnsupported: /),
    });
  });

  test('follows the options of a start', async () => {
    const { stdout } = await onScenario('--waves', '100%', '--bake', '0');

    expect(stdout).toContain('12 of 12 endpoints in 1 wave');
  });

  test('of a seed is the same twice, byte for byte', async () => {
    const once = await onScenario('--seed', '12', '--faults', 'many');
    const again = await onScenario('--seed', '12', '--faults', 'many');

    expect(once.stdout).toContain('with the faults of seed 12');
    expect(once.stdout).toContain('What goes wrong');
    expect(again).toEqual(once);
  });

  test('is one object for programs', async () => {
    const { stdout } = await onScenario('--seed', '3', '-o', 'json');

    expect(JSON.parse(stdout)).toMatchObject({
      seed: 3,
      faults: 'few',
      seconds: expect.any(Number),
      calls: { rolls: expect.any(Number), listReads: expect.any(Number) },
      toll: { fewestServing: expect.any(Number) },
      rollout: { schemaVersion: 1, rolloutId: 'rehearsal', version: 2 },
    });
  });
});

test('the fleet that a service lists is rehearsed with nothing but GETs', async () => {
  const requests: RequestLine[] = [];
  const server = await startEndpointServer({
    scenario: parseScenario(SCENARIO),
    port: 0,
    clock: systemClock,
    onRequest: (line) => requests.push(line),
  });
  try {
    const at = ['--endpoint-url', server.url];
    const one = await rehearse('shop', '--version', '2', ...at);
    const many = await rehearse('shop', '--version', '2', '--runs', '3', ...at);

    expect(one.code).toBe(0);
    expect(one.stdout).toContain(`Service: ${server.url}`);
    expect(one.stdout).toContain('✔ Succeeded');
    expect(many.code).toBe(0);
    expect(requests.length).toBeGreaterThan(0);
    expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  } finally {
    await server.close();
  }
});

describe('many rehearsals', () => {
  test('are summed up, and the worst are named by the seeds that show them again', async () => {
    const { code, stdout, stderr } = await onSmallOne('--runs', '60', '-o', 'json');

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const said = JSON.parse(stdout);
    expect(said).toMatchObject({ seed: 1, faults: 'few', runs: 60 });
    expect(Object.keys(said)).toEqual(expect.arrayContaining(['outcomes', 'durations', 'worst']));
    const sum = said.outcomes.reduce(
      (total: number, { runs }: { runs: number }) => total + runs,
      0,
    );
    expect(sum).toBe(60);
    const [longest] = said.worst;
    const shown = await onSmallOne('--seed', `${longest.seed}`, '--faults', 'few', '-o', 'json');
    expect(JSON.parse(shown.stdout)).toMatchObject({
      seconds: longest.value,
      outcome: longest.outcome,
      reason: longest.reason,
    });
  });

  test('with the same seed are the same bytes', async () => {
    const once = await onSmallOne('--runs', '30', '--seed', '7', '-o', 'json');

    expect(await onSmallOne('--runs', '30', '--seed', '7', '-o', 'json')).toEqual(once);
    expect(await onSmallOne('--runs', '30', '--seed', '8', '-o', 'json')).not.toEqual(once);
  });

  test('of two policies stand side by side, on the same seeds', async () => {
    const config = join(folder, 'other.json');
    writeFileSync(config, JSON.stringify({ policies: { default: { onFailure: 'roll-back' } } }));

    const preset = await onSmallOne('--runs', '20', '--against', 'all-at-once', '-o', 'json');
    const same = await onSmallOne('--runs', '20', '--on-failure', 'roll-back', '-o', 'json');
    const other = await onSmallOne('--runs', '20', '--against', config, '-o', 'json');
    const table = await onSmallOne('--runs', '20', '--against', 'careful');

    const { against, ...own } = JSON.parse(preset.stdout);
    expect(against).toMatchObject({ name: 'all-at-once', runs: 20 });
    expect(against.durations.p50).toBeLessThan(own.durations.p50);
    const { seed: _, faults: __, ...summary } = JSON.parse(same.stdout);
    expect(JSON.parse(other.stdout).against).toEqual({ name: config, ...summary });
    expect(table.stdout).toMatch(/^ {2}Outcome +as asked +careful$/m);
  });

  test('of two policies: the worst of the other one is told again by its seed, too', async () => {
    const asked = ['--faults', 'many', '--against', 'careful'];
    const many = await onSmallOne('--runs', '40', ...asked, '-o', 'json');
    const { worst } = JSON.parse(many.stdout).against;

    for (const { seed, ...shown } of worst) {
      const one = await onSmallOne('--seed', `${seed}`, ...asked, '-o', 'json');
      const { against, ...own } = JSON.parse(one.stdout);

      const { outcome, reason, cleanup } = shown;
      expect(against).toMatchObject({ name: 'careful', outcome, reason, cleanup });
      if (shown.measure === 'seconds') expect(against.seconds).toBe(shown.value);
      expect(against.wentWrong).toEqual(own.wentWrong);
    }
  });

  test('of two policies are two stories without --runs, with the exit code of the one as asked', async () => {
    const args = ['--scenario', file, '--against', 'all-at-once'];
    const { code, stdout } = await rehearse('shop', '--version', '3', ...args);

    expect(code).toBe(1);
    const [own, other] = stdout.split('\nAgainst all-at-once\n\n');
    expect(own).toContain('12 of 12 endpoints in 3 waves');
    expect(other).toMatch(/^Rehearsal: shop to version 3 on 12 endpoints\n/);
    expect(other).toContain('12 of 12 endpoints in 1 wave\n');
  });

  test('one of one endpoint is told in the singular, with the seed as it is typed', async () => {
    const [runtime] = SCENARIO.runtimes;
    writeFileSync(file, JSON.stringify({ runtimes: [{ ...runtime, endpoints: 1 }] }));
    const { stdout } = await onScenario('--runs', '1', '--seed', '1234');

    expect(stdout).toMatch(/^1 rehearsal of shop to version 2 on 1 endpoint, with few faults\n/);
    expect(stdout).toContain('\nSeed 1234\n');
  });

  test('say what was done with the endpoints also in 80 columns', async () => {
    const [runtime] = SCENARIO.runtimes;
    const faults = [{ endpoint: 'endpoint-02', version: 2, kind: 'fail' }];
    writeFileSync(file, JSON.stringify({ runtimes: [{ ...runtime, endpoints: 2 }], faults }));
    const { stdout } = await onScenario('--runs', '20', '--faults', 'many');

    expect(stdout).toMatch(/takes longest .* Failed \(RollNotStarted\), kept$/m);
    expect(stdout).not.toContain('…');
  });
});

test.each([
  [['--runs', '2', '--against', 'nope'], 'use a configuration file, or a preset: all-at-once'],
  [['--runs', '0'], '--runs: "0" is not allowed'],
  [['--runs', '1000001'], 'use a number of at most 1000000'],
  [['--seed', '9007199254740990'], '--seed: "9007199254740990" is not allowed; use a number of'],
  [['--faults', 'some'], '--faults'],
])('C04: %j is refused by name', async (args, message) => {
  const { code, stdout, stderr } = await onScenario(...args);

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
});

test('C04: a scenario that is not there is refused by name', async () => {
  const args = ['rehearse', 'shop', '--version', '2', '--scenario', '/nowhere.json'];
  const { code, stderr } = await runHere(args, {});

  expect(code).toBe(2);
  expect(stderr).toContain('--scenario: Cannot read /nowhere.json');
});

test('C04: a runtime that the scenario does not have is refused', async () => {
  const { code, stderr } = await rehearse('shoq', '--version', '2', '--scenario', file);

  expect(code).toBe(2);
  expect(stderr).toContain('runtime-id: "shoq" is not in');
});
