import type { Moment } from '../../domain/clock.ts';
import { decideAhead } from '../../domain/decision/after-gates.ts';
import type { Decision } from '../../domain/decision/decision.ts';
import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import {
  type AheadWatch,
  type AskedReading,
  type GateLook,
  rememberGates,
} from '../../domain/rollout/gates.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import type { RolloutRecord, WaveProgress } from '../../domain/rollout/record.ts';
import type { RolloutRequest } from '../../domain/rollout/request.ts';
import { hearAhead } from '../../domain/wave/ahead.ts';
import { tellCourses } from '../../domain/wave/gate-courses.ts';
import { noteAhead } from '../../domain/wave/gate-watch.ts';
import { countedMs } from '../../domain/wave/progress.ts';
import { askGates } from '../../gates/ask-gates.ts';
import type { Ahead, EndpointAhead, QuestionAhead } from '../../gates/gate.ts';
import { askedAt, type GatePorts, KINDS_OF_ENDPOINTS } from '../../gates/gates.ts';
import type { WaveLook } from './ask-waves.ts';

/** A wave that is about to begin, on a list that was read just now. */
interface AboutToBegin extends Pick<QuestionAhead, 'now' | 'watched'> {
  /** What is asked now. */
  readonly when: readonly Ahead[];
  readonly request: RolloutRequest;
  readonly plan: RolloutPlan;
  /** 0-based. */
  readonly wave: number;
  readonly endpoints: readonly Endpoint[];
  /** What the gates have said before. @default - nothing */
  readonly before: AheadWatch | undefined;
}

export async function askAheadOf(
  { request, plan, wave, endpoints: listed, before, when: times, now, watched }: AboutToBegin,
  ports: GatePorts,
): Promise<AskedReading[]> {
  const { from = 0, to = 0 } = plan.waves[wave] ?? {};
  const rows = new Map(listed.map((endpoint) => [endpoint.id, endpoint]));
  const endpointsOf = (when: Ahead): EndpointAhead[] => {
    const planned = when === 'before-wave' ? plan.endpoints.slice(from, to) : plan.endpoints;
    return planned.map(({ endpointId: id, name, previousVersion }) => {
      const row = rows.get(id);
      return { id, name: row?.name ?? name, url: row?.url ?? null, previousVersion };
    });
  };
  const { kept = [] } = before ?? {};
  const about = { request, now, watched, wave: wave + 1, kept };
  const readings = times.map((when) => {
    const question = { when, ...about, endpoints: endpointsOf(when) };
    return askGates(request.policy.verify, question, ports);
  });
  return (await Promise.all(readings)).flat();
}

/** What is told of the answers that a 0-based wave has waited for. @param before What was told before. */
export function tellAhead(
  wave: number,
  clock: Moment,
  readings: readonly AskedReading[],
  { watched = [], ...before }: Pick<WaveProgress, 'watched' | 'gateCourses' | 'news'>,
): Pick<WaveProgress, 'watched' | 'gateCourses' | 'news'> & { readonly gates: GateLook } {
  const at = { wave: wave + 1, at: clock.at, isAhead: true } as const;
  const told = readings.map(({ detail, ...one }) => {
    return { ...one, detail: `${detail} (before wave ${at.wave})` };
  });
  const known = noteAhead(watched, readings, { wave: at.wave, clock });
  return {
    gates: rememberGates(at.wave, at.at, told, KINDS_OF_ENDPOINTS),
    ...tellCourses(before, readings, at, KINDS_OF_ENDPOINTS),
    ...(known.length > 0 && { watched: known }),
  };
}

const OF_LATER_WAVES = ['before-wave'] as const;

/** Asks what the next wave waits for, once nothing else keeps it from beginning. The list was read at this look. */
export async function askBeforeWave(
  decision: Decision,
  { record, plan, progress, endpoints }: WaveLook & { readonly record: RolloutRecord },
  before: WaveProgress,
  ports: GatePorts,
): Promise<{ readonly decision: Decision; readonly progress: WaveProgress }> {
  const { request } = record;
  if (decision.next !== 'roll' || askedAt(request.policy.verify, OF_LATER_WAVES).length === 0) {
    return { decision, progress };
  }
  const { clock, readAt, ahead, gates } = progress;
  const { wave } = decision;
  const asked = { request, plan, wave, endpoints, before: ahead, when: OF_LATER_WAVES };
  const readings = await askAheadOf({ ...asked, now: readAt, watched: clock.watched }, ports);
  const told = tellAhead(wave, clock, readings, progress);
  // What an earlier look has left there says nothing of this one.
  const own = gates?.at === clock.at ? gates.answers : [];
  const answers = [...own, ...told.gates.answers];
  const heard: WaveProgress = {
    ...progress,
    ahead: hearAhead(ahead, readings, countedMs(record, before, clock)),
    ...told,
    gates: { ...told.gates, wave, answers },
  };
  return { decision: decideAhead(record, plan, heard, readings, decision), progress: heard };
}
