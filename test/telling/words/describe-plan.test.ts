import { describe, expect, test } from '@jest/globals';
import type { DrawnPlan } from '../../../lib/domain/planning/drawn-plan.ts';
import { DEFAULT_POLICY } from '../../../lib/domain/rollout/default-policy.ts';
import type { LeftOutEndpoint } from '../../../lib/domain/rollout/plan.ts';
import { jsonLine } from '../../../lib/telling/text.ts';
import { describeAhead, describeNotBack, describePlan } from '../../../lib/telling/words/plan.ts';
import { planBackOf, planned, planOf, policyOf } from '../../domain/examples.ts';
import { openWindow } from '../../domain/turn/examples.ts';

const leftOut: readonly LeftOutEndpoint[] = [
  { endpointId: 'c', name: null, reason: 'stopped' },
  { endpointId: 'd', name: 'web-d', reason: 'at-version' },
  { endpointId: 'e', name: 'web-e', reason: 'not-selected' },
];

function drawn(said: Partial<DrawnPlan> = {}): DrawnPlan {
  return {
    endpointUrl: 'https://endpoints.example.com',
    runtimeId: 'shop',
    desiredVersion: 3,
    isBeingMade: false,
    policy: policyOf(),
    plan: planOf([1, 2], { leftOut, maxUnavailable: 1 }),
    unanswerable: [],
    matches: [],
    words: [],
    fingerprint: '0123456789abcdef',
    ...said,
  };
}

describe('a plan in lines', () => {
  test('says which status words came that the policy does not know, and what they are taken for', () => {
    const serving = { word: 'ACTIVE', means: 'serving', endpoints: 2 } as const;
    const green = { word: 'GREEN (*)', means: 'at-rest', endpoints: 1 } as const;
    const odd = { word: 'SHIFTING', means: 'unknown', endpoints: 1 } as const;
    const lineIn = (words: DrawnPlan['words']) =>
      describePlan(drawn({ words })).find((line) => line.startsWith('  Status words: '));

    expect(lineIn([serving])).toBeUndefined();
    expect(lineIn([green, odd, serving])).toBe(
      '  Status words: GREEN (*) (at rest, because endpoints at rest show it) on 1, SHIFTING (nobody knows) on 1, ACTIVE (serving) on 2: a version that is live with a word that nobody knows is waited for, up to the progress deadline; say in statuses.failed which words mean that it is broken',
    );
  });

  test('says whom the words of its policy mean, first those that mean nobody, and of many only some', () => {
    const endpoints = [{ endpointId: 'a', label: 'web-a' }];
    const matchOf = (index: number, isMet: boolean) => ({
      ...{ place: `protect[${index}]`, word: `w${index}`, unseen: 0, meant: null },
      endpoints: isMet ? endpoints : [],
    });
    const met = Array.from({ length: 12 }, (_, index) => matchOf(index, true));
    const lines = describePlan(drawn({ matches: [...met, matchOf(12, false)] }));
    const from = lines.indexOf('  Named in the policy:');
    expect(lines.slice(from, from + 3)).toEqual([
      '  Named in the policy:',
      '    protect[12]: "w12" matches no endpoint',
      '    protect[0]: "w0" matches 1 endpoint (web-a)',
    ]);
    expect(lines[from + 12]).toBe('    and 2 more that match some');
    expect(lines[from + 13]).toMatch(/^ {2}\S/);
    expect(describePlan(drawn())).not.toContain('  Named in the policy:');
  });

  test('says what is rolled, what is left alone, and how', () => {
    expect(describePlan(drawn())).toEqual([
      'Plan 0123456789abcdef: shop to version 3, 3 of 6 endpoints in 2 waves',
      '  Service: https://endpoints.example.com',
      '  Wave 1: 1 (web-1), bake 5 min',
      '  Wave 2: 2 (web-2, web-3), bake 5 min',
      '  1 of the 3 waves of the policy adds nothing here; the longest bake is kept',
      '  At the version already: 1 (web-d)',
      '  Stopped already: 1 (c)',
      '  Not selected: 1 (web-e)',
      '  At most 1 in mid-roll at once, progress deadline 10 min',
      '  If an endpoint gets stuck: what was rolled and is not live on the version is stopped, where that is safe (stop-old)',
      '  If the version is bad: what was rolled goes back to the versions before (roll-back)',
      '  Nothing checks whether version 3 works: it counts as good when it is live',
    ]);
  });

  test('says the bake of each wave, and the policy as it is', () => {
    const [first] = planOf([1]).waves;
    const plan = planOf([1], { waves: first ? [{ ...first, bakeSeconds: 0 }] : [] });
    const policy = policyOf({
      onFailure: 'roll-back',
      progressDeadlineSeconds: 90,
      waves: [{ endpoints: 1 }, { percent: 100 }],
    });
    expect(describePlan(drawn({ plan, policy }))).toEqual([
      'Plan 0123456789abcdef: shop to version 3, 1 of 1 endpoints in 1 wave',
      '  Service: https://endpoints.example.com',
      '  Wave 1: 1 (web-1), bake 0 s',
      '  1 of the 2 waves of the policy adds nothing here; the longest bake is kept',
      '  At most 1 in mid-roll at once, progress deadline 1 min 30 s',
      '  If an endpoint gets stuck: what was rolled goes back to the versions before (roll-back)',
      '  If the version is bad: what was rolled goes back to the versions before (roll-back)',
      '  Nothing checks whether version 3 works: it counts as good when it is live',
    ]);
  });

  test('says why there is nothing to do', () => {
    expect(describePlan(drawn({ plan: planOf([], { leftOut }) }))).toEqual([
      'Plan: nothing to do for version 3',
      '  Service: https://endpoints.example.com',
      '  At the version already: 1 (web-d)',
      '  Stopped already: 1 (c)',
      '  Not selected: 1 (web-e)',
    ]);
  });

  test('says nothing of a service that an older record does not have', () => {
    expect(describePlan(drawn({ endpointUrl: undefined })).join()).not.toContain('Service');
  });

  test('says what else is not as by default: what a configuration has weakened is seen', () => {
    const policy = policyOf({
      minServing: 0,
      protect: ['web-*'],
      allowDowngrade: true,
      failureThreshold: { percent: 50 },
      statuses: { ...DEFAULT_POLICY.statuses, failed: ['ACTIVE\u202e'] },
    });
    const lines = describePlan(drawn({ policy }));
    const byDefault = jsonLine(DEFAULT_POLICY.minServing);
    expect(lines.slice(lines.indexOf('  Not as by default:') + 1)).toEqual([
      '    failureThreshold: {"percent":50} instead of {"endpoints":0}',
      `    minServing: 0 instead of ${byDefault}`,
      '    protect: ["web-*"] instead of []',
      '    allowDowngrade: true instead of false',
      '    statuses.failed: ["ACTIVE\\u202e"] instead of ["ERROR","FAILED","*_FAILED","*_ERROR"]',
    ]);
  });

  test('names the first five of a large wave, and counts the rest', () => {
    expect(describePlan(drawn({ plan: planOf([7]) }))[2]).toBe(
      '  Wave 1: 7 (web-1, web-2, web-3, web-4, web-5 and 2 more), bake 5 min',
    );
  });

  test('C11: neither a runtime nor a name can send escape codes to the terminal', () => {
    const plan = planOf([1], { endpoints: [planned('a', { name: '\u001b[2J' })] });
    const lines = describePlan(drawn({ plan, runtimeId: '\u001b[31mshop' }));
    expect(lines.join('')).not.toContain('\u001b');
  });
});

describe('a plan that somebody is to agree to', () => {
  const estimate = {
    ...{ seconds: 1_020, bakeSeconds: 900, rounds: 5, roundSeconds: 12, learnedFrom: 3 },
    ...{ rolls: 3, listReads: 37, transitions: 105, lambdaCalls: 37, waves: [], waits: [] },
  };
  const at = Date.UTC(2026, 10, 23, 9);
  const endsAt = Date.UTC(2026, 10, 23, 9, 17);
  const windows = { faults: [], doubts: [] };
  const besides = { ahead: null, windows, unsaid: [] };

  test('names where the URL is from, and says when it would begin and end', () => {
    const preview = { ...besides, estimate, begin: { at, endsAt, message: null } };
    const lines = describeAhead(drawn(), preview, { source: 'prod.json, endpointUrl' });
    expect(lines[1]).toBe('  Service: https://endpoints.example.com, from prod.json, endpointUrl');
    expect(lines).toContain('  Begins at once, ends about 2026-11-23 09:17:00Z');
    expect(lines.at(-1)).toMatch(/^ {2}About 3 writes/);
  });

  test('says what it waits for until when, and that approvals come on top', () => {
    const approval = { timeoutSeconds: 60, onTimeout: 'reject' } as const;
    const policy = policyOf({ verify: { probe: null, alarms: [], metrics: [], approval } });
    const preview = { ...besides, estimate, begin: { at, endsAt, message: 'Frozen: it waits.' } };
    const lines = describeAhead(drawn({ policy }), preview, { source: 'x' });
    const from = lines.findIndex((line) => line.startsWith('  Begins'));
    expect(lines.slice(from, from + 2)).toEqual([
      '  Begins 2026-11-23 09:00:00Z, ends about 2026-11-23 09:17:00Z, when approvals come at once',
      '    Frozen: it waits.',
    ]);
  });

  test('says that nobody knows when it ends, where the time of a roll is not known', () => {
    const unknown = {
      seconds: null,
      waves: null,
      waits: null,
      roundSeconds: null,
      learnedFrom: 0,
    } as const;
    const preview = {
      ...besides,
      estimate: { ...estimate, ...unknown },
      begin: { at, endsAt: null, message: null },
    };
    const lines = describeAhead(drawn(), preview, { source: 'x' });
    expect(lines).toContain('  Begins at once; nobody knows when it ends');
  });

  test('says when each wave can begin, and how long the runtime is taken, where windows bind rolls', () => {
    const office = openWindow({ days: ['mon', 'tue'], timeZone: 'Europe/Berlin' });
    const policy = policyOf({ windowsBind: 'rolls', windows: [office] });
    const ahead = { beginAt: [at, Date.UTC(2026, 10, 24, 8)], takenUntil: at + 24 * 3_600_000 };
    const doubt = 'Wave 1: its longest window lasts 7h; nobody knows whether a roll fits into that';
    const preview = {
      ...{ estimate, ahead, windows: { faults: [], doubts: [doubt] }, unsaid: [] },
      begin: { at, endsAt, message: null },
    };
    const lines = describeAhead(drawn({ policy }), preview, { source: 'x' });
    expect(lines).toEqual(
      expect.arrayContaining([
        '  Windows: mon, tue 09:00 to 16:00 Europe/Berlin',
        '  Windows and freezes hold back every roll forward',
        '    Wave 1 can begin about 2026-11-23 09:00Z (mon 2026-11-23 10:00 Europe/Berlin)',
        '    Wave 2 can begin about 2026-11-24 08:00Z (tue 2026-11-24 09:00 Europe/Berlin)',
        '    The runtime is taken for about 24 h, until 2026-11-24 09:00:00Z',
        `    ${doubt}`,
      ]),
    );
    const bound = { ...preview, ahead: null };
    expect(describeAhead(drawn({ policy }), bound, { source: 'x' }).join()).not.toMatch(
      /can begin/,
    );
  });

  test('says that a start now would be refused', () => {
    const preview = {
      ...besides,
      estimate,
      begin: { at: null, endsAt: null, message: 'LeaseHeld: No.' },
    };
    expect(describeAhead(drawn(), preview, { source: 'x' })).toContain(
      '  A start now: LeaseHeld: No.',
    );
  });

  test('says that the version is still being made', () => {
    const preview = { ...besides, estimate, begin: { at, endsAt, message: null } };
    const line = '  The version is still being made: a rollout waits for it before it begins';
    expect(describeAhead(drawn({ isBeingMade: true }), preview, { source: 'x' })).toContain(line);
    expect(describeAhead(drawn(), preview, { source: 'x' })).not.toContain(line);
  });

  test('says nothing of time where there is nothing to do', () => {
    const preview = { ...besides, estimate, begin: { at, endsAt, message: null } };
    const lines = describeAhead(drawn({ plan: planOf([], { leftOut }) }), preview, { source: 'x' });
    expect(lines.join()).not.toMatch(/Begins|About/);
  });
});

describe('the way back in lines', () => {
  test('says who does not go back and why; the rest is told by what happens', () => {
    const plan = planBackOf(2, {
      leftOut: [
        { endpointId: 'x', name: 'web-x', reason: 'moved' },
        { endpointId: 'y', name: null, reason: 'previous-unknown' },
      ],
    });
    expect(describeNotBack(plan)).toEqual([
      'Not rolled back:',
      '  Elsewhere or gone by now: 1 (web-x)',
      '  Without a known previous version: 1 (y)',
    ]);
    expect(describeNotBack(planBackOf(2))).toEqual([]);
  });
});
