import { describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { createProgram } from '../../../lib/commands/program.ts';
import { ErrorName } from '../../../lib/domain/errors.ts';
import type { Outcome, OutcomeKind } from '../../../lib/domain/rollout/outcome.ts';
import type { FailureKind } from '../../../lib/domain/rollout/policy.ts';
import type { LeftToDo } from '../../../lib/telling/story/fates.ts';
import { hintsAfter, hintsFor, stepsAfter } from '../../../lib/telling/words/errors.ts';
import { recordOf } from '../../domain/examples.ts';

const SHOW = 'To see what was done: "steproll rollout show r-1"';
const REST = 'To roll what is left: "steproll rollout retry r-1"';
const AGAIN = 'To start it again: "steproll rollout retry r-1"';
const NEWER = 'To roll a newer version: "steproll rollout start shop --version N"';
const BACK = 'To take back what was rolled: "steproll rollout revert r-1"';
const TRY = 'To try again, once the cause is gone: "steproll rollout retry r-1"';
const CHANGED = {
  toRoll: 'something',
  toTakeBack: false,
  wasToGoBack: false,
  isAnyChanged: true,
  isPolicyKnown: true,
} as const;
const { program, runnables } = createProgram('1.0.0');

describe('the way on', () => {
  test.each<[ErrorName, readonly string[]]>([
    [ErrorName.DowngradeRefused, ['--allow-downgrade']],
    [ErrorName.WavePinned, ['hold list']],
    [ErrorName.AttributeUnknown, ['endpoint list', 'wire.endpoint.attributes', '--waves']],
    [ErrorName.VersionStepRefused, ['--max-version-step']],
    [ErrorName.PlanChanged, ['rollout plan', '--plan']],
    [ErrorName.LeaseHeld, ['rollout show ID', 'rollout watch ID', 'rollout abort ID']],
    [ErrorName.LeaseLost, ['rollout list']],
    [ErrorName.OutsideWindow, ['rollout retry ID --any-time']],
    [ErrorName.GateUnanswerable, ['config check']],
    [ErrorName.GateRed, ['config check', '"redAtStart": "ignore"']],
    [ErrorName.EmptyScope, ['endpoint list', '--select', '--exclude']],
    [ErrorName.VersionUnknown, ['--version-from id:ID', '--version N']],
    [ErrorName.RolloutClosed, ['rollout show ID']],
    [ErrorName.RolloutNotFound, ['rollout list', '--engine']],
    [ErrorName.ApprovalNotWanted, ['rollout show ID']],
    [ErrorName.NotUnderstood, ['rollout abort ID']],
    [ErrorName.PortUnavailable, ['--port']],
  ])('from %s is one line, in the words of the command line', (name, words) => {
    const hints = hintsFor(name, { rolloutId: 'ID', runtimeId: 'RUNTIME' });
    expect(hints).toHaveLength(1);
    for (const word of words) expect(hints[0]).toContain(word);
  });

  test('is to be typed as it stands there: with the rollout, and where it runs', () => {
    const about = { rolloutId: 'r-1', engine: ' --engine aws --stack Prod' };
    expect(hintsFor(ErrorName.LeaseHeld, about)).toEqual([
      'To see that rollout: "steproll rollout show r-1 --engine aws --stack Prod"; to follow it: "steproll rollout watch r-1 --engine aws --stack Prod"; to end it: "steproll rollout abort r-1 --engine aws --stack Prod".',
    ]);
    expect(hintsFor(ErrorName.LeaseLost, about)).toEqual([
      expect.stringContaining('"steproll rollout list --engine aws --stack Prod"'),
    ]);
    expect(hintsFor(ErrorName.LeaseLost, { ...about, runtimeId: 'shop' })).toEqual([
      expect.stringContaining('"steproll rollout list shop --engine aws --stack Prod"'),
    ]);
    expect(hintsFor(ErrorName.DowngradeRefused, about)).toEqual([
      expect.stringContaining(
        '"steproll rollout start --version N --allow-downgrade --engine aws --stack Prod"',
      ),
    ]);
    expect(hintsFor(ErrorName.Held, about)).toEqual([
      expect.stringContaining('"steproll hold list --engine aws --stack Prod"'),
    ]);
    // The endpoints are the service's, wherever rollouts run.
    expect(hintsFor(ErrorName.EmptyScope, about)).toEqual([
      expect.stringContaining('list --all";'),
    ]);
  });

  test.each<[ErrorName, string]>([
    [
      ErrorName.DowngradeRefused,
      'If it is meant, start a new rollout: "steproll rollout start shop --version 7 --allow-downgrade".',
    ],
    [
      ErrorName.VersionStepRefused,
      'If it is meant, start a new rollout: "steproll rollout start shop --version 7 --max-version-step STEP".',
    ],
    [
      ErrorName.Quarantined,
      'If it is meant, start it by hand: "steproll rollout start shop --version 7 --again".',
    ],
    [
      ErrorName.GateUnanswerable,
      'To try all of a configuration: "steproll config check prod.json".',
    ],
    [ErrorName.OutsideWindow, 'If it cannot wait: "steproll rollout retry r-1 --any-time".'],
  ])('from %s names no place to fill in whose value is known', (name, hint) => {
    const about = { rolloutId: 'r-1', runtimeId: 'shop', version: 7, config: 'prod.json' };
    expect(hintsFor(name, about)).toEqual([hint]);
  });

  test('lists no endpoints of a group', () => {
    expect(hintsFor(ErrorName.EmptyScope, { runtimeId: 'group:prod' })).toEqual([]);
  });

  test('is the list, where it is not known which rollout it is', () => {
    expect(hintsFor(ErrorName.LeaseHeld, { runtimeId: 'shop', engine: ' --engine aws' })).toEqual([
      'To find that rollout: "steproll rollout list shop --engine aws".',
    ]);
  });

  test.each<[OutcomeKind, FailureKind | null, string, LeftToDo['toRoll'], boolean, string[]]>([
    ['Succeeded', null, 'Converged', 'nothing', false, []],
    // What helps most comes first.
    ['Failed', 'stuck', 'Stalled', 'something', true, [BACK, TRY, SHOW]],
    ['Failed', 'stuck', 'Stalled', 'something', false, [TRY, SHOW]],
    ['Failed', 'stuck', 'Stalled', 'nothing', true, [BACK, NEWER, SHOW]],
    ['Failed', 'bad', 'GateFailed', 'something', true, [BACK, NEWER, SHOW]],
    ['Failed', 'bad', 'Rejected', 'something', false, [NEWER, SHOW]],
    ['Failed', 'bad', 'ApprovalTimedOut', 'something', true, [REST, BACK, SHOW]],
    ['Refused', null, 'StaleTrigger', 'unplanned', false, [AGAIN, SHOW]],
    ['Errored', null, 'GateUnknown', 'something', true, [BACK, REST, SHOW]],
    ['Errored', null, 'UpstreamAuth', 'something', true, [REST, BACK, SHOW]],
    ['Errored', null, 'UpstreamAuth', 'nothing', false, [SHOW]],
    ['Errored', null, 'UpstreamTimeout', 'unplanned', false, [AGAIN, SHOW]],
    ['Aborted', null, 'Aborted', 'something', true, [BACK, REST, SHOW]],
    ['Aborted', null, 'Aborted', 'nothing', false, [SHOW]],
    ['Aborted', null, 'Aborted', 'unplanned', false, [AGAIN, SHOW]],
    ['Superseded', null, 'Overtaken', 'something', true, [SHOW]],
  ])(
    'after %s, %s (%s), with %s left to roll',
    (outcome, failure, reason, toRoll, toTakeBack, hints) => {
      const ending = {
        outcome,
        reason,
        cleanup: 'none',
        message: '',
        ...(failure && { failure }),
      } as const;
      const about = { rolloutId: 'r-1', runtimeId: 'shop' };
      const [line = ''] = hintsAfter(ending, { ...CHANGED, toRoll, toTakeBack }, about);
      const told = line === '' ? [] : line.replace(/\.$/, '').split('; ');
      expect(told.map((one) => one.toLowerCase())).toEqual(hints.map((one) => one.toLowerCase()));
      expect(line).toMatch(/^$|^To .*"\.$/);
    },
  );

  test('after a rollout that ended before it began is the command for that', () => {
    const ending = {
      outcome: 'Refused',
      reason: 'OutsideWindow',
      cleanup: 'none',
      message: '',
    } as const;
    const left = { ...CHANGED, toRoll: 'unplanned' } as const;
    expect(hintsAfter(ending, left, { rolloutId: 'r-1', runtimeId: 'shop' })).toEqual([
      'If it cannot wait: "steproll rollout retry r-1 --any-time".',
    ]);
  });

  test.each([
    [ErrorName.LeaseHeld, ['steproll rollout list shop']],
    [ErrorName.OutsideWindow, ['steproll rollout retry rollout-1 --any-time']],
    [ErrorName.InOtherHands, ['steproll agent runtime endpoint list shop', null]],
  ])('after %s stands one by one in the record, each with its command', (reason, commands) => {
    const ending = { outcome: 'Failed', reason, cleanup: 'none', message: '' } as const;
    const steps = stepsAfter({ ...recordOf([]), outcome: ending }, '');
    expect(steps.map(({ command }) => command)).toEqual(commands);
    for (const { purpose } of steps) expect(purpose).not.toContain('steproll');
  });

  test('after a way back that broke off is to go back, and not to roll the version on', () => {
    const ending = {
      outcome: 'Errored',
      reason: 'TypeError',
      cleanup: 'incomplete',
      message: '',
    } as const;
    const left = { ...CHANGED, toTakeBack: true, wasToGoBack: true } as const;
    const [line = ''] = hintsAfter(ending, left, { rolloutId: 'r-1', runtimeId: 'shop' });
    expect(line).toContain('rollout revert r-1');
    expect(line).not.toContain('rollout retry');
  });

  test('after a version that is in quarantine say how to lift that', () => {
    const ending = { outcome: 'Failed', reason: 'GateFailed', failure: 'bad' } as Outcome;
    const left = { ...CHANGED, quarantine: 'after-r-1' };
    const [line = ''] = hintsAfter(ending, left, { rolloutId: 'r-1', runtimeId: 'shop' });
    expect(line).toContain('"steproll hold lift after-r-1 --reason WHY"');
  });

  test('after an abort that has left nothing behind is a fresh start, and no rest', () => {
    const ending = { outcome: 'Aborted', reason: 'Aborted', cleanup: 'rolledBack', message: '' };
    const left = { ...CHANGED, isAnyChanged: false };
    const about = { rolloutId: 'r-1', runtimeId: 'shop' };
    const [line = ''] = hintsAfter(ending as Outcome, left, about);
    expect(line).toMatch(/^To start it afresh, .*: "steproll rollout retry r-1"; /);
    expect(line).not.toContain('what is left');
  });

  test('has no code in the id of a rollout', () => {
    expect(hintsFor(ErrorName.RolloutClosed, { rolloutId: '$&\u001b[2J' })).toEqual([
      expect.stringContaining(`"steproll rollout show '$&\u{FFFD}[2J'".`),
    ]);
  });

  test('is not said where the error says it itself, or is none of ours', () => {
    expect(
      [ErrorName.InvalidInput, ErrorName.NothingToRetry, 'TypeError'].flatMap((name) =>
        hintsFor(name, {}),
      ),
    ).toEqual([]);
  });

  test('names only commands and options that there are', () => {
    const hints = Object.values(ErrorName).flatMap((name) =>
      hintsFor(name, { rolloutId: 'ID', runtimeId: 'RUNTIME' }),
    );
    const commands = hints.flatMap((hint) =>
      [...hint.matchAll(/"steproll ([a-z ]+)/g)].map(([, words = '']) => words.trim()),
    );
    const options = hints.flatMap((hint) => hint.match(/--[a-z-]+/g) ?? []);
    const known = runnables.map(([command]) => command);
    expect(known.map(nameOf)).toEqual(expect.arrayContaining(commands));
    expect(known.flatMap(optionsOf)).toEqual(expect.arrayContaining(options));
    expect(commands.length).toBeGreaterThan(0);
  });
});

function nameOf(command: Command): string {
  return command === program ? '' : `${nameOf(command.parent as Command)} ${command.name()}`.trim();
}

function optionsOf(command: Command): string[] {
  return command.options.flatMap(({ long }) => (long ? [long] : []));
}
