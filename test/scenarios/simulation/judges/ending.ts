import { goesAsForeseen } from '../foreseen/judge-course.ts';
import { goesBackAsForeseen } from '../foreseen/judge-way-back.ts';
import type { Ordeal } from '../ordeal.ts';
import type { Observed } from '../to-script.ts';
import { latecomerIsOvertaken, newerGoesFirst, newerOvertakes, newestIsOpened } from './ahead.ts';
import { oldIsNotBelieved } from './belief.ts';
import {
  crashIsSurvived,
  failedIsShown,
  hasCause,
  movedIsMoved,
  nothingVanishesByALie,
} from './blame.ts';
import { asksLessAndLess, busyIsWaitedFor } from './busy.ts';
import { cleanupIsExact, cleanupIsTrue, holdsWhenTold } from './cleanup.ts';
import {
  askedForIsStopped,
  endsAsTold,
  endsForItsReason,
  failsAsTold,
  haltsWhenTold,
  lateAbortIsFollowed,
  stopsAreFollowed,
  stopsShowTheirReason,
  writesFollowAtOnce,
} from './containment.ts';
import { deadlineIsKept, endsForNoLimit, stallIsWatched } from './deadline.ts';
import { deniedEnds, deniedIsLast } from './denied.ts';
import {
  downgradeIsRefused,
  elsewhereIsRefused,
  emptyIsRefused,
  stopsAreRefused,
  tooHighIsRefused,
} from './due-refusals.ts';
import { asksOnce, refusedAtOnce, saysWhatItWaitsFor, waitsForItsTurn } from './earlier.ts';
import {
  failedIsFailed,
  handsOverInTime,
  lastingIsLeft,
  noneStumbles,
  passingIsTriedAgain,
} from './engine.ts';
import {
  countsAreTrue,
  eventsComeInTime,
  eventsFollowThePlan,
  everythingIsTold,
  failingSaysWhatFollows,
  isToldAtOnce,
  namesItsStarter,
  noWaveIsEmpty,
} from './events.ts';
import {
  approvalHasItsTime,
  approvalIsAwaited,
  everyoneIsProbed,
  gatesAreHeard,
  gatesAreRemembered,
  rejectionIsHeard,
} from './gates.ts';
import {
  asksWithAList,
  failedGivesWay,
  givesWay,
  givesWayToSomebody,
  goesBackFirst,
  isAskedToGiveWay,
} from './give-way.ts';
import {
  answersAreInJournal,
  deadWritesNothing,
  journalIsTrue,
  writesAreInJournal,
} from './journal.ts';
import { calledOffServes, keepsEnoughServing, keptForItsReason, noneIsForgotten } from './kept.ts';
import { leaseLasts } from './lease.ts';
import {
  everyoneIsMeasured,
  metricsAreJudged,
  metricsAreOfTheWave,
  metricsBeginWhenTold,
  metricsHaveTheirTime,
  watchedIsMeasured,
} from './metrics.ts';
import { beginsWhenItMay, waitsForItsList } from './opening.ts';
import { endIsCalledSo } from './outcome.ts';
import {
  bakesLongEnough,
  firstGoesAlone,
  listHasItsTime,
  liveIsNoticed,
  resumedHasTheRest,
  silenceIsNoReason,
  unreadableEnds,
} from './pace.ts';
import { harmlessIsSurvived } from './patience.ts';
import {
  estimateIsTrue,
  lostIsRepeated,
  lostTakesNoTime,
  noRollIsNeedless,
  nothingIsRolledBesideTheirs,
  takenBackIsTheirs,
  toleratesAsTold,
} from './plain.ts';
import { bakesFollowPolicy, planFollowsPolicy, planIsAsShown, takesThemInOrder } from './plan.ts';
import { endedReadsNothing, readsTwice } from './reads-to-open.ts';
import { noIsHeard, reasonIsSeen, understandsItself, waitsForItsRoll } from './reason.ts';
import { shapesAreKept } from './record.ts';
import {
  planIsAgreed,
  refusalIsFounded,
  requestHasItsTime,
  versionIsAsAsked,
  versionIsAwaited,
  versionIsFoundOnce,
  versionIsLookedFor,
} from './request.ts';
import { lastLookIsShown } from './shown.ts';
import { doubtfulIsSpared, protectedIsSpared, takenBackIsSpared } from './spared.ts';
import {
  acceptedIsLast,
  lastAbortCounts,
  noneIsMeantAfterAbort,
  sentIsNotKept,
  unansweredIsLookedFor,
} from './stops-noted.ts';
import { takenOverIsTold } from './taken-over.ts';
import {
  abortEndsIt,
  abortEndsTheWayBack,
  abortIsHeard,
  endsInTime,
  pollsAsTold,
  retryAfterIsKept,
  throttleIsHeard,
} from './time.ts';
import { tokenIsOfTheTry } from './token.ts';
import { missedIsTold, stopsAreTold, wayBackIsTold } from './told-cleanup.ts';
import {
  nothingGoesNowhere,
  riskStaysAsItWas,
  stoppedIsLeftOut,
  takesBackOnlyItsOwn,
} from './turn.ts';
import { bakesForTheRest, diesUnseen, handsOverUnseen } from './twin.ts';
import { nothingToDoIsNotRefused, unanswerableIsRefused } from './unanswerable.ts';
import { goesBack, namesItsVersion, nothingHoldsUndo, nothingIsRolledAgain } from './undo.ts';

type Judge = (ordeal: Ordeal, run: Observed) => string[];

/**
 * What must be true of the end of a rollout, given all that went wrong in it, by the sentence of the docs that promises
 * it. Each answers its violations.
 */
export const JUDGES: Readonly<Record<string, Judge>> = {
  'When nothing goes wrong any more, a rollout comes to its end within its rolls, its bakes and a deadline each way.':
    endsInTime,
  'When no answer needs a second one, the next read comes after a tenth of the time that the rolls have taken so far, from 5 to 30 seconds.':
    pollsAsTold,
  'No rollout ends because of a limit.': endsForNoLimit,
  'Past 10,000 events or 10 days, and never before, the state Hand over starts the next execution':
    handsOverInTime,
  'No wait goes beyond the progress deadline, so a wave is judged in time.': deadlineIsKept,
  'Only time that was watched counts towards a deadline: while no process ran, the machine slept or its clock jumped, nobody could have seen progress.':
    stallIsWatched,
  'A rollout that is resumed gets the time that was left': resumedHasTheRest,
  'What passes by itself, such as an old list, a lost answer or a process that is resumed, keeps no rollout from its success.':
    harmlessIsSurvived,
  'An outcome blames nobody who had no part in it.': (ordeal, run) => [
    ...hasCause(ordeal, run),
    ...movedIsMoved(ordeal, run),
    ...failedIsShown(run),
  ],
  'A list is believed only if it has at least half of the endpoints that there were when the plan was made, so an empty list is never believed.':
    nothingVanishesByALie,
  'One step that dies, or one call of the ledger that fails, ends no rollout.': crashIsSurvived,
  'All that it costs is time: when nothing else goes wrong, the rollout writes the same and ends in the same way.':
    diesUnseen,
  'After an error that may pass, a step is run again within seconds; a batch of writes only when the error is one of the ledger or of Lambda itself, because the next look shows what it has written.':
    passingIsTriedAgain,
  'After any other error nothing is run again: a batch is left to the next look, and any other step ends the rollout at once.':
    (ordeal, run) => [
      ...noneStumbles(ordeal, run),
      ...lastingIsLeft(ordeal, run),
      ...deniedEnds(ordeal, run),
    ],
  'The next one proves the lease and goes on with exactly the wait, the bake or the rolls that were next.':
    handsOverUnseen,
  'An outcome other than Succeeded always ends in Rollout failed: a failed rollout is a failed execution.':
    failedIsFailed,
  'What an outcome says of the endpoints stays true as long as nobody else moves them and they do not break by themselves.':
    cleanupIsTrue,
  'A stop without an answer is sent again only when the list that is read next shows that it was not carried out; when that list shows the endpoint stopped, the stop counts as made.':
    (ordeal, run) => [
      ...unansweredIsLookedFor(ordeal, run),
      ...acceptedIsLast(run),
      ...sentIsNotKept(run),
    ],
  'no stop begins once an abort was accepted or a newer rollout waits.': noneIsMeantAfterAbort,
  'hold leaves everything': holdsWhenTold,
  'A stop that would leave fewer endpoints serving is kept back.': keepsEnoughServing,
  'After an abort no new write begins, and only those in flight end.': abortIsHeard,
  'Once the service has refused the credentials of one roll, no other roll of its batch begins.':
    deniedIsLast,
  'A rejection ends the rollout when it reads the list the next time, whatever the wave shows by then.':
    rejectionIsHeard,
  'An abort that leaves everything as it is ends the rollout at its next look, also when the list cannot be read.':
    abortEndsIt,
  'Once rollout abort has answered, no write begins except those that it asks for with --on-abort; writes in flight are finished.':
    haltsWhenTold,
  'The rollout ends as Aborted, even if it had failed or was about to succeed, and reports what was done until then.':
    (ordeal, run) => [...endsAsTold(ordeal, run), ...lateAbortIsFollowed(ordeal, run)],
  'endpoints that were rolled and are not live on the version are stopped': askedForIsStopped,
  'Of several aborts the last one counts': lastAbortCounts,
  'When an error keeps a rollout from rolling back or from its stops, the rollout ends with that error.':
    stopsAreFollowed,
  'After Rollout Failing no wave goes forward, and the rollout never succeeds.': failsAsTold,
  'An endpoint is stopped only if a complete list, read just before that one stop, shows that this rollout rolled it, that it is still not live on the version, and that it still shows the reason of the failure: a failed status is still failed, or an endpoint that stalled has got no further.':
    stopsShowTheirReason,
  'No roll, on the way there or back, is sent before the service wants to be asked again.': (
    ordeal,
    run,
  ) => [...retryAfterIsKept(ordeal, run), ...throttleIsHeard(ordeal, run)],
  'The intention is in the journal before the write, so after a crash a write that may have been made differs from one that was never made.':
    (_, run) => writesAreInJournal(run),
  "Just before each handful the batch reads the rollout's signals from the ledger.":
    deadWritesNothing,
  'The answer to each write is in the journal after it.': (ordeal, run) => [
    ...answersAreInJournal(ordeal, run),
    ...journalIsTrue(ordeal, run),
  ],
  'A list that cannot be read proves nothing: the step waits for it until the deadline, and then the rollout ends as Errored, with nothing stopped.':
    (ordeal, run) => [...unreadableEnds(ordeal, run), ...listHasItsTime(ordeal, run)],
  'When the list cannot be read, it waits for it here too, until the progress deadline.':
    waitsForItsList,
  'Outside its deployment windows, or while an older rollout gives way to it, the rollout waits in Wait to open and asks again.':
    beginsWhenItMay,
  'the rollout asks the one under way to give way, and waits.': (ordeal, run) => [
    ...isAskedToGiveWay(ordeal, run),
    ...asksOnce(ordeal, run),
  ],
  'Nobody does either as long as the list cannot be read that tells so': asksWithAList,
  'A request that is refused here ends no other rollout, neither the one under way nor one that waits.':
    refusedAtOnce,
  'waits until then, for at most a day, and then rolls everything to its own version':
    waitsForItsTurn,
  'The record of a rollout that waits says for what and until when': saysWhatItWaitsFor,
  'When several rollouts wait, only the newest one is ever opened.': (ordeal, run) => [
    ...newestIsOpened(ordeal, run),
    ...latecomerIsOvertaken(ordeal, run),
  ],
  'gives way: it rolls and stops nothing more, and ends as Superseded at its next look at the list; the endpoints that it rolled stay as they are.':
    givesWay,
  'The same holds for a rollout that is taken back or dies before the other one has given way: the other one then goes on.':
    givesWayToSomebody,
  'If it had failed and still had endpoints to stop, it ends as Superseded too, with a sentence that says why it had failed.':
    failedGivesWay,
  'A rollback is finished first': goesBackFirst,
  'the first one ends as Errored with LeaseLost, or as Aborted if an abort was accepted that leaves everything as it is.':
    (_, run) => takenOverIsTold(run),
  'One rollout at a time holds the lease of a runtime.': leaseLasts,
  'A minute after that it counts as a roll that does not start.': waitsForItsRoll,
  'only the one with the latest request starts.': newerGoesFirst,
  'That happens when a newer rollout begins to wait, or when a newer one was opened meanwhile':
    newerOvertakes,
  'Failed (an endpoint or the service said no), Errored (we could not know)': (_, run) =>
    endIsCalledSo(run),
  'refused before anything is rolled, with StopUnsupported': stopsAreRefused,
  'A request that names another service is refused, because that one may have endpoints with the same ids.':
    elsewhereIsRefused,
  "The request of a release has the time of its event, that of a schedule its due time, and that of a person the start of the rollout, whatever the clock of that person's machine says.":
    requestHasItsTime,
  'refused before anything is read, with one sentence': tooHighIsRefused,
  'reads the list until two sweeps in a row have the same endpoints': readsTwice,
  'Nor does it read anything, but for what a step that is under way has begun.': endedReadsNothing,
  'before the first rolls of a wave, also in a rollback': noWaveIsEmpty,
  'a rollout that fails with DowngradeRefused, unless allowDowngrade': downgradeIsRefused,
  'EmptyScope: there is nothing to roll': (_, run) => emptyIsRefused(run),
  'So an endpoint that went live is noticed within a tenth of the time of its roll, or within the poll interval.':
    liveIsNoticed,
  'The schemas behind the links above are JSON Schema, draft 2020-12, of the detail.': (_, run) =>
    shapesAreKept(run),
  'What an event announces begins after it, and what it tells has happened before it.':
    eventsComeInTime,
  'how many endpoints of the rollout, or of the wave, are to be rolled': eventsFollowThePlan,
  'name, which is empty if nobody gave one': namesItsStarter,
  'stop-old, roll-back or hold: what follows': failingSaysWhatFollows,
  "If the bus does not take it, it goes out with the rollout's next event": (ordeal, run) => [
    ...everythingIsTold(ordeal, run),
    ...isToldAtOnce(ordeal, run),
  ],
  'numbers of endpoints: planned; rolled and rolledBack, including those where nobody knows; stopped; kept':
    countsAreTrue,
  'A stop that was kept back is a correct end, recorded with its reason.': (ordeal, run) => [
    ...keptForItsReason(ordeal, run),
    ...calledOffServes(ordeal, run),
    ...noneIsForgotten(ordeal, run),
  ],
  'what was done with the endpoints that were rolled: none, stopped, rolledBack, kept, incomplete.':
    (ordeal, run) => [
      ...cleanupIsExact(ordeal, run),
      ...wayBackIsTold(ordeal, run),
      ...stopsAreTold(run),
      ...missedIsTold(ordeal, run),
    ],
  'One read that speaks against the wave may be an old answer: the wave bakes for another poll interval, and the next read decides.':
    reasonIsSeen,
  'A gate that gives no answer is asked again until the deadline; no answer is never a yes.':
    gatesAreHeard,
  'These are the last answers of each wave that has baked, also while it waits.':
    gatesAreRemembered,
  'What a record says of its endpoints is what the last look at the list has shown.':
    lastLookIsShown,
  'A person has to say yes.': approvalIsAwaited,
  'As long as a gate gives no answer, that time stands still.': approvalHasItsTime,
  'endpoints that are not back stay as they are: cleanup incomplete': abortEndsTheWayBack,
  'No write is based on a list that is older than 15 s: when writes take long, the list is read again, and every roll that is left is decided anew.':
    writesFollowAtOnce,
  'A stop is kept back when the endpoint went live meanwhile, no longer shows the reason why the rollout failed, was moved by somebody else, was not rolled by this rollout, is stopped already, or is protected.':
    (ordeal, run) => [
      ...doubtfulIsSpared(ordeal, run),
      ...takenBackIsSpared(ordeal, run),
      ...protectedIsSpared(ordeal, run),
    ],
  'The numbers are what the workflow does with this plan, look by look, if every roll takes exactly the assumed time, nothing goes wrong and nobody has to approve':
    estimateIsTrue,
  'failureThreshold tolerates endpoints that failed (a failed status, or a roll that the service refused for good) or vanished from the list, as several reads agree, but never a whole wave of them.':
    toleratesAsTold,
  'An endpoint that somebody else moved is lost too, and is never tolerated: the rollout leaves it alone, rolls nothing new, and ends as Superseded.':
    (ordeal, run) => [
      ...takenBackIsTheirs(ordeal, run),
      ...nothingIsRolledBesideTheirs(ordeal, run),
    ],
  'An endpoint with the desired target gets no PUT.': noRollIsNeedless,
  'A write without an answer is never blindly repeated, because the list shows its result.':
    silenceIsNoReason,
  'Only when three reads and a minute later the list still does not show the target, the roll is made once more':
    lostIsRepeated,
  'When the list shows the endpoint live at once, that may be an old answer, and is believed after a minute.':
    oldIsNotBelieved,
  'That wait does not count towards the deadline either, so a healthy fleet is rolled even with a very short deadline.':
    lostTakesNoTime,
  'made once more after a minute and three looks, with a new token': tokenIsOfTheTry,
  'A start with --plan does exactly that.': planIsAgreed,
  'instead of version: take the version that is live on this endpoint of the runtime':
    versionIsAsAsked,
  'The version is found out once, when nothing but a window or another rollout is waited for any more, and then stays':
    versionIsFoundOnce,
  'one that is still being made is waited for': versionIsAwaited,
  'A rollout that waits for a version looks again after a tenth of the wait so far, from 15 seconds to 5 minutes, and for the last time when it has waited for as long as it may.':
    versionIsLookedFor,
  'it was refused before the first write: nothing has changed': refusalIsFounded,
  'Every rollout finds this in the list that its plan is made from, however it was started.':
    unanswerableIsRefused,
  'a rollout that finds nothing to do, and succeeds': nothingToDoIsNotRefused,
  'A request to the URL of each endpoint.': everyoneIsProbed,
  'The bake is counted in seconds that were waited and not by the clock, which may jump.':
    bakesLongEnough,
  'A rollout that is resumed in a bake bakes for the time that was left; a wait that nobody finished is waited once more.':
    bakesForTheRest,
  'A rollback ends for the reason for which it began, whatever becomes of its rolls.':
    endsForItsReason,
  "All whole periods of periodSeconds from the wave's convergence on, without the last delaySeconds, because data of CloudWatch come one to two minutes late.":
    (ordeal, run) => [...metricsHaveTheirTime(ordeal, run), ...metricsBeginWhenTold(ordeal, run)],
  'Metrics are about the time from when the wave converged; once it is clear that the clock was ahead then, from when it was watched.':
    watchedIsMeasured,
  'With {endpoint} in one of the dimensions, every endpoint of the wave is asked about, except for those that are lost within the failure threshold.':
    (ordeal, run) => [...metricsAreOfTheWave(ordeal, run), ...everyoneIsMeasured(ordeal, run)],
  'After the bake its value is a no when it is above or below the limit; a value that equals the limit is a yes.':
    metricsAreJudged,
  'A percentage of waves or maxUnavailable is rounded down, and is at least one endpoint: 1 % of 5 is 1.':
    planFollowsPolicy,
  'The plan has of each endpoint what that list shows: its versions, whether its status is a failed one, and whether it has no replicas.':
    planIsAsShown,
  'Waves take the endpoints in the order of their names, web-2 before web-10, and those of the same name in the order of their ids.':
    takesThemInOrder,
  'Such a wave is left out, but its bake time is not lost: the wave before it, or else the first one there is, bakes as long as the longest of them.':
    bakesFollowPolicy,
  'The first roll of a rollout goes alone, whatever waves and maxUnavailable allow: further endpoints follow when the service has accepted it and the list was read again.':
    firstGoesAlone,
  'So a version that the service refuses is refused only once.': noIsHeard,
  'A busy endpoint is waited for until the progress deadline of its wave.': (_, run) =>
    busyIsWaitedFor(run),
  'A roll that was refused for now is sent again after a second, and then each time after twice as long, up to a minute.':
    asksLessAndLess,
  'What a rollout does next, and when, follows from its plan, from what it has read, and from what it was told.':
    (ordeal, run) => [...goesAsForeseen(ordeal, run), ...goesBackAsForeseen(ordeal, run)],
  'If its code does not understand the position, it goes on from the state in the ledger, as after a crash.':
    (_, run) => understandsItself(run),
  'What had no version before has nowhere to go back to.': (_, run) => nothingGoesNowhere(run),
  'One whose stop may have been carried out is left out, because nobody knows what a roll would do to it.':
    (_, run) => stoppedIsLeftOut(run),
  'Of the runtimes that had succeeded, never more than maxAtRisk are in mid-roll or lost on the way back at the same time.':
    (_, run) => riskStaysAsItWas(run),
  'So is what somebody else has moved by then, and when nothing is left to take back, the rollout ends at once.':
    takesBackOnlyItsOwn,
  'every endpoint that it may have rolled goes back to the version that its plan recorded':
    goesBack,
  'The version that it names is the lowest one that an endpoint which was rolled had before, or that of the undone rollout if the version before is known of none.':
    namesItsVersion,
  'it goes in the waves of the policy, with its maxUnavailable, but nothing bakes, no gate is asked, and windows and freezes do not hold':
    nothingHoldsUndo,
  'What cannot go back stays as it is, because a way back of the way back would roll the version again.':
    nothingIsRolledAgain,
};

/** Answers what is violated, each with the sentence that promised something else. */
export function judgeEnding(ordeal: Ordeal, run: Observed): string[] {
  return Object.entries(JUDGES).flatMap(([promise, judge]) =>
    judge(ordeal, run).map((violation) => `${promise}: ${violation}`),
  );
}
