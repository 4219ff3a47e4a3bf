import { describeViolation, type Promises } from '../../../support/promise.ts';
import type { Ordeal } from '../ordeal.ts';
import type { Observed } from '../to-script.ts';
import { asJudged, handOverMs } from '../wire/as-judged.ts';
import { latecomerIsOvertaken, newerGoesFirst, newerOvertakes, newestIsOpened } from './ahead.ts';
import { goesBackInTime } from './back-in-time.ts';
import { oldIsNotBelieved } from './belief.ts';
import {
  crashIsSurvived,
  failedIsShown,
  goneTakesTime,
  hasCause,
  movedIsMoved,
  nothingVanishesByALie,
} from './blame.ts';
import { asksLessAndLess, busyIsWaitedFor } from './busy.ts';
import {
  checkComesFirst,
  checkIsAskedInTime,
  watcherIsAskedOnce,
  waveHasItsYes,
  workIsWaitedFor,
} from './checks.ts';
import { cleanupIsExact, cleanupIsTrue, holdsWhenTold } from './cleanup.ts';
import {
  askedForIsStopped,
  endsAsTold,
  endsForItsReason,
  failsAsTold,
  haltsWhenTold,
  lateAbortIsFollowed,
  repeatsRestOnALook,
  stopsAreFollowed,
  stopsShowTheirReason,
  writesFollowAtOnce,
} from './containment.ts';
import { deadlineIsKept, endsForNoLimit, stallIsWatched } from './deadline.ts';
import { deniedEnds, deniedGoesAlone, deniedIsLookedAt } from './denied.ts';
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
import { badWins, kindFollowsTheEndpoint } from './failure-kinds.ts';
import {
  answersAreFollowed,
  approvalHasItsTime,
  approvalIsAwaited,
  changesAreTold,
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
  beginsNoWave,
  deadlinesStandStill,
  freezeIsOverInTime,
  heldStartsNothing,
  latestIsNotQuarantined,
  pausedGivesNoWay,
  pauseIsHeard,
  pausesAreTold,
  refusalsAreOfHolds,
  revertIsAStart,
} from './holds.ts';
import {
  accusedGoesFirst,
  confirmedNoEndsIt,
  noneIsAskedOnTheWayBack,
  oneRedLookEndsNothing,
  redAtStartEndsNoBake,
  watchersAreTold,
} from './in-bake.ts';
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
import { endIsCalledSo, refusedHasNotBegun } from './outcome.ts';
import { bakesLongEnough, firstGoesAlone, liveIsNoticed, silenceIsNoReason } from './pace.ts';
import { harmlessIsSurvived } from './patience.ts';
import { onlyPinnedIsLeft, pinFailsNothing, pinIsHeard, wavesFollowATry } from './pins.ts';
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
import {
  noIsNotPassed,
  shortensNothingElse,
  silenceHoldsNothing,
  unknownWaitsForTheBake,
} from './promotions.ts';
import { badIsInQuarantine, peopleKeepTheirHolds } from './quarantine.ts';
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
import { silenceSendsNothing } from './silence.ts';
import {
  doubtfulIsSpared,
  protectedIsSpared,
  takenBackIsLeft,
  takenBackIsSpared,
} from './spared.ts';
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
import { bakesForTheRest, diesUnseen, handsOverUnseen, heldUnseen } from './twin.ts';
import { nothingToDoIsNotRefused, unanswerableIsRefused } from './unanswerable.ts';
import { goesBack, namesItsVersion, nothingHoldsUndo, nothingIsRolledAgain } from './undo.ts';
import { gateIsWaitedFor, listHasItsTime, listIsWaitedFor } from './waited-for.ts';

type Judge = (ordeal: Ordeal, run: Observed) => string[];

/** What must be true of the end of a rollout, given all that went wrong in it. */
export const JUDGES: Promises<Judge> = {
  'ends-in-time': {
    says: 'When nothing goes wrong any more, a rollout comes to its end within its rolls, its bakes and a deadline each way.',
    page: 'docs/explanation/life-of-a-rollout.md#what-follows-and-when',
    check: endsInTime,
  },
  'polls-as-told': {
    says: 'When no answer needs a second one, the next read comes after a tenth of the time that the rolls have taken so far, from 5 to 30 seconds.',
    page: 'docs/explanation/stale-reads.md#when-the-next-look-comes',
    check: pollsAsTold,
  },
  'ends-for-no-limit': {
    says: 'No rollout ends because of a limit.',
    page: 'contributing/decisions/014-an-execution-hands-over.md',
    check: endsForNoLimit,
  },
  'hands-over-in-time': {
    says: 'Past 10,000 events or 10 days, and never before, the state Hand over starts the next execution.',
    page: 'contributing/decisions/014-an-execution-hands-over.md',
    check: handsOverInTime,
  },
  'deadline-is-kept': {
    says: 'No wait goes beyond the progress deadline, so a wave is judged in time.',
    page: 'docs/explanation/timeouts.md#the-progress-deadline',
    check: deadlineIsKept,
  },
  'stall-is-watched': {
    says: 'Only time that was watched counts towards a deadline: while no process ran, the machine slept or its clock jumped, nobody could have seen progress.',
    page: 'docs/explanation/timeouts.md#the-progress-deadline',
    check: stallIsWatched,
  },
  'resumed-has-the-rest': {
    says: 'A rollout that is resumed gets the time that was left.',
    page: 'docs/explanation/timeouts.md#the-clock',
    check: (ordeal, run) =>
      ordeal.death === null
        ? []
        : [...listIsWaitedFor(ordeal, run), ...gateIsWaitedFor(ordeal, run)],
  },
  'harmless-is-survived': {
    says: 'What passes by itself, such as an old list, a lost answer or a process that is resumed, keeps no rollout from its success.',
    page: 'docs/explanation/stale-reads.md#stale-reads',
    check: harmlessIsSurvived,
  },
  'has-cause': {
    says: 'An outcome blames nobody who had no part in it.',
    page: 'docs/explanation/life-of-a-rollout.md#how-it-ends',
    check: (ordeal, run) => [
      ...hasCause(ordeal, run),
      ...movedIsMoved(ordeal, run),
      ...failedIsShown(run),
    ],
  },
  'nothing-vanishes-by-a-lie': {
    says: 'A list is believed only if it has at least half of the endpoints that there were when the plan was made, so an empty list is never believed.',
    page: 'docs/explanation/stale-reads.md#what-a-look-hears',
    check: nothingVanishesByALie,
  },
  'gone-takes-time': {
    says: 'A wave fails because an endpoint is gone only when three reads in a row have lacked it, for half a minute.',
    page: 'docs/explanation/stale-reads.md#what-settles-each-state',
    check: goneTakesTime,
  },
  'crash-is-survived': {
    says: 'One step that dies, or one call of the ledger that fails, ends no rollout.',
    page: 'docs/explanation/leases.md#when-a-step-dies',
    check: crashIsSurvived,
  },
  'dies-unseen': {
    says: 'All that a step that dies costs is time: when nothing else goes wrong, the rollout writes the same and ends in the same way.',
    page: 'docs/explanation/leases.md#when-a-step-dies',
    check: diesUnseen,
  },
  'passing-is-tried-again': {
    says: 'After an error that may pass, a step is run again, at first within seconds; a batch of writes only when the error is one of the ledger or of Lambda itself, because the next look shows what it has written.',
    page: 'docs/explanation/leases.md#when-a-step-dies',
    check: passingIsTriedAgain,
  },
  'other-errors-are-left': {
    says: 'After any other error nothing is run again: a batch is left to the next look, and any other step ends the rollout at once.',
    page: 'docs/explanation/leases.md#when-a-step-dies',
    check: (ordeal, run) => [
      ...noneStumbles(ordeal, run),
      ...lastingIsLeft(ordeal, run),
      ...deniedEnds(ordeal, run),
    ],
  },
  'hands-over-unseen': {
    says: 'The next execution proves the lease and goes on with exactly the wait, the bake or the rolls that were next.',
    page: 'contributing/decisions/014-an-execution-hands-over.md',
    check: handsOverUnseen,
  },
  'failed-is-failed': {
    says: 'An execution succeeds if its rollout does, and fails otherwise: whoever waits for a rollout does not go on after one that failed or was refused.',
    page: 'docs/explanation/failures.md#two-kinds-of-failure',
    check: failedIsFailed,
  },
  'cleanup-is-true': {
    says: 'What an outcome says of the endpoints stays true as long as nobody else moves them and they do not break by themselves.',
    page: 'docs/explanation/life-of-a-rollout.md#how-it-ends',
    check: cleanupIsTrue,
  },
  'unanswered-is-looked-for': {
    says: 'A stop without an answer is sent again only when the list that is read next shows that it was not carried out; when that list shows the endpoint stopped, the stop counts as made.',
    page: 'docs/explanation/stops.md#a-stop-without-an-answer',
    check: (ordeal, run) => [
      ...unansweredIsLookedFor(ordeal, run),
      ...acceptedIsLast(run),
      ...sentIsNotKept(run),
    ],
  },
  'none-is-meant-after-abort': {
    says: 'No stop begins once an abort was accepted or, unless a pause is in force, a newer rollout has asked to give way.',
    page: 'docs/explanation/stops.md#one-stop-at-a-time',
    check: noneIsMeantAfterAbort,
  },
  'holds-when-told': {
    says: 'The policy hold leaves everything as it is.',
    page: 'docs/explanation/failures.md#two-kinds-of-failure',
    check: holdsWhenTold,
  },
  'keeps-enough-serving': {
    says: 'A stop that would leave fewer endpoints serving is kept back.',
    page: 'docs/explanation/stops.md#how-many-must-serve',
    check: keepsEnoughServing,
  },
  'abort-is-heard': {
    says: 'After an abort no new write begins, and only those in flight end.',
    page: 'docs/explanation/retries.md#batches',
    check: abortIsHeard,
  },
  'denied-goes-alone': {
    says: 'Once the service has refused the credentials of one roll, no other roll of its batch begins, and until somebody is let in, one roll is tried at a look.',
    page: 'docs/explanation/retries.md#what-is-sent-again',
    check: (ordeal, run) => [...deniedGoesAlone(ordeal, run), ...deniedIsLookedAt(ordeal, run)],
  },
  'rejection-is-heard': {
    says: 'A rejection ends the rollout when it reads the list the next time, whatever the wave shows by then.',
    page: 'docs/cli.md#abort-approve-reject-retry-revert',
    check: rejectionIsHeard,
  },
  'abort-ends-it': {
    says: 'An abort that leaves everything as it is ends the rollout at its next look, also when the list cannot be read.',
    page: 'docs/cli.md#abort-approve-reject-retry-revert',
    check: abortEndsIt,
  },
  'halts-when-told': {
    says: 'Once rollout abort has answered, no write begins except those that it asks for with --on-abort; writes in flight are finished.',
    page: 'docs/cli.md#abort-approve-reject-retry-revert',
    check: haltsWhenTold,
  },
  'ends-as-told': {
    says: 'The rollout ends as Aborted, even if it had failed or was about to succeed, and reports what was done until then.',
    page: 'docs/cli.md#abort-approve-reject-retry-revert',
    check: (ordeal, run) => [...endsAsTold(ordeal, run), ...lateAbortIsFollowed(ordeal, run)],
  },
  'asked-for-is-stopped': {
    says: 'An abort that asks for stops stops the endpoints that were rolled and are not live on the version.',
    page: 'docs/cli.md#abort-approve-reject-retry-revert',
    check: askedForIsStopped,
  },
  'last-abort-counts': {
    says: 'Of several aborts the last one counts.',
    page: 'docs/cli.md#abort-approve-reject-retry-revert',
    check: lastAbortCounts,
  },
  'stops-are-followed': {
    says: 'When an error keeps a rollout from rolling back or from its stops, the rollout ends with that error.',
    page: 'docs/cli.md#abort-approve-reject-retry-revert',
    check: stopsAreFollowed,
  },
  'fails-as-told': {
    says: 'After Rollout Failing no wave goes forward, and the rollout never succeeds.',
    page: 'docs/events.md#what-you-can-rely-on',
    check: failsAsTold,
  },
  'stops-show-their-reason': {
    says: 'An endpoint is stopped only if a complete list, read just before that one stop, shows that this rollout rolled it, that it is still not live on the version, and that it still shows the reason of the failure: a failed status is still failed, or an endpoint that stalled has got no further.',
    page: 'docs/explanation/stops.md',
    check: stopsShowTheirReason,
  },
  'retry-after-is-kept': {
    says: 'No roll, on the way there or back, is sent before the service wants to be asked again.',
    page: 'docs/explanation/retries.md#what-is-sent-again',
    check: (ordeal, run) => [...retryAfterIsKept(ordeal, run), ...throttleIsHeard(ordeal, run)],
  },
  'writes-are-in-journal': {
    says: 'The intention is in the journal before the write, so after a crash a write that may have been made differs from one that was never made.',
    page: 'docs/explanation/retries.md#the-journal',
    check: (_, run) => writesAreInJournal(run),
  },
  'dead-writes-nothing': {
    says: "Just before each handful the batch reads the rollout's signals from the ledger.",
    page: 'docs/explanation/retries.md#batches',
    check: deadWritesNothing,
  },
  'answers-are-in-journal': {
    says: 'The answer to each write is in the journal after it.',
    page: 'docs/explanation/retries.md#the-journal',
    check: (ordeal, run) => [...answersAreInJournal(ordeal, run), ...journalIsTrue(ordeal, run)],
  },
  'unreadable-ends': {
    says: 'A list that cannot be read proves nothing: the step waits for it until the deadline, and then the rollout ends as Errored, with nothing stopped.',
    page: 'docs/explanation/timeouts.md#the-progress-deadline',
    check: (ordeal, run) => [...listIsWaitedFor(ordeal, run), ...listHasItsTime(ordeal, run)],
  },
  'waits-for-its-list': {
    says: 'A rollout that is about to begin waits for a list that cannot be read, too, until the progress deadline.',
    page: 'docs/explanation/life-of-a-rollout.md#it-opens',
    check: waitsForItsList,
  },
  'begins-when-it-may': {
    says: 'Outside its deployment windows, or while an older rollout gives way to it, the rollout waits, in a state that says for what, and asks again.',
    page: 'docs/explanation/life-of-a-rollout.md#it-opens',
    check: beginsWhenItMay,
  },
  'is-asked-to-give-way': {
    says: 'A newer rollout with onConflict latest asks the one under way to give way, once, and waits.',
    page: 'docs/triggers.md#queueing-and-conflicts',
    check: (ordeal, run) => [...isAskedToGiveWay(ordeal, run), ...asksOnce(ordeal, run)],
  },
  'unread-list-ends-nothing': {
    says: 'As long as the list cannot be read that tells whether a newer rollout would be refused, nobody is asked to give way to it.',
    page: 'docs/triggers.md#queueing-and-conflicts',
    check: asksWithAList,
  },
  'refused-at-once': {
    says: 'A request that is refused ends no other rollout, neither the one under way nor one that waits.',
    page: 'docs/triggers.md#queueing-and-conflicts',
    check: refusedAtOnce,
  },
  'waits-for-its-turn': {
    says: 'A rollout that waits for another one waits until that one ends, for at most a day, and then rolls everything to its own version.',
    page: 'docs/triggers.md#queueing-and-conflicts',
    check: waitsForItsTurn,
  },
  'says-what-it-waits-for': {
    says: 'The record of a rollout that waits says for what and until when.',
    page: 'docs/explanation/life-of-a-rollout.md#it-opens',
    check: saysWhatItWaitsFor,
  },
  'newest-is-opened': {
    says: 'When several rollouts wait, the newest one goes first, and the others end only once it has begun; if it is gone, the next one goes.',
    page: 'docs/explanation/life-of-a-rollout.md#it-opens',
    check: (ordeal, run) => [...newestIsOpened(ordeal, run), ...latecomerIsOvertaken(ordeal, run)],
  },
  'gives-way': {
    says: 'A rollout that gives way rolls and stops nothing more, and ends as Superseded at its next look at the list; the endpoints that it rolled stay as they are.',
    page: 'docs/triggers.md#queueing-and-conflicts',
    check: givesWay,
  },
  'gives-way-to-somebody': {
    says: 'A rollout that is taken back or dies before another one has given way to it ends no other rollout: the other one goes on.',
    page: 'docs/triggers.md#queueing-and-conflicts',
    check: givesWayToSomebody,
  },
  'failed-gives-way': {
    says: 'A rollout that had failed, and gives way with endpoints left to stop, ends as Superseded too, with a sentence that says why it had failed.',
    page: 'docs/triggers.md#queueing-and-conflicts',
    check: failedGivesWay,
  },
  'goes-back-first': {
    says: 'A rollback is finished before its rollout gives way.',
    page: 'docs/triggers.md#queueing-and-conflicts',
    check: goesBackFirst,
  },
  'taken-over-is-told': {
    says: 'A rollout whose lease another one has taken ends as Errored with LeaseLost, or as Aborted if an abort was accepted that leaves everything as it is.',
    page: 'docs/explanation/leases.md#when-a-process-is-paused',
    check: (_, run) => takenOverIsTold(run),
  },
  'lease-lasts': {
    says: 'One rollout at a time holds the lease of a runtime.',
    page: 'docs/explanation/leases.md#the-lease',
    check: leaseLasts,
  },
  'waits-for-its-roll': {
    says: 'A minute after its second roll, an endpoint that shows nothing of it counts as a roll that does not start.',
    page: 'docs/explanation/retries.md#what-is-sent-again',
    check: waitsForItsRoll,
  },
  'newer-goes-first': {
    says: 'Of several rollouts of a runtime that wait, the one with the latest request begins, unless it is refused.',
    page: 'docs/triggers.md#windows-and-freezes',
    check: newerGoesFirst,
  },
  'newer-overtakes': {
    says: 'A rollout that waits is overtaken only by a newer one, and only once that one has begun.',
    page: 'docs/triggers.md#windows-and-freezes',
    check: newerOvertakes,
  },
  'end-is-called-so': {
    says: 'Refused means that a rollout was not allowed to begin: it has no plan, and has written nothing. Failed means that an endpoint or the service said no, and Errored that we could not know.',
    page: 'docs/glossary.md',
    check: (_, run) => [...endIsCalledSo(run), ...refusedHasNotBegun(run)],
  },
  'stops-are-refused': {
    says: 'A policy that stops endpoints is refused with StopUnsupported, before anything is rolled, by a service that cannot stop.',
    page: 'docs/services.md#what-differs-by-ability',
    check: stopsAreRefused,
  },
  'elsewhere-is-refused': {
    says: 'A request that names another service is refused, because that one may have endpoints with the same ids.',
    page: 'docs/explanation/life-of-a-rollout.md#it-opens',
    check: elsewhereIsRefused,
  },
  'request-has-its-time': {
    says: "The request of a release has the time of its event, that of a schedule its due time, and that of a person the start of the rollout, whatever the clock of that person's machine says.",
    page: 'docs/triggers.md#queueing-and-conflicts',
    check: requestHasItsTime,
  },
  'too-high-is-refused': {
    says: 'A version above the highest one that the service takes is refused with one sentence, before anything is read.',
    page: 'docs/services.md#what-differs-by-ability',
    check: tooHighIsRefused,
  },
  'reads-twice': {
    says: 'A rollout reads the list until two sweeps in a row have the same endpoints, before it makes its plan.',
    page: 'docs/explanation/life-of-a-rollout.md#it-opens',
    check: readsTwice,
  },
  'ended-reads-nothing': {
    says: 'A rollout that has ended reads nothing any more, but for what a step that is under way has begun.',
    page: 'docs/explanation/life-of-a-rollout.md#how-it-ends',
    check: endedReadsNothing,
  },
  'no-wave-is-empty': {
    says: 'Wave Started comes before the first rolls of a wave, also in a rollback, and no wave is empty.',
    page: 'docs/events.md',
    check: noWaveIsEmpty,
  },
  'downgrade-is-refused': {
    says: 'A rollout to a lower version fails with DowngradeRefused, unless the policy has allowDowngrade.',
    page: 'docs/triggers.md#what-is-refused',
    check: downgradeIsRefused,
  },
  'empty-is-refused': {
    says: 'A rollout that finds no endpoint to roll at all is refused with EmptyScope.',
    page: 'docs/services.md#what-differs-by-ability',
    check: emptyIsRefused,
  },
  'live-is-noticed': {
    says: "An endpoint that went live is noticed within a tenth of the time of its roll, or within the poll interval; one that rolls faster than its runtime's rolls usually do at the first look, within a minute of its roll.",
    page: 'docs/explanation/stale-reads.md#when-the-next-look-comes',
    check: liveIsNoticed,
  },
  'shapes-are-kept': {
    says: 'Every event has the shape that its JSON Schema says.',
    page: 'docs/events.md#follow-them',
    check: (_, run) => shapesAreKept(run),
  },
  'events-come-in-time': {
    says: 'What an event announces begins after it, and what it tells has happened before it.',
    page: 'docs/events.md',
    check: eventsComeInTime,
  },
  'events-follow-the-plan': {
    says: 'Events say how many endpoints of the rollout, or of the wave, are to be rolled.',
    page: 'docs/events.md#what-is-in-them',
    check: eventsFollowThePlan,
  },
  'names-its-starter': {
    says: 'Rollout Started names who started the rollout; the name is empty if nobody gave one.',
    page: 'docs/events.md#what-is-in-them',
    check: namesItsStarter,
  },
  'failing-says-what-follows': {
    says: 'Rollout Failing says what follows: stop-old, roll-back or hold.',
    page: 'docs/events.md#what-is-in-them',
    check: failingSaysWhatFollows,
  },
  'everything-is-told': {
    says: "An event that the bus does not take goes out with the rollout's next event.",
    page: 'docs/events.md#what-you-can-rely-on',
    check: (ordeal, run) => [...everythingIsTold(ordeal, run), ...isToldAtOnce(ordeal, run)],
  },
  'counts-are-true': {
    says: 'Rollout Ended has the numbers of endpoints that were planned, rolled and rolled back, including those where nobody knows, stopped and kept.',
    page: 'docs/events.md#what-is-in-them',
    check: countsAreTrue,
  },
  'kept-for-its-reason': {
    says: 'A stop that was kept back is a correct end, recorded with its reason.',
    page: 'docs/explanation/stops.md',
    check: (ordeal, run) => [
      ...keptForItsReason(ordeal, run),
      ...calledOffServes(ordeal, run),
      ...noneIsForgotten(ordeal, run),
    ],
  },
  'cleanup-is-exact': {
    says: 'The cleanup of an outcome says what was done with the endpoints that were rolled: none, stopped, rolledBack, kept or incomplete.',
    page: 'docs/glossary.md',
    check: (ordeal, run) => [
      ...cleanupIsExact(ordeal, run),
      ...wayBackIsTold(ordeal, run),
      ...stopsAreTold(run),
      ...missedIsTold(ordeal, run),
    ],
  },
  'reason-is-seen': {
    says: 'One read that speaks against a wave that had converged may be stale: the rollout waits for another poll interval, and the next read decides.',
    page: 'docs/explanation/stale-reads.md#the-bake',
    check: reasonIsSeen,
  },
  'silence-sends-nothing': {
    says: 'A list that does not say where endpoints are is no reason for a write: a rollout that has nothing else against them ends as Errored, and nothing is stopped or taken back.',
    page: 'docs/explanation/timeouts.md#the-progress-deadline',
    check: silenceSendsNothing,
  },
  'gates-are-heard': {
    says: 'A gate that gives no answer is asked again until the deadline; no answer is never a yes.',
    page: 'docs/explanation/stale-reads.md#gates',
    check: (ordeal, run) => [...gatesAreHeard(ordeal, run), ...gateIsWaitedFor(ordeal, run)],
  },
  'confirmed-no-ends-it': {
    says: 'A no of a gate that the gate says again, at least pollSeconds later, ends the way forward: nothing more is rolled to the version, and the rollout never succeeds.',
    page: 'docs/configuration.md#what-a-gates-answer-counts-as',
    check: confirmedNoEndsIt,
  },
  'bad-goes-back-in-time': {
    says: 'Once a second look has confirmed that a version is bad, the first roll back is sent within 10 s, and the time of its calls.',
    page: 'docs/explanation/failures.md#two-kinds-of-failure',
    check: goesBackInTime,
  },
  'one-red-look-ends-nothing': {
    says: 'One look at which a gate says no ends nothing: a rollout fails by a gate only when the same gate has said no at two looks, and not yes in between.',
    page: 'docs/configuration.md#what-a-gates-answer-counts-as',
    check: oneRedLookEndsNothing,
  },
  'unknown-waits-for-the-bake': {
    says: 'A gate that gives no answer ends nothing before the bake is over.',
    page: 'docs/configuration.md#what-a-gates-answer-counts-as',
    check: unknownWaitsForTheBake,
  },
  'watching-gates-are-told': {
    says: 'A gate that only watches decides nothing. The outcome says of each that has answered whether the rollout would have failed.',
    page: 'docs/configuration.md#a-gate-that-only-watches',
    check: watchersAreTold,
  },
  'accused-goes-first': {
    says: 'On the way back the endpoints to which a gate has said no go first.',
    page: 'docs/configuration.md#what-a-gates-answer-counts-as',
    check: accusedGoesFirst,
  },
  'no-gate-on-the-way-back': {
    says: 'On the way back no gate is asked.',
    page: 'docs/configuration.md#what-a-gates-answer-counts-as',
    check: (_, run) => noneIsAskedOnTheWayBack(run),
  },
  'kind-follows-the-endpoint': {
    says: 'The kind of a failure follows from the endpoint and not from the reason: bad is what was confirmed live and is lost, what has failed with the version live on it, what its service took back, and what a gate or a person said no to; everything else is stuck. It stays, however the rollout ends.',
    page: 'docs/explanation/failures.md#two-kinds-of-failure',
    check: kindFollowsTheEndpoint,
  },
  'bad-wins': {
    says: 'When one look shows both kinds of failure, the failure is bad.',
    page: 'docs/explanation/failures.md#two-kinds-of-failure',
    check: badWins,
  },
  'taken-back-is-left': {
    says: 'Nobody writes any more to an endpoint that was taken back.',
    page: 'docs/explanation/stale-reads.md#what-settles-each-state',
    check: takenBackIsLeft,
  },
  'gates-are-remembered': {
    says: 'A record has the last answers of the gates of each wave that has baked, also while it waits.',
    page: 'docs/watching.md#for-programs',
    check: gatesAreRemembered,
  },
  'check-comes-first': {
    says: 'With before-rollout nothing is written before the check has said SUCCEEDED; with before-wave no endpoint of a wave is rolled.',
    page: 'docs/checks.md#before-a-rollout-and-before-a-wave',
    check: checkComesFirst,
  },
  'wave-has-its-yes': {
    says: 'With a check in its bake or at its end, a wave goes on only once that has said yes of it, or a person promotes it.',
    page: 'docs/checks.md#when-it-is-asked',
    check: waveHasItsYes,
  },
  'check-is-asked-in-time': {
    says: 'A check that is at work is not asked again before the time that it has named, and each question about a wave has the next number.',
    page: 'docs/checks.md#what-it-is-asked',
    check: checkIsAskedInTime,
  },
  'watcher-is-asked-once': {
    says: 'A check that only watches is asked once before a rollout or a wave.',
    page: 'docs/checks.md#before-a-rollout-and-before-a-wave',
    check: watcherIsAskedOnce,
  },
  'work-is-waited-for': {
    says: 'As long as only checks at work keep a wave, the progress deadline stands still, until their own deadlines.',
    page: 'docs/checks.md#what-a-check-answers',
    check: workIsWaitedFor,
  },
  'red-at-start-ends-no-bake': {
    says: 'With redAtStart ignore, the no of an alarm that was red before the rollout counts once it was green, and at the end of a bake.',
    page: 'docs/configuration.md#what-a-gates-answer-counts-as',
    check: redAtStartEndsNoBake,
  },
  'changes-are-told': {
    says: 'A record has each change of what an alarm or a probe has said of a wave, with the time since when it has said so.',
    page: 'docs/watching.md#for-programs',
    check: changesAreTold,
  },
  'pauses-are-told': {
    says: 'The log of a rollout has each pause that lasted, with its owner and reason, and no other.',
    page: 'docs/watching.md#for-programs',
    check: pausesAreTold,
  },
  'last-look-is-shown': {
    says: 'What a record says of its endpoints is what the last look at the list has shown.',
    page: 'docs/watching.md#for-programs',
    check: lastLookIsShown,
  },
  'approval-is-awaited': {
    says: 'With an approval in its policy, a wave goes on only when a person has said yes.',
    page: 'docs/configuration.md#policies',
    check: approvalIsAwaited,
  },
  'answers-are-followed': {
    says: 'An answer that was accepted is followed: after a no the next wave does not begin, nor with the yeses of fewer people than the policy asks for.',
    page: 'docs/how-to/approve-a-wave.md',
    check: answersAreFollowed,
  },
  'approval-has-its-time': {
    says: 'As long as a gate gives no answer, the time for an approval stands still.',
    page: 'docs/configuration.md#what-a-gates-answer-counts-as',
    check: approvalHasItsTime,
  },
  'abort-ends-the-way-back': {
    says: 'An abort ends a way back: endpoints that are not back stay as they are, and the cleanup is incomplete.',
    page: 'docs/cli.md#abort-approve-reject-retry-revert',
    check: abortEndsTheWayBack,
  },
  'writes-follow-at-once': {
    says: 'No write is based on a list that is older than 10 s: when writes take long, the list is read again, and every write that is left is decided anew.',
    page: 'docs/explanation/retries.md#batches',
    check: writesFollowAtOnce,
  },
  'writes-rest-on-a-look': {
    says: 'The same write is sent to an endpoint again only after a list that was read since then.',
    page: 'docs/explanation/retries.md#what-is-sent-again',
    check: repeatsRestOnALook,
  },
  'sent-in-time': {
    says: 'A write is not sent when more than 2 s have passed since it was handed over to the client.',
    page: 'docs/services.md#the-client-as-a-library',
    check: (drawn, { sentAfterMs }) =>
      sentAfterMs > handOverMs(drawn) ? [`a write was sent after ${sentAfterMs} ms`] : [],
  },
  'pause-is-kept': {
    says: 'While the service wants no calls, no write is sent.',
    page: 'docs/services.md#the-client-as-a-library',
    check: ({ clock }, { sentUnwanted }) =>
      clock === null && sentUnwanted > 0
        ? [`${sentUnwanted} writes were sent when the service wanted no calls`]
        : [],
  },
  'doubtful-is-spared': {
    says: 'A stop is kept back when the endpoint went live meanwhile, no longer shows the reason why the rollout failed, was moved by somebody else, was not rolled by this rollout, is stopped already, or is protected.',
    page: 'docs/explanation/stops.md',
    check: (ordeal, run) => [
      ...doubtfulIsSpared(ordeal, run),
      ...takenBackIsSpared(ordeal, run),
      ...protectedIsSpared(ordeal, run),
    ],
  },
  'estimate-is-true': {
    says: 'The numbers of a plan are what the workflow does with it, look by look, if every roll takes exactly the assumed time, nothing goes wrong and nobody has to approve.',
    page: 'docs/cli.md#what-a-rollout-will-take',
    check: estimateIsTrue,
  },
  'tolerates-as-told': {
    says: 'The failure threshold tolerates endpoints that failed (a failed status, or a roll that the service refused for good) or vanished from the list, as several reads agree, but never a whole wave of them.',
    page: 'docs/configuration.md#which-policy-holds',
    check: toleratesAsTold,
  },
  'taken-back-is-theirs': {
    says: 'An endpoint that somebody else moved is lost too, and is never tolerated: the rollout leaves it alone and rolls nothing new. On a third version it ends the rollout as Superseded; back on the version before, as Failed with TakenBack.',
    page: 'docs/configuration.md#which-policy-holds',
    check: (ordeal, run) => [
      ...takenBackIsTheirs(ordeal, run),
      ...nothingIsRolledBesideTheirs(ordeal, run),
    ],
  },
  'no-roll-is-needless': {
    says: 'An endpoint with the desired target gets no PUT.',
    page: 'docs/explanation/retries.md#what-is-never-written',
    check: noRollIsNeedless,
  },
  'silence-is-no-reason': {
    says: 'A write without an answer is never blindly repeated, because the list shows its result.',
    page: 'docs/explanation/retries.md#what-is-sent-again',
    check: silenceIsNoReason,
  },
  'lost-is-repeated': {
    says: 'Only when three reads and a minute later the list still does not show the target, a roll without an answer is made once more.',
    page: 'docs/explanation/retries.md#what-is-sent-again',
    check: lostIsRepeated,
  },
  'old-is-not-believed': {
    says: 'When the list shows an endpoint live at once whose roll had no answer, the read may be stale, and is believed after a minute.',
    page: 'docs/explanation/stale-reads.md#stale-reads',
    check: oldIsNotBelieved,
  },
  'lost-takes-no-time': {
    says: 'The minute in which a roll without an answer may still show does not count towards the deadline, so a healthy fleet is rolled even with a very short deadline.',
    page: 'docs/explanation/timeouts.md#the-progress-deadline',
    check: lostTakesNoTime,
  },
  'token-is-of-the-try': {
    says: 'At a service that repeats rolls, a roll that does not start is made once more after a minute and three looks, with a new token.',
    page: 'docs/services.md#what-differs-by-ability',
    check: tokenIsOfTheTry,
  },
  'plan-is-agreed': {
    says: 'A start with --plan does exactly what the plan has shown, or nothing.',
    page: 'docs/cli.md#a-plan-that-was-agreed-to',
    check: planIsAgreed,
  },
  'version-is-as-asked': {
    says: 'A request may name an endpoint instead of a version: the rollout takes the version that is live on this endpoint of the runtime.',
    page: 'docs/triggers.md#start-from-the-events-of-other-systems',
    check: versionIsAsAsked,
  },
  'version-is-found-once': {
    says: 'The version is found out once, when nothing but a window or another rollout is waited for any more, and then stays.',
    page: 'docs/cli.md#the-latest-version',
    check: versionIsFoundOnce,
  },
  'version-is-awaited': {
    says: 'A version that is still being made is waited for.',
    page: 'docs/agentcore.md#what-is-different',
    check: versionIsAwaited,
  },
  'version-is-looked-for': {
    says: 'A rollout that waits for a version looks again after a tenth of the wait so far, from 15 seconds to 5 minutes, and for the last time when it has waited for as long as it may.',
    page: 'docs/triggers.md#queueing-and-conflicts',
    check: versionIsLookedFor,
  },
  'refusal-is-founded': {
    says: 'A rollout that was refused was refused before the first write: nothing has changed.',
    page: 'docs/runbook.md#a-rollout-failed',
    check: refusalIsFounded,
  },
  'unanswerable-is-refused': {
    says: 'Every rollout finds gates that nobody could ever answer in the list that its plan is made from, however it was started.',
    page: 'docs/configuration.md#what-a-gates-answer-counts-as',
    check: unanswerableIsRefused,
  },
  'nothing-to-do-is-not-refused': {
    says: 'A rollout that finds nothing to do succeeds.',
    page: 'docs/triggers.md#what-is-refused',
    check: nothingToDoIsNotRefused,
  },
  'everyone-is-probed': {
    says: 'A probe is a request to the URL of each endpoint of the wave.',
    page: 'docs/configuration.md#policies',
    check: everyoneIsProbed,
  },
  'bakes-long-enough': {
    says: 'The bake is counted in seconds that were waited and not by the clock, which may jump.',
    page: 'docs/explanation/stale-reads.md#the-bake',
    check: bakesLongEnough,
  },
  'bakes-for-the-rest': {
    says: 'A rollout that is resumed in a bake bakes for the time that was left; a wait that nobody finished is waited once more.',
    page: 'docs/explanation/stale-reads.md#the-bake',
    check: bakesForTheRest,
  },
  'ends-for-its-reason': {
    says: 'A rollback ends for the reason for which it began, whatever becomes of its rolls.',
    page: 'docs/explanation/failures.md#when-a-rollback-fails',
    check: endsForItsReason,
  },
  'metrics-have-their-time': {
    says: "A metric is about all whole periods of periodSeconds from the wave's convergence on, without the last delaySeconds, because data of CloudWatch come one to two minutes late.",
    page: 'docs/configuration.md#metrics',
    check: (ordeal, run) => [
      ...metricsHaveTheirTime(ordeal, run),
      ...metricsBeginWhenTold(ordeal, run),
    ],
  },
  'watched-is-measured': {
    says: 'Metrics are about the time from when the wave converged; once it is clear that the clock was ahead then, from when it was watched.',
    page: 'docs/explanation/stale-reads.md#the-bake',
    check: watchedIsMeasured,
  },
  'metrics-are-of-the-wave': {
    says: 'With {endpoint} in one of its dimensions, a metric is asked about every endpoint of the wave, except for those that are lost within the failure threshold.',
    page: 'docs/configuration.md#metrics',
    check: (ordeal, run) => [
      ...metricsAreOfTheWave(ordeal, run),
      ...everyoneIsMeasured(ordeal, run),
    ],
  },
  'metrics-are-judged': {
    says: 'The value of a metric is a no when it is above or below the limit; a value that equals the limit is a yes. Before the end of the bake, what more time may mend is no answer yet.',
    page: 'docs/configuration.md#metrics',
    check: metricsAreJudged,
  },
  'plan-follows-policy': {
    says: 'A percentage of waves or maxUnavailable is rounded down, and is at least one endpoint: 1 % of 5 is 1.',
    page: 'docs/configuration.md#which-policy-holds',
    check: planFollowsPolicy,
  },
  'plan-is-as-shown': {
    says: 'The plan has of each endpoint what the list shows that it is made from: its versions, whether its status is a failed one, and whether it has no replicas.',
    page: 'docs/explanation/life-of-a-rollout.md#the-plan',
    check: planIsAsShown,
  },
  'takes-them-in-order': {
    says: 'Waves take the endpoints in the order of their names, web-2 before web-10, and those of the same name in the order of their ids.',
    page: 'docs/configuration.md#which-policy-holds',
    check: takesThemInOrder,
  },
  'bakes-follow-policy': {
    says: 'A wave without endpoints is left out, but its bake time is not lost: the wave before it, or else the first one there is, bakes as long as the longest of them.',
    page: 'docs/configuration.md#which-policy-holds',
    check: bakesFollowPolicy,
  },
  'first-goes-alone': {
    says: 'The first roll of a rollout goes alone, whatever waves and maxUnavailable allow: further endpoints follow when the service has accepted it and the list was read again.',
    page: 'docs/configuration.md#which-policy-holds',
    check: firstGoesAlone,
  },
  'no-is-heard': {
    says: 'A version that the service refuses is refused only once.',
    page: 'docs/configuration.md#which-policy-holds',
    check: noIsHeard,
  },
  'busy-is-waited-for': {
    says: 'A busy endpoint is waited for until the progress deadline of its wave.',
    page: 'docs/services.md#a-service-that-rolls-only-what-is-at-rest',
    check: (_, run) => busyIsWaitedFor(run),
  },
  'asks-less-and-less': {
    says: 'A roll that was refused for now is sent again after a second, and then each time after twice as long, up to a minute.',
    page: 'docs/services.md#a-service-that-rolls-only-what-is-at-rest',
    check: asksLessAndLess,
  },
  'understands-itself': {
    says: 'An execution whose code does not understand the position goes on from the state in the ledger, as after a crash.',
    page: 'contributing/decisions/014-an-execution-hands-over.md',
    check: (_, run) => understandsItself(run),
  },
  'nothing-goes-nowhere': {
    says: 'An endpoint that had no version before has nowhere to go back to, and is left alone on the way back.',
    page: 'docs/explanation/failures.md#rollback',
    check: (_, run) => nothingGoesNowhere(run),
  },
  'stopped-is-left-out': {
    says: 'An endpoint whose stop may have been carried out is left out of the way back, because nobody knows what a roll would do to it.',
    page: 'docs/explanation/failures.md#rollback',
    check: (_, run) => stoppedIsLeftOut(run),
  },
  'risk-stays-as-it-was': {
    says: 'Of the runtimes that had succeeded, never more than maxAtRisk are in mid-roll or lost on the way back at the same time.',
    page: 'docs/groups.md#rollback-of-a-group',
    check: (_, run) => riskStaysAsItWas(run),
  },
  'takes-back-only-its-own': {
    says: 'What somebody else has moved is left out of the way back, and when nothing is left to take back, the rollout ends at once.',
    page: 'docs/explanation/failures.md#rollback',
    check: takesBackOnlyItsOwn,
  },
  'goes-back': {
    says: 'Whoever undoes a rollout takes every endpoint that it may have rolled back to the version that its plan recorded.',
    page: 'docs/cli.md#abort-approve-reject-retry-revert',
    check: goesBack,
  },
  'names-its-version': {
    says: 'The version that an undoing names is the lowest one that an endpoint which was rolled had before, or that of the undone rollout if the version before is known of none.',
    page: 'docs/cli.md#abort-approve-reject-retry-revert',
    check: namesItsVersion,
  },
  'nothing-holds-undo': {
    says: 'Undoing goes in the waves of the policy, with its maxUnavailable, but nothing bakes, no gate is asked, and windows and freezes do not hold.',
    page: 'docs/cli.md#abort-approve-reject-retry-revert',
    check: nothingHoldsUndo,
  },
  'pause-is-heard': {
    says: 'Before a rollout sends a roll, it has read the holds at most 10 s ago: no roll to the version begins later than that under a pause.',
    page: 'docs/holds.md#who-waits',
    check: pauseIsHeard,
  },
  'paused-begins-no-wave': {
    says: 'What is paused begins no further wave from its next look on.',
    page: 'docs/holds.md#kinds',
    check: beginsNoWave,
  },
  'held-starts-nothing': {
    says: 'Under a freeze nothing starts, and nothing to a version in quarantine: it makes no plan and writes nothing.',
    page: 'docs/holds.md#kinds',
    check: heldStartsNothing,
  },
  'pins-are-heard': {
    says: 'A pinned endpoint is neither rolled forward nor stopped, from the moment at which a rollout has to have heard of the pin.',
    page: 'docs/holds.md#pins',
    check: pinIsHeard,
  },
  'only-pinned-is-left': {
    says: 'A plan leaves out what is pinned, and nothing else as pinned; a rollout lets go of no endpoint that nobody has pinned.',
    page: 'docs/holds.md#pins',
    check: onlyPinnedIsLeft,
  },
  'waves-follow-a-try': {
    says: 'Where all of the first wave is pinned meanwhile, no wave follows.',
    page: 'docs/holds.md#pins',
    check: wavesFollowATry,
  },
  'pins-fail-nothing': {
    says: 'A pin fails no rollout of which something else has tried the version.',
    page: 'docs/holds.md#pins',
    check: pinFailsNothing,
  },
  'refusals-are-of-holds': {
    says: 'What a freeze holds waits if its policy lets it wait, and Held and Quarantined name a hold that is in force.',
    page: 'docs/triggers.md#queueing-and-conflicts',
    check: refusalsAreOfHolds,
  },
  'a-revert-is-held-by-quarantine': {
    says: 'A revert always passes, but for one that would go to a version in quarantine: that is a start like any other.',
    page: 'docs/holds.md#kinds',
    check: revertIsAStart,
  },
  'bad-is-in-quarantine': {
    says: 'By itself, a version that failed as bad is in quarantine from the end of its rollout, for 30 days if the policy says nothing else, until somebody lifts that or a person has rolled it again with success. No other version is by itself.',
    page: 'docs/holds.md#quarantine-by-itself',
    check: badIsInQuarantine,
  },
  'people-keep-their-holds': {
    says: 'Nobody but people lifts what people hold.',
    page: 'docs/holds.md#quarantine-by-itself',
    check: peopleKeepTheirHolds,
  },
  'latest-is-not-in-quarantine': {
    says: 'Latest means the highest version that is not in quarantine, where the service lists versions.',
    page: 'docs/holds.md#quarantine',
    check: latestIsNotQuarantined,
  },
  'freeze-is-over-in-time': {
    says: 'A start that waits looks again every 300 s at most; in a process on this machine it hears within 2 s that a hold was lifted.',
    page: 'docs/triggers.md#queueing-and-conflicts',
    check: freezeIsOverInTime,
  },
  'paused-gives-way-to-nobody': {
    says: 'A paused rollout gives way to nobody.',
    page: 'docs/holds.md#kinds',
    check: pausedGivesNoWay,
  },
  'deadlines-stand-still': {
    says: 'Under a pause the deadlines of a wave and the time of an approval stand still.',
    page: 'docs/holds.md#kinds',
    check: deadlinesStandStill,
  },
  'nothing-else-is-held': {
    says: 'A hold of something else, a freeze of what runs already, and any hold of what has failed make no difference: the stops of a failure and a roll-back always pass.',
    page: 'docs/holds.md#kinds',
    check: heldUnseen,
  },
  'promotion-passes-no-no': {
    says: 'A promoted wave does not pass a gate that has said no and has not taken it back.',
    page: 'docs/cli.md#abort-approve-reject-retry-revert',
    check: noIsNotPassed,
  },
  'silence-holds-no-promoted-wave': {
    says: 'A gate that gives no answer does not hold a promoted wave any more: it goes on at the look that hears the promotion.',
    page: 'docs/cli.md#abort-approve-reject-retry-revert',
    check: silenceHoldsNothing,
  },
  'promotion-shortens-nothing-else': {
    says: 'A promotion ends the bake of the wave that it names, with --full of all that follow, and no other one, and a warm-up is still waited for.',
    page: 'docs/cli.md#abort-approve-reject-retry-revert',
    check: shortensNothingElse,
  },
  'nothing-is-rolled-again': {
    says: 'What an undoing cannot take back stays as it is, because a way back of the way back would roll the version again.',
    page: 'docs/cli.md#abort-approve-reject-retry-revert',
    check: nothingIsRolledAgain,
  },
};

/** Answers what is violated, each with the promise that says something else. */
export function judgeEnding(drawn: Ordeal, run: Observed): string[] {
  const ordeal = asJudged(drawn);
  return Object.entries(JUDGES).flatMap(([id, promise]) =>
    promise.check(ordeal, run).map((violation) => describeViolation(id, promise, violation)),
  );
}
