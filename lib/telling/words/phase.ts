import { commandOf } from '../../domain/command.ts';
import { containmentOf } from '../../domain/containment/failure-policies.ts';
import { describeDuration } from '../../domain/durations.ts';
import { ErrorName } from '../../domain/errors.ts';
import { describeHold, type ToldHold } from '../../domain/holds/hold.ts';
import { clockTime, dateMinute } from '../../domain/local-time.ts';
import { failingOf } from '../../domain/rollout/event.ts';
import { describeWait } from '../../domain/rollout/opening.ts';
import { nameInWords } from '../../domain/rollout/outcome.ts';
import { countsPeople } from '../../domain/rollout/policy.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { findAbort } from '../../domain/signals/abort.ts';
import { AT_TIMEOUT, findAnswer } from '../../domain/signals/approval.ts';
import { senderOf } from '../../domain/signals/signal-kind.ts';
import { kindOf, mayWrite } from '../../domain/signals/signals.ts';
import { holdingNow, holdsInLog } from '../story/holds-on.ts';
import type { AwaitedApproval, Lockout, Phase } from '../story/phase.ts';
import { quietSince } from '../story/quiet.ts';
import type { Story } from '../story/story.ts';
import { plainText } from '../text.ts';
import type { Want } from '../view/rollout-view.ts';
import { type EngineArguments, listStuck } from './stuck.ts';

/** What keeps a rollout from going on that a person may lift. */
function wantsOfHolds(holds: readonly ToldHold[], engine: string): Want[] {
  return holds.map((hold) => {
    const commands = [commandOf(['hold', 'lift', hold.id, '--reason', 'WHY'], engine)];
    return { kind: 'hold', says: describeHold(hold), purpose: 'To lift it', commands };
  });
}

/** Line by line, with the commands further in. */
export function linesOf(wants: readonly Want[]): string[] {
  return wants.flatMap(({ says, purpose, commands }) => {
    if (commands.length === 0) return [says];
    const lead = purpose === null ? says.replace(/\.$/, '') : `${says} ${purpose}`;
    return [`${lead}:`, ...commands.map((command) => `  ${command}`)];
  });
}

/** What a rollout wants people to do or to know. */
export function listWants(
  story: Story,
  engine: EngineArguments,
  holding?: readonly ToldHold[],
): Want[] {
  const { record, phase, isAbandoned } = story;
  if (phase.phase === 'ended') return [];
  const abort = abortAhead(record);
  const what = isAbandoned ? '' : `: ${abort?.what}`;
  return [
    ...(abort === null ? [] : [newsOf(`${senderOf(abort.signal)} asked to abort${what}.`)]),
    ...(abort === null && !isAbandoned ? answerAhead(record) : []),
    ...listNeeds(story, engine, holding),
  ];
}

/**
 * The same without an abort that is ahead, for views that tell it where they tell the signal.
 *
 * @param holding The holds that keep it from going on. @default - those that its log has
 */
export function listNeeds(
  story: Story,
  engine: EngineArguments,
  holding: readonly ToldHold[] = holdingNow(holdsInLog(story.record)),
): Want[] {
  const { record, phase, isAbandoned } = story;
  if (phase.phase === 'ended') return [];
  // Nobody listens to a word of a dead one, and nobody counts to its deadline.
  const isAsking = phase.phase === 'approval' && !isAbandoned;
  const quiet = engine === null ? [] : listQuiet(story, engine);
  return [
    ...(isAsking ? [wantOfApproval(record.request, phase, engine ?? '')] : []),
    ...(isAbandoned ? [] : wantsOfHolds(holding, engine ?? '')),
    ...quiet,
    // Of what was not heard of nobody knows, and what is told to end needs no word more.
    ...(quiet.length > 0 || abortAhead(record) !== null ? [] : listStuck(story, engine)),
  ];
}

/**
 * The wave that waits for a person, and the commands that answer it. Without seconds: the end moves a little with each look,
 * and that is no news. Where people are counted, on one machine no command of ours can prove a yes.
 */
function wantOfApproval(
  { rolloutId, policy }: AskedRollout['request'],
  { wave, until, onTimeout, needed, approvedBy }: AwaitedApproval,
  engine: string,
): Want {
  const isUnproven = engine === '' && countsPeople(policy?.verify.approval ?? null);
  const answers = isUnproven ? ['reject'] : ['approve', 'reject'];
  // Under a pause nothing happens by itself.
  const limit = until === null ? '' : ` until ${dateMinute(until)}, or is ${AT_TIMEOUT[onTimeout]}`;
  const says =
    needed > 1
      ? `Wave ${wave} ${describeApprovals({ needed, approvedBy })}, and waits for yours${limit}.`
      : `Wave ${wave} waits for your approval${limit}.`;
  return {
    kind: 'approval',
    says: isUnproven ? `${says} ${PROVEN_BY_TOKEN}` : says,
    purpose: isUnproven ? 'To reject it' : null,
    commands: answers.map((answer) =>
      commandOf(['rollout', answer, rolloutId, '--wave', `${wave}`], engine),
    ),
  };
}

const PROVEN_BY_TOKEN = 'Approvers answer through the listener, each with a token of their own.';

/** Of several people who have to say yes, how many have, and who. */
function describeApprovals({
  needed,
  approvedBy,
}: Pick<AwaitedApproval, 'needed' | 'approvedBy'>): string {
  if (approvedBy === null) return `takes ${needed} approvals`;
  const who = approvedBy.length === 0 ? '' : `, by ${approvedBy.join(' and ')}`;
  return `has ${approvedBy.length} of ${needed} approvals${plainText(who)}`;
}

/**
 * The abort that was asked for and not followed yet, and what it will do. `null`: there is none, or the events after
 * it tell what was done.
 */
export function abortAhead({ signals, rollback, events, outcome, plan }: AskedRollout) {
  const abort = findAbort(signals);
  const failing = failingOf(events);
  if (abort === undefined || (failing !== undefined && failing.at >= abort.at)) {
    return null;
  }
  if (outcome !== null) return null;
  const goesOn = rollback !== null && mayWrite('roll-back', signals);
  if (goesOn) return { signal: abort, what: 'the rollback goes on to its end' };
  const policy = abort.onFailure ?? 'hold';
  const isLeft = policy === 'hold' || rollback !== null;
  const { consequence } = containmentOf(policy, plan);
  const what = isLeft ? 'it ends at its next look' : `at its next look ${consequence}`;
  return { signal: abort, what };
}

/** What a person has said to the wave that waited for it, until the rollout has acted on it. */
function answerAhead(record: AskedRollout): Want[] {
  const { events, progress } = record;
  const wave = progress?.wave ?? 0;
  const said = findAnswer(record, wave);
  const hasActed = events.some(
    (event) => event.kind === 'failing' || (event.kind === 'wave-started' && event.wave > wave + 1),
  );
  if (said === undefined || hasActed) return [];
  const { signal } = said;
  const what = kindOf(signal).describe({ ...signal, reason: '' });
  return [newsOf(`${what}: it acts on that at its next look.`)];
}

/**
 * Says that a rollout is silent for too long, and what helps. On AWS the janitor closes dead rollouts. Elsewhere a
 * person has to resume them.
 */
export function listQuiet({ record, now, isAbandoned }: Story, engine: string): Want[] {
  const aim = abortAhead(record) === null ? 'go on with it' : 'have the abort carried out';
  const commands = [commandOf(['rollout', 'resume', record.request.rolloutId], engine)];
  if (isAbandoned) {
    const says = 'Its process seems to be dead.';
    return [{ kind: 'death', says, purpose: `To ${aim}`, commands }];
  }
  const since = quietSince(record, now);
  if (since === null) return [];
  const says = `Nothing was heard of it since ${clockTime(since)}.`;
  if (engine !== '')
    return [newsOf(`${says} Where its execution has ended, it is closed within minutes.`)];
  const purpose = `Where its process has died, to ${aim}`;
  return [{ kind: 'silence', says, purpose, commands }];
}

export function newsOf(says: string): Want {
  return { kind: 'news', says, purpose: null, commands: [] };
}

/** Where a rollout is, with its countdowns. Of one whose process is dead: where it was then. */
export function describeState(story: Story): string {
  const { isAbandoned, at, phase, where } = story;
  return isAbandoned
    ? `${describeStage(story)}, last heard of at ${clockTime(at)}`
    : describePhase(phase, where);
}

function describePhase(phase: Phase, where: string): string {
  switch (phase.phase) {
    case 'waiting':
    case 'window':
      return plainText(describeWait(phase.wait));
    case 'planning':
      return 'Reading the list, making the plan';
    case 'rolling':
      return `${where}: rolling${describeLockout(phase.lockout)}${describeDeadline(phase.deadlineMs)}`;
    case 'unreadable':
      return `${where}: the list has not been readable for ${describeDuration(phase.forMs)}${describeLockout(phase.lockout)}${describeDeadline(phase.deadlineMs)}`;
    case 'baking':
      return phase.doubt === null
        ? `${where}: baking${phase.leftMs === null ? '' : `, ${describeDuration(phase.leftMs)} left`}`
        : plainText(`${where}: ${describeDoubt(phase.doubt)}`);
    case 'paused':
      return `${where}: paused`;
    case 'verifying':
      return `${where}: baked, verifying`;
    case 'approval':
      return `${where}: ${describeAsking(phase)}${describeLimit(phase)}`;
    case 'stopping':
      return 'Stopping the old endpoints';
    case 'turning-around':
      return 'Planning the way back';
    case 'holding':
      return 'Ending, with everything as it is';
    case 'ended':
      return plainText(nameInWords(phase.outcome));
    default:
      return phase satisfies never;
  }
}

/** What rolls and reads have in common that nobody lets in. It begins with a comma, or it is empty. */
function describeLockout(lockout: Lockout | null): string {
  if (lockout === null) return '';
  const { since, reason } = lockout;
  const what =
    reason === ErrorName.PermissionMissing
      ? 'a permission has been missing'
      : 'the credentials have been refused';
  return `, ${what} since ${clockTime(since)} (${plainText(reason)})`;
}

/** The same without countdowns, because nobody counts now, or because they would be news all the time. */
export function describeStage({ phase, where }: Pick<Story, 'phase' | 'where'>): string {
  switch (phase.phase) {
    case 'rolling':
      return `${where}: rolling`;
    case 'unreadable':
      return `${where}: the list could not be read`;
    case 'baking':
      return `${where}: baking`;
    case 'approval':
      return `${where}: ${describeAsking(phase)}`;
    default:
      return describePhase(phase, where);
  }
}

function describeAsking(approval: AwaitedApproval): string {
  return approval.needed > 1 ? describeApprovals(approval) : 'waits for approval';
}

/** What becomes of it by itself, and when. Under a pause its time stands still. */
function describeLimit({ onTimeout, leftMs }: Extract<Phase, { phase: 'approval' }>): string {
  return leftMs === null
    ? ', the time for it stands still'
    : `, ${AT_TIMEOUT[onTimeout]} by itself in ${describeDuration(leftMs)}`;
}

type Doubt = NonNullable<Extract<Phase, { phase: 'baking' }>['doubt']>;

function describeDoubt({ unanswered, deadlineMs }: Doubt): string {
  return unanswered === null
    ? `baking, in doubt since a look spoke against it${describeDeadline(deadlineMs)}`
    : `baked, no answer from its gates${describeDeadline(deadlineMs)}: ${unanswered}`;
}

/** One that is more than a day away changes nothing of what people do now. It begins with a comma, or it is empty. */
export function describeDeadline(leftMs: number | null): string {
  if (leftMs === null || leftMs > DAY_MS) return '';
  return leftMs > 0 ? `, deadline in ${describeDuration(leftMs)}` : ', deadline reached';
}

const DAY_MS = 24 * 3_600_000;
