import { nameNewer } from '../../cli/rollout/newer.ts';
import { listFates } from '../../domain/ending/fate.ts';
import { ErrorName } from '../../domain/errors.ts';
import { describeEnd, describeHold, type Hold } from '../../domain/holds/hold.ts';
import { whatQuarantines } from '../../domain/holds/what-holds.ts';
import { dateTime } from '../../domain/local-time.ts';
import { nounOf } from '../../domain/rollout/group.ts';
import type { AskedRollout, RolloutSummary } from '../../domain/rollout/record.ts';
import { describeWanted } from '../../domain/rollout/request.ts';
import { countOf, nameOf } from '../../domain/sentences.ts';
import { leftByLater } from '../../telling/story/after.ts';
import { isLeft, leftToDo, rolledAway } from '../../telling/story/fates.ts';
import { listNames, plainText } from '../../telling/text.ts';
import { describeRetry, describeStopped } from '../../telling/words/retry.ts';
import type { Offer } from '../desk.ts';

/** What is known of a rollout when somebody is offered to go on or to go back. */
interface Standing {
  readonly record: AskedRollout;
  readonly children: readonly AskedRollout[];
  /** The rollouts of its runtime, the newest first, this one among them. */
  readonly all: readonly RolloutSummary[];
  readonly holds: readonly Hold[];
  readonly now: number;
  /** Whether it would run in the process of the console. */
  readonly runsHere: boolean;
}

const ENDS_WITH_IT =
  'It runs in the process of this console: Ctrl-C there aborts it and takes nothing back; if that process dies, somebody has to resume it.';

/** What a retry would do, or why it would come to nothing. `null`: there is nothing to retry. */
export function offerRetry(standing: Standing): Offer | null {
  const { record, children, runsHere } = standing;
  if (record.outcome === null || record.outcome.outcome === 'Succeeded') return null;
  const whyNot = describeAhead(standing) ?? whyInVain(standing);
  if (whyNot !== null) return { whyNot: plainText(whyNot) };
  const names = listFates(record)
    .filter(isLeft)
    .map(({ name }) => name);
  const which = names.length === 0 ? [] : [`${countAll(names, record)}: ${listNames(names)}.`];
  const says = [...describeRetry(record, children), ...which, ...(runsHere ? [ENDS_WITH_IT] : [])];
  return { says };
}

/** What would keep a retry from doing anything but fail once more. */
function whyInVain({ record, all, holds, now }: Standing): string | null {
  const { request, outcome, startedAt } = record;
  const { rolloutId, runtimeId, desiredVersion, policy } = request;
  const since = all.filter((one) => one.rolloutId !== rolloutId && one.startedAt >= startedAt);
  const succeeded = since.filter((one) => one.outcome?.outcome === 'Succeeded');
  const same = succeeded.find(
    (one) => one.desiredVersion === desiredVersion && one.revert === request.revert,
  );
  if (same !== undefined) return 'The same was rolled since then, and succeeded.';
  if (request.revert !== undefined) return null;
  if (leftToDo(record).toRoll === 'nothing') return 'Nothing of it is left to roll.';
  if (desiredVersion !== null) {
    const [quarantine] = whatQuarantines(runtimeId, [desiredVersion], holds, now);
    if (quarantine?.after === rolloutId) {
      return `Version ${desiredVersion} is in quarantine because of this, ${describeEnd(quarantine, dateTime)}.`;
    }
    if (quarantine !== undefined) return describeHold(quarantine);
  }
  if (policy?.allowDowngrade) return null;
  const higher = succeeded.find((one) => (one.desiredVersion ?? 0) > (desiredVersion ?? 0));
  if (higher !== undefined) {
    return `Version ${higher.desiredVersion} was rolled since then, and the policy allows no step down.`;
  }
  if (outcome?.reason === ErrorName.DowngradeRefused) return 'The policy allows no step down.';
  return null;
}

/** What a revert would take back. `null`: nothing. */
export function offerRevert(standing: Standing, newer: readonly AskedRollout[]): Offer | null {
  const { record, runsHere } = standing;
  if (record.outcome === null || !leftToDo(record).toTakeBack) return null;
  const ahead = describeAhead(standing);
  if (ahead !== null) return { whyNot: plainText(ahead) };
  const stopped = describeStopped(record, standing.children);
  const named = nameNewer(newer);
  const left = leftByLater(record, newer);
  if (left.size === 0 && named !== null) {
    return { whyNot: plainText(`${named} So nothing of this one is left to take back.`) };
  }
  const back = rolledAway(record).filter(({ before }) => left.has(before.endpointId));
  const versions = Map.groupBy(back, ({ previousVersion }) => previousVersion);
  const told = [...versions].map(([version, own]) => {
    const names = own.map(({ before }) => nameOf(before));
    const go = names.length === 1 ? 'goes' : 'go';
    return version === null
      ? `${countAll(names, record)} had no version before and stays as it is: ${listNames(names)}.`
      : `${countAll(names, record)} ${go} back to version ${version}: ${listNames(names)}.`;
  });
  const says = [
    'A new rollout starts that undoes this one.',
    ...told,
    'It goes wave by wave.',
    'Nothing bakes, and no gate is asked.',
    ...(stopped === null ? [] : [stopped]),
    ...(named === null ? [] : [named]),
    ...(runsHere ? [ENDS_WITH_IT] : []),
  ];
  return { says: says.map(plainText) };
}

/** What a resume would do. `null`: its process is alive, or somebody else looks after it. */
export function offerResume(
  { record, runsHere }: Standing,
  isDead: boolean,
  stage: string,
): Offer | null {
  if (!isDead || !runsHere) return null;
  const rest = listFates(record).filter(
    ({ fate }) => fate === 'not-rolled' || fate === 'in-mid-roll',
  );
  const left =
    rest.length === 0
      ? []
      : [
          `${countAll(rest, record)} of ${record.plan?.endpoints.length ?? 0} ${rest.length === 1 ? 'is' : 'are'} not on ${describeWanted(record.request)} yet.`,
        ];
  return { says: [`It goes on where it stopped: ${stage}.`, ...left, ENDS_WITH_IT].map(plainText) };
}

/** The rollout that would have to end first. */
function describeAhead({ record, all }: Standing): string | null {
  const { rolloutId, runtimeId, policy } = record.request;
  if (policy?.onConflict === 'latest') return null;
  const open = all.find((one) => one.outcome === null && one.rolloutId !== rolloutId);
  if (open === undefined) return null;
  return `${runtimeId} has a rollout to ${describeWanted(open)} that has not ended: ${open.rolloutId}.`;
}

function countAll({ length }: readonly unknown[], { request }: AskedRollout): string {
  return countOf(length, nounOf(request.runtimeId));
}
