import { describe, expect, test } from '@jest/globals';
import { NeverBegun } from '../../../lib/cli/engine/engine.ts';
import type { EndedRollout } from '../../../lib/cli/rollout/result.ts';
import { type Watching, watchRollout } from '../../../lib/cli/rollout/watch.ts';
import { ErrorName, SteprollError } from '../../../lib/domain/errors.ts';
import type { OutcomeKind } from '../../../lib/domain/rollout/outcome.ts';
import type { RolloutRecord } from '../../../lib/domain/rollout/record.ts';
import { leaseHeld } from '../../../lib/ledger/refusals.ts';
import { recordOf } from '../../domain/examples.ts';
import { captureOutput } from '../../support/capture-output.ts';

function endedAs(kind: OutcomeKind): RolloutRecord {
  const outcome = { outcome: kind, cleanup: 'none', reason: 'r', message: 'm' } as const;
  return { ...recordOf(), startedAt: 1_000, endedAt: 63_000, outcome };
}

const HELD = ['other-1', '84b7'].map((rolloutId) => ({
  rolloutId,
  runtimeId: 'shop',
  epoch: 1,
  leaseUntil: 0,
}));

/** The exit code, what was printed, and all output, of watching what the ledger says. */
async function watch(read: () => Promise<RolloutRecord>, said: Partial<Watching> = {}) {
  let code: number | undefined;
  const printed: EndedRollout[] = [];
  let ends = 0;
  const output = await captureOutput(async () => {
    code = await watchRollout({
      rolloutId: 'rollout-1',
      ledger: { read, listHeld: async () => HELD },
      how: { '--output': 'table', '--engine': 'aws', '--stack': 'Prod' },
      describeWaiting: async () => null,
      isAbandoned: async () => false,
      view: {
        update() {},
        note() {},
        end() {
          ends += 1;
        },
      },
      print: (ended) => void printed.push(ended),
      signal: new AbortController().signal,
      ...said,
    });
  });
  expect(ends).toBe(1);
  return { code, printed, output };
}

describe('watching a rollout', () => {
  test('of a dead process ends with 3 and says how to go on, when nobody wants to wait for ever', async () => {
    const { code, printed, output } = await watch(async () => recordOf(), {
      isAbandoned: async () => true,
      abandonedMs: 0,
    });
    expect(code).toBe(3);
    expect(printed).toEqual([]);
    expect(output).toContain('steproll rollout resume rollout-1 --engine aws --stack Prod');
  });

  test.each<[OutcomeKind, number]>([
    ['Succeeded', 0],
    ['Failed', 1],
    ['Superseded', 1],
    ['Errored', 3],
    ['Aborted', 130],
  ])('that ends as %s ends with %i, and prints the result', async (kind, code) => {
    expect(await watch(async () => endedAs(kind))).toMatchObject({
      code,
      printed: [
        { rolloutId: 'rollout-1', version: 3, outcome: { outcome: kind }, elapsedMs: 62_000 },
      ],
      output: '',
    });
  });

  test('C10: that is left ends with 130 and says how to come back', async () => {
    const signal = AbortSignal.abort();
    expect(await watch(async () => recordOf(), { signal })).toEqual({
      code: 130,
      printed: [],
      output: `Detached. The rollout was not touched.
To see how it goes on:
  steproll rollout watch rollout-1 --engine aws --stack Prod
`,
    });
  });

  test('C11: that cannot be read any more ends with 3, never with 0', async () => {
    const clock = ticking(600_000);
    const error = new SteprollError(ErrorName.LedgerUnavailable, 'Away.');
    const { code, printed, output } = await watch(() => Promise.reject(error), { clock });
    expect({ code, printed }).toEqual({ code: 3, printed: [] });
    expect(output).toBe(`LedgerUnavailable: Away.
How it goes on is not known. To see how it goes on:
  steproll rollout watch rollout-1 --engine aws --stack Prod
`);
  });

  test('C11: without access ends with 3, and says what to do', async () => {
    const cause = Object.assign(new Error('no'), { name: 'AccessDeniedException' });
    const error = new SteprollError(ErrorName.LedgerUnavailable, 'Refused.', { cause });
    const { code, output } = await watch(() => Promise.reject(error));
    expect({ code, output }).toEqual({
      code: 3,
      output: expect.stringMatching(/^LedgerUnavailable: Refused\.\nHave this permission added/),
    });
  });

  test.each([
    ['Failed', ErrorName.RolloutFailed, 1],
    ['Errored', ErrorName.UpstreamAuth, 3],
    ['Aborted', ErrorName.RolloutFailed, 130],
  ] as const)(
    'that never began and ended as %s (%s) ends with %i',
    async (outcome, reason, code) => {
      const unknown = new SteprollError(ErrorName.RolloutNotFound, 'Unknown.');
      const ended = new NeverBegun({ outcome, reason }, 'That is why.');
      const describeWaiting = () => Promise.reject(ended);
      expect(await watch(() => Promise.reject(unknown), { describeWaiting })).toEqual({
        code,
        printed: [],
        output: `${reason}: That is why.\n`,
      });
    },
  );

  test('that was refused says the way on', async () => {
    const unknown = new SteprollError(ErrorName.RolloutNotFound, 'Unknown.');
    const refused = { outcome: 'Refused', reason: ErrorName.LeaseHeld } as const;
    const why = leaseHeld('shop', '84b7', 0).message;
    const describeWaiting = () => Promise.reject(new NeverBegun(refused, why));
    const { output } = await watch(() => Promise.reject(unknown), { describeWaiting });
    expect(output).toBe(
      `LeaseHeld: ${why}\nTo see that rollout: "steproll rollout show 84b7 --engine aws --stack Prod"; to follow it: "steproll rollout watch 84b7 --engine aws --stack Prod"; to end it: "steproll rollout abort 84b7 --engine aws --stack Prod".\n`,
    );
  });

  test('that was refused because of one that has ended meanwhile says how to find it', async () => {
    const unknown = new SteprollError(ErrorName.RolloutNotFound, 'Unknown.');
    const refused = { outcome: 'Refused', reason: ErrorName.LeaseHeld } as const;
    const why = leaseHeld('shop', 'ended', 0).message;
    const describeWaiting = () => Promise.reject(new NeverBegun(refused, why));
    const { output } = await watch(() => Promise.reject(unknown), { describeWaiting });
    expect(output).toBe(
      `LeaseHeld: ${why}\nTo find that rollout: "steproll rollout list --engine aws --stack Prod".\n`,
    );
  });

  test('that was refused after its start says the way on, on the same engine', async () => {
    const refused = { ...endedAs('Failed').outcome, reason: ErrorName.LeaseLost };
    const record = { ...endedAs('Failed'), outcome: refused } as RolloutRecord;
    const output = await captureOutput(async () => {
      await watchRollout({
        rolloutId: 'rollout-1',
        ledger: { read: async () => record, listHeld: async () => HELD },
        how: { '--output': 'table', '--engine': 'aws', '--stack': 'Prod' },
        describeWaiting: async () => null,
        isAbandoned: async () => false,
        view: { update() {}, note() {}, end() {} },
        signal: new AbortController().signal,
      });
    });
    expect(output).toContain('"steproll rollout list shop --engine aws --stack Prod".\n');
  });

  test('that nobody knows ends with 3, and says where to look', async () => {
    const error = new SteprollError(ErrorName.RolloutNotFound, 'Unknown.');
    const clock = ticking(600_000);
    const { code, output } = await watch(() => Promise.reject(error), { clock });
    expect(code).toBe(3);
    expect(output).toBe(`RolloutNotFound: The ledger knows no rollout "rollout-1".
To see what there is:
  steproll rollout list --engine aws --stack Prod
`);
  });

  test("whose record is of another version: the error is the command's", async () => {
    const error = new SteprollError(ErrorName.IncompatibleState, 'Of another version.');
    await expect(watch(() => Promise.reject(error))).rejects.toBe(error);
  });
});

/** A clock that goes on by so much whenever it is asked, and never sleeps. */
function ticking(milliseconds: number) {
  let now = 0;
  return {
    now: () => {
      now += milliseconds;
      return now;
    },
    sleep: async () => {},
  };
}
