import { styleText } from 'node:util';
import { systemClock } from '../../adapters/machine/clock.ts';
import { describePolicyName } from '../../contract/config/policy-name.ts';
import { toTime, toTimeOrNull } from '../../contract/event.ts';
import { refuseUnanswerable } from '../../steps/opening/plan.ts';
import { courseAhead } from '../../telling/story/course.ts';
import { columnsOf, widthOf, wrapLines } from '../../telling/width.ts';
import { drawCourse } from '../../telling/words/draw-course.ts';
import { describeAhead } from '../../telling/words/plan.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { overridesOf } from '../options/policy-shape.ts';
import { inputOf, planOptionsSchema } from '../options/rollout-options.ts';
import { prepare } from '../settings/prepare.ts';
import { fromOf, withService } from '../settings/service.ts';
import { isForPeople, printResult } from '../terminal/print-result.ts';
import { drawAhead } from './ahead.ts';
import { refuseForGroup, withGroup } from './group.ts';
import { previewRollout, refuseWindows } from './preview.ts';
import { withServiceOfStack } from './service-of-stack.ts';
import { announceTakeOver, findDead } from './start.ts';
import { unlockedPolicy } from './unlocked-policy.ts';

/** `steproll rollout plan`: shows what would be done and how long it would take, and changes nothing. */
export async function rolloutPlan(invocation: Invocation): Promise<number> {
  const asked = await withServiceOfStack(withGroup(invocation));
  const prepared = await prepare(planOptionsSchema, asked);
  const { options, config } = prepared;
  refuseForGroup(options, config);
  const id = options['runtime-id'];
  const policy = await unlockedPolicy(overridesOf(options), config, id, options);
  const wanted = inputOf(options);
  const drawn = await withService(prepared, (service) =>
    drawAhead(wanted, policy, service, { options, config }),
  );
  // A plan is correct without a history, too, and when that cannot be read, the preview says so.
  const runtimeId = options['runtime-id'];
  const dead = await findDead(runtimeId, options['--endpoint-url'], options).catch(() => null);
  if (dead !== null) announceTakeOver(runtimeId, dead, false);
  const now = systemClock.now();
  const preview = await previewRollout(drawn, prepared, now);
  const { estimate, begin, ahead, windows, unsaid } = preview;
  if (isForPeople(options)) {
    const name = describePolicyName(config, runtimeId);
    const notes = name === null ? [] : [`  ${name.replace(/\.$/, '')}`];
    const lines = [...describeAhead(drawn, preview, fromOf(prepared)), ...notes];
    // Without a known time of a roll, a picture would show bakes alone.
    const picture =
      estimate.seconds === null
        ? []
        : drawCourse(courseAhead(estimate, begin.at, now), {
            isLive: false,
            columns: columnsOf(process.stdout) - INDENT.length,
            style: (format, text) => styleText(format, text, { stream: process.stdout }),
          });
    const text = [
      ...wrapLines(lines, widthOf(process.stdout)),
      ...picture.map((line) => INDENT + line),
    ];
    process.stdout.write(`${text.join('\n')}\n`);
  } else {
    const waves = ahead?.beginAt.map((at) => ({ at: toTime(at) })) ?? null;
    const result = { id: drawn.fingerprint, ...drawn, estimate, windows, unsaid };
    const at = toTimeOrNull(begin.at);
    const endsAt = toTimeOrNull(begin.endsAt);
    printResult({ ...result, begin: { ...begin, at, endsAt, waves, takesOver: dead } }, options);
  }
  refuseUnanswerable(drawn.unanswerable);
  refuseWindows(windows);
  return ExitCode.Done;
}

const INDENT = '  ';
