import { existsSync, readFileSync } from 'node:fs';
import type { Patch } from './hunt.ts';

/** A defect that the product once had, put back into today's code. */
export interface PastDefect {
  readonly name: string;
  readonly file: string;
  readonly mended: string;
  readonly defect: string;
  /**
   * Why it cannot be put back into the code of today. What is kept of it in the corpus counts all the same.
   *
   * @default - it can
   */
  readonly retired?: string;
  /**
   * The unit test that it fails, as `file: title`: no rollout was found that ends otherwise by it, or writes more.
   *
   * @default - a rollout of the corpus shows it
   */
  readonly heldBy?: string;
}

export const PAST_DEFECTS: readonly PastDefect[] = [
  {
    name: 'An endpoint that is lost took its progress away from the deadline of the others',
    file: 'lib/domain/endpoint/observation.ts',
    mended: 'return Math.max(rankOf(observation), observation.furthest ?? 0);',
    defect: 'return rankOf(observation);',
  },
  {
    name: 'The deadline ran while a roll was waited for that may never have been sent',
    file: 'lib/domain/wave/progress.ts',
    mended: 'reached > before.furthest || isTooEarly;',
    defect: 'reached > before.furthest;',
  },
  {
    name: 'An outcome was stored that had not heard the last abort',
    file: 'lib/steps/close-rollout.ts',
    mended: 'clock.now(), record.signals)',
    defect: 'clock.now())',
  },
  {
    name: 'A process that had stood still stopped endpoints without another look',
    file: 'lib/domain/writes/next-write.ts',
    mended:
      'if (!isFresh(known.at.at, now) || !isFresh(heardAt, now)) return noteAnswers(writes, sending);',
    defect: '',
  },
  {
    name: 'A deadline rang only at the look after it was due',
    file: 'lib/domain/wave/polls.ts',
    mended: 'Math.min(withinPolls(idle, policy), leftSeconds)',
    defect: 'withinPolls(idle, policy)',
  },
  {
    name: 'An endpoint that had failed on the version counted as being at it',
    file: 'lib/domain/planning/plan-rollout.ts',
    mended: "return isConverged(endpoint, desiredVersion, statuses) ? 'at-version' : undefined;",
    defect: "return endpoint.liveVersion === desiredVersion ? 'at-version' : undefined;",
  },
  {
    name: 'An endpoint was stopped that somebody had moved back before the first read',
    file: 'lib/domain/containment/decide-stop.ts',
    mended: "if (wasReverted(evidence, endpoint)) return 'moved';",
    defect: '',
  },
  {
    name: 'A refused second roll took the first one back',
    file: 'lib/domain/endpoint/rolls.ts',
    mended: "return possible > 0 || result === 'accepted'",
    defect: "return result === 'accepted'",
  },
  {
    name: 'A rollout that had told that it fails succeeded after all when it was resumed',
    file: 'lib/domain/decision/decision.ts',
    mended: "if (failing === undefined || legOf(plan).after === 'close') return undefined;",
    defect:
      "if (failing === undefined || failing.kind === 'failing' || legOf(plan).after === 'close') return undefined;",
  },
  {
    name: 'More endpoints were rolled on at once than may be in mid-roll',
    file: 'lib/domain/decision/next-rolls.ts',
    mended: 'let roomToTurn = plan.maxUnavailable - sent;',
    defect:
      'let roomToTurn = undoes !== null ? plan.maxUnavailable - sent : Number.POSITIVE_INFINITY;',
  },
  {
    name: 'More was rolled while the list did not show the versions of earlier waves',
    file: 'lib/domain/decision/next-rolls.ts',
    mended: '!isShownConverged(each)',
    defect: "each.state !== 'converged'",
  },
  {
    name: 'A list that lacked most of the fleet was believed',
    file: 'lib/steps/io/read-list.ts',
    mended: 'if (there >= known.length * LEAST_SHARE) return undefined;',
    defect: 'if (there >= 0) return undefined;',
  },
  {
    name: 'A lost roll was repeated only when a clock that went back had caught up',
    file: 'lib/domain/clock.ts',
    mended: 'return { at: now, watched: last.watched + (isLikely ? passedMs : waitedMs) };',
    defect: `return passedMs < 0 ? last : { at: now, watched: last.watched + (isLikely ? passedMs : waitedMs) };`,
  },
  {
    name: 'A step that crashed was tried again only where AWS calls the crash by certain names',
    file: 'lib/workflow/retry-policies.ts',
    mended: `export const READING_STEP_RETRY = [
  KNOWN_TO_LAST,
  AWAY,
  HUNG,
  { ErrorEquals: ['States.TaskFailed'], ...PATIENT },`,
    defect: `export const READING_STEP_RETRY = [
  KNOWN_TO_LAST,
  AWAY,
  { ErrorEquals: LAMBDA_TRANSIENT, ...PATIENT },`,
  },
  {
    name: 'An abort did not end a way back',
    file: 'lib/domain/signals/abort.ts',
    mended: "return goesBack ? undefined : { next: 'close', ending: null };",
    defect: 'return undefined;',
  },
  {
    name: 'The time for an approval ran while a gate was silent',
    file: 'lib/domain/wave/progress.ts',
    mended: 'isAsked && wasWell ?',
    defect: 'isAsked ?',
    heldBy:
      'test/domain/wave/wave-progress.test.ts: runs since somebody was asked, and while nothing keeps the wave',
  },
  {
    name: 'The time for an approval ran before anybody was asked, when the look that asks died',
    file: 'lib/domain/wave/progress.ts',
    mended: 'isAsked && wasWell',
    defect: 'wasWell',
  },
  {
    name: 'A wave that was live again at its deadline had stalled, without the read that confirms it',
    file: 'lib/domain/wave/hearing.ts',
    mended: 'doesAgree || isShownConverged(one)',
    defect: 'doesAgree',
  },
  {
    name: 'On the way back, a healthy endpoint went beside those in mid-roll because a list told no versions',
    file: 'lib/domain/endpoint/observation.ts',
    mended: "observation.state === 'converged' && wasConfirmed(observation)",
    defect: 'hasConverged(observation)',
  },
  {
    name: 'An endpoint of an earlier wave was not looked at, after two reads that spoke against it in two ways',
    file: 'lib/domain/containment/old-endpoints.ts',
    mended: 'wasConverged === true',
    defect: 'observation.reads < 2',
    heldBy:
      'test/domain/containment/find-old-endpoints.test.ts: in a wave that was verified, one read against an endpoint that was live may be old',
  },
  {
    name: 'The deadline ran while an endpoint that looked live had to be proven, because its roll had no answer',
    file: 'lib/domain/wave/hearing.ts',
    mended: '(isSent && reads < REGISTERING_READS) || isUnproven(one)',
    defect: 'isSent && reads < REGISTERING_READS',
  },
  {
    name: 'A wave was rolled although the list showed that somebody else had moved one of its endpoints',
    file: 'lib/steps/roll-batch.ts',
    mended: 'isWaveTaken(plan, from, byId, seen) || !(isHeld || wasHeld)',
    defect: '!(isHeld || wasHeld)',
  },
  {
    name: 'A metric was waited for as long as the clock had been ahead when its wave converged',
    file: 'lib/domain/wave/bake.ts',
    mended: 'Math.min(at, clock.at - (clock.watched - watched))',
    defect: 'Math.min(at, clock.at)',
  },
  {
    name: 'An undone rollout filled its waves in the order of another plan',
    file: 'lib/domain/planning/plan-revert.ts',
    mended: 'sortByName(planned, ({ endpointId }) => endpointId)',
    defect: 'planned',
    heldBy:
      'test/domain/planning/plan-revert.test.ts: fills waves in the order of the names, whatever order the waves of the plan had',
  },
  {
    name: 'After a gate that was silent up to the deadline, a slow list took away the read that confirms',
    file: 'lib/domain/wave/hearing.ts',
    mended: 'silence: ({ isDue }) => isDue,',
    defect: 'silence: () => true,',
  },
  {
    name: 'The minute after which an earlier target is that of somebody else had begun before the target was shown',
    file: 'lib/domain/endpoint/observe-endpoint.ts',
    mended: 'before?.state === state ? before.since : undefined',
    defect: 'before?.since',
    heldBy:
      'test/domain/endpoint/observe-endpoint.test.ts: X06: the minute begins with the first read that shows the earlier target',
  },
  {
    name: 'A clock that jumped made an old answer older, so it was believed',
    file: 'lib/domain/clock.ts',
    mended: 'isLikely ? passedMs : waitedMs',
    defect: 'passedMs',
  },
  {
    name: 'A refused second stop took the first one back, so the endpoint was rolled back',
    file: 'lib/domain/endpoint/attempts.ts',
    mended: `...takenBack(before),
        // Nobody was let in`,
    defect: `...(entry.operation === 'stop' ? { possible: 0, inDoubt: 0 } : takenBack(before)),
        // Nobody was let in`,
  },
  {
    name: 'After an error, an outcome had not heard what a rejection asked for',
    file: 'lib/domain/signals/signals.ts',
    mended:
      "return rejection?.onFailure ?? policyAfter(rejection ? 'bad' : 'stuck', request.policy.onFailure);",
    defect: "return policyAfter('stuck', request.policy.onFailure);",
  },
  {
    name: 'An abort that asks for stops was forgotten when one before it had called them off',
    file: 'lib/domain/decision/interruption.ts',
    mended: 'asked === done?.onFailure && !(isNewer && isAnyStopMissing(record))',
    defect: 'asked === done?.onFailure',
  },
  {
    name: 'The deadline began anew when a list lacked an endpoint whose roll may never have been sent',
    file: 'lib/domain/wave/progress.ts',
    mended: 'reached > before.furthest || isTooEarly;',
    defect: "reached > before.furthest || isTooEarly || heard === 'proof';",
    heldBy:
      'test/domain/wave/wave-progress.test.ts: H07, H11: it does not begin anew: what looks live every other time stalls in the end',
  },
  {
    name: 'A tolerated loss that was there again counted as one that is no longer live',
    file: 'lib/domain/decision/after-look.ts',
    mended: 'evidence.hasConverged && hasRegressed(one)',
    defect: 'evidence.hasConverged && !hasConverged(one)',
  },
  {
    name: 'One list without an endpoint, and two that told no versions, were a regress',
    file: 'lib/domain/endpoint/observe-endpoint.ts',
    mended: 'mayStillBeLive(before)',
    defect: "before.state === 'converged'",
  },
  {
    name: 'A bake counted towards the deadline when its process had died in it',
    file: 'lib/domain/wave/hearing.ts',
    mended: '{ heard, stuckMs: 0, silentMs: 0 };',
    defect: '{ heard, stuckMs, silentMs: 0 };',
    heldBy:
      'test/steps/look.test.ts: X03: a wave that had converged before bakes on, and its bake is no standstill',
  },
  {
    name: 'A rejection was not heard while its wave was checked again',
    file: 'lib/domain/signals/approval.ts',
    mended: 'progress.readFault === undefined &&',
    defect: "progress.readFault === undefined && progress.heard === 'well' &&",
  },
  {
    name: 'A doubt from before a wave was checked again counted after it',
    file: 'lib/steps/look.ts',
    mended: 'doubtMs: hasBaked ? doubtMs : null',
    defect: 'doubtMs',
    heldBy:
      'test/steps/look.test.ts: X03: a wave that had converged before bakes on, and its bake is no standstill',
    retired: 'Nothing is checked again any more: what a look hears decides.',
  },
  {
    name: 'A loss of an earlier wave that was there again was never rolled',
    file: 'lib/domain/decision/next-rolls.ts',
    mended: 'rolls.filter((index) => index < end)',
    defect:
      'rolls.filter(() => open >= (plan.waves.find(({ to }) => to >= observations.length)?.from ?? 0))',
  },
  {
    name: 'A step that ran again forgot that its wave had to be checked again',
    file: 'lib/domain/decision/after-bake.ts',
    mended: ' || before.isCheckedAgain',
    defect: '',
    retired: 'Nothing is checked again any more: what a look hears decides.',
  },
  {
    name: 'Whoever resumed a rollout waited for a list a whole deadline more',
    file: 'lib/domain/wave/progress.ts',
    mended: '{ ...before, clock, resumed',
    defect: '{ ...before, silentMs: 0, clock, resumed',
  },
  {
    name: 'Whoever resumed a rollout waited for a silent gate a whole deadline more',
    file: 'lib/steps/look.ts',
    mended: 'doubtMs: hasBaked ? doubtMs : null',
    defect: 'doubtMs: null',
    retired: 'The time of a gate is kept with what it has said, and no look begins that anew.',
  },
  {
    name: 'After a batch that was tried again, the pause that the service had asked for was too short by that wait',
    file: 'lib/domain/clock.ts',
    mended: 'one.watched === last.watched ? one.at > last.at : one.watched > last.watched',
    defect: 'one.watched > last.watched',
    heldBy:
      'test/domain/clock.test.ts: it has stood still from a look to a write of a batch that was tried again',
  },
  {
    name: 'The client repeated a write that the service had throttled',
    file: 'lib/adapters/http/retry.ts',
    mended: `const result = await send();
  if (result.kind !== 'fault') return result;
  if (result.holdsEveryCall)`,
    defect: `let result = await send();
  if (result.kind === 'fault' && wasRateLimited(result)) result = await send();
  if (result.kind !== 'fault') return result;
  if (result.holdsEveryCall)`,
  },
  {
    name: 'The client sent a write when a token or a socket had come at last, however late',
    file: 'lib/adapters/http/send-request.ts',
    mended: 'if (waitedMs >= 0 && waitedMs <= LONGEST_HAND_OVER_MS) return undefined;',
    defect: 'return undefined;',
  },
  {
    name: 'The client repeated a write with another token',
    file: 'lib/adapters/services/rest/call.ts',
    mended: 'if (asked.writes || renewed',
    defect: 'if (renewed',
  },
  {
    name: 'One red look of a gate ended a rollout',
    file: 'lib/domain/wave/gate-watch.ts',
    mended: 'now - since >= pollSeconds * 1000',
    defect: 'now - since >= 0',
  },
  {
    name: 'A throttled roll was made once more although the credentials had been refused beside it',
    file: 'lib/domain/writes/next-write.ts',
    mended: 'answers.some(isDenied) ? accessWaitMs(writes) : ',
    defect: '',
    heldBy:
      'test/steps/io/attempt-writes.test.ts: H18: a roll that nobody lets in ends it, also for what was throttled beside it',
  },
];

/** A sentence for each defect whose mending is not there once any more. */
export function notMended(defects: readonly PastDefect[] = PAST_DEFECTS): readonly string[] {
  return defects
    .filter((defect) => defect.retired === undefined && partsOf(defect) === null)
    .map(
      ({ name, file, mended }) =>
        `${file} does not have this once, which mended "${name}": ${mended}`,
    );
}

/** Without those whose mending is not there any more. */
export function pastDefects(defects: readonly PastDefect[] = PAST_DEFECTS): readonly Patch[] {
  return defects.flatMap((past, index) => {
    const { name, file, mended, defect } = past;
    const parts = partsOf(past);
    if (parts === null || past.retired !== undefined) return [];
    const [before, after] = parts;
    return {
      mutant: {
        id: `defect-${index}`,
        file,
        line: before.split('\n').length,
        within: name,
        operation: 'past defect',
        range: null,
        original: mended,
        mutated: defect,
        kind: 'past defect',
      },
      files: new Map([[file, `${before}${defect}${after}`]]),
    };
  });
}

/** The text around the mending. `null`: it is not there once. */
function partsOf({ file, mended }: PastDefect): readonly [string, string] | null {
  if (!existsSync(file)) return null;
  const [before = '', after, ...more] = readFileSync(file, 'utf8').split(mended);
  return after === undefined || more.length > 0 ? null : [before, after];
}
