import type { Given } from '../../cli/invocation/invocation.ts';
import type { Instant } from '../../domain/clock.ts';
import { describeHold, type Hold } from '../../domain/holds/hold.ts';
import { whatFreezes, whatQuarantines } from '../../domain/holds/what-holds.ts';
import { WEB_PAGE } from '../../telling/page.ts';
import { courseOf } from '../../telling/story/course.ts';
import { plainText } from '../../telling/text.ts';
import type { RehearsalAsked } from '../asked.ts';
import type { RehearsalStory } from '../desk.ts';

/**
 * Rehearses a rollout as `steproll rehearse` does it: the service is only asked for its list.
 *
 * @param given The options of the console, which say where the service is and how it is called.
 * @param holds What is in force now. The rehearsal goes on in spite of it, and says so.
 */
export async function rehearseFor(
  { runtime, version, faults, seed }: RehearsalAsked,
  given: Given,
  holds: readonly Hold[],
  now: Instant,
): Promise<RehearsalStory> {
  // The simulator is loaded here, because most nights need no rehearsal.
  const { prepareRehearsal } = await import('../../cli/rehearsal/prepare-rehearsal.ts');
  const { runOnce } = await import('../../cli/rehearsal/rehearse.ts');
  const { tellRehearsal } = await import('../../cli/rehearsal/describe-rehearsal.ts');
  const asked = {
    ...given,
    '--interactive': false,
    'runtime-id': runtime,
    '--version': version,
    ...(faults !== 'none' && { '--faults': faults, '--seed': seed }),
  };
  const { options, draw } = await prepareRehearsal({ given: asked, mistakes: [] });
  const told = await runOnce(await draw(), options);
  const { record, seconds } = told.rehearsed;
  const endsAt = told.rehearsal.startsAt + seconds * 1000;
  const request = record?.request ?? { runtimeId: runtime, desiredVersion: null };
  const { desiredVersion } = request;
  const held = [
    ...whatFreezes(request, holds, now),
    ...whatQuarantines(runtime, desiredVersion === null ? [] : [desiredVersion], holds, now),
  ].map((hold) => plainText(describeHold(hold)));
  return {
    ...tellRehearsal(told, WEB_PAGE),
    held,
    hasSucceeded: told.rehearsed.outcome.outcome === 'Succeeded',
    course: record && courseOf(record, endsAt),
  };
}
