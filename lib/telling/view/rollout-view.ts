import * as z from 'zod';
import { policySchema } from '../../contract/config/policy.ts';
import { time, toTime, toTimeOrNull } from '../../contract/event.ts';
import type { Instant } from '../../domain/clock.ts';
import { FATES, listFates } from '../../domain/ending/fate.ts';
import { WRITE_OPERATIONS, WRITE_RESULTS } from '../../domain/endpoint/journal.ts';
import type { GateCourse } from '../../domain/rollout/gates.ts';
import { groupOf } from '../../domain/rollout/group.ts';
import { OUTCOME_KINDS } from '../../domain/rollout/outcome.ts';
import { type AskedRollout, elapsedOf } from '../../domain/rollout/record.ts';
import { ending, rolloutPlan } from '../../domain/rollout/stored.ts';
import { recordOf } from '../../domain/stored.ts';
import { GATE_KINDS } from '../../gates/gates.ts';
import { listGateChanges, listGates, type ToldGate } from '../story/gates.ts';
import { type HoldOnIt, holdsInLog } from '../story/holds-on.ts';
import { listLives, MOMENT_KINDS } from '../story/lives.ts';
import { linesOf, logOf } from '../story/log.ts';
import { NEXT_STEPS } from '../story/next-steps.ts';
import { PHASES, phaseOf } from '../story/phase.ts';
import { summarizeWrites } from '../story/wave-writes.ts';
import { HEAD, toApproval, toListedRollout, toWaitReport } from './listed.ts';
import { GATE_ANSWER, GATE_ANSWERS, HELD_BY, LOG_LINES, toHeld, toLogLine } from './watch-lines.ts';

// The whole record of a rollout, as `steproll rollout show -o json` prints it. Fields may be added. When a field
// changes its meaning or goes away, the version goes up.

const SCHEMA_VERSION = 1;

const count = z.int().min(0);
const version = z.int().nullable();
const reason = z.string().nullable().describe('Short and stable.');
const reasons = recordOf(z.string(), count).describe('How many, by reason.');

const wantSchema = z.strictObject({
  kind: z
    .enum(['news', 'approval', 'death', 'silence', 'stuck', 'hold'])
    .describe(
      'news: nothing is to be done. death: its process seems to be dead. silence: it may be.',
    ),
  says: z.string().describe('In sentences.'),
  purpose: z
    .string()
    .nullable()
    .describe('What the commands do. null: there are none, or the sentence says it.'),
  commands: z.array(z.string()).describe('Whole commands, to copy.'),
});

/** Something that a rollout wants people to do or to know. */
export type Want = z.input<typeof wantSchema>;

const leftOut = z.array(rolloutPlan.shape.leftOut.element.strict());

export const rolloutViewSchema = z.strictObject({
  schemaVersion: z.literal(SCHEMA_VERSION),
  ...HEAD,
  endpointUrl: z.string().nullable().describe('Base URL of the service that has the runtime.'),
  phase: z.enum(PHASES),
  state: z.string().nullable().describe('What it does now, in words. null: it has ended.'),
  stuck: z
    .strictObject({ since: time, message: z.string() })
    .nullable()
    .describe('What is stuck, and why, in words. null: nothing is, or nobody can know yet.'),
  wants: z.array(wantSchema).describe('What people have to know or to do now.'),
  forecast: z
    .strictObject({
      waveAt: time.nullable().describe('When its next wave begins. null: it is in the last one.'),
      endAt: time,
    })
    .nullable()
    .describe('If all rolls take as long as those before. null: nobody can say.'),
  holds: z
    .array(
      HELD_BY.extend({
        from: time.describe('From when on it held the rollout.'),
        to: time.nullable().describe('null: it holds it, or did until its end.'),
        lifted: z
          .strictObject({ by: z.string(), reason: z.string() })
          .nullable()
          .describe('null: nobody has lifted it.'),
      }),
    )
    .describe('The holds that keep it, or have kept it, from going on.'),
  gates: z
    .array(
      z.strictObject({
        gate: z.string().describe('"alarm shop-5xx", "metric Errors" or "probe".'),
        isEnforced: z.boolean().describe('false: it only watches.'),
        wave: z.int().min(1).describe('That it was asked about last.'),
        answer: z.enum(GATE_ANSWERS).describe('Its last one.'),
        since: time.describe('Since when it has answered so.'),
        asked: count.describe('At so many looks.'),
        noes: count.describe('At so many of them it said no.'),
        unanswered: count.describe('At so many of them it gave no answer.'),
        lastNoAt: time.nullable().describe('null: it never said no.'),
        lastNo: z.string().nullable().describe('Why it said no last, in words for people.'),
      }),
    )
    .describe('How its gates have answered in the whole rollout.'),
  later: z
    .strictObject({
      rolloutId: z.string(),
      version: z.int().min(1).nullable(),
      revert: z.string().nullable().describe('The rollout that it undoes.'),
      outcome: z.enum(OUTCOME_KINDS).nullable().describe('null: it is under way.'),
      startedAt: time,
      endedAt: time.nullable(),
      message: z.string().describe('A sentence for people.'),
    })
    .nullable()
    .describe('The newest rollout that has rolled the runtime since it ended. null: none has.'),
  policy: policySchema.nullable().describe('null: nobody has looked at it yet.'),
  agreedPlan: z.string().nullable().describe('Fingerprint of the plan that somebody agreed to.'),
  again: z.boolean().describe('Whether a person wanted it although the version was in quarantine.'),
  passedOver: z
    .array(z.strictObject({ runtimeId: z.string(), version: z.number(), because: z.string() }))
    .describe('Versions that "latest" did not mean, because they were in quarantine.'),
  takeOver: z
    .boolean()
    .describe('Whether a person wanted it although somebody else was rolling its endpoints.'),
  unpin: z.array(z.string()).describe('Ids of the pins that a person has passed with it.'),
  group: z
    .string()
    .nullable()
    .describe('The group that it is of, or whose rollout has started it. null: neither.'),
  children: z
    .array(
      z.strictObject({
        rolloutId: z.string(),
        runtimeId: z.string(),
        revert: z.string().nullable().describe('The child that this one undoes.'),
        outcome: z.enum(OUTCOME_KINDS).nullable().describe('null: it is under way.'),
        reason,
        message: z.string().nullable().describe('A sentence for people.'),
      }),
    )
    .describe('The rollouts of the runtimes that the rollout of a group has started.'),
  waves: z.array(
    z.strictObject({
      wave: z.int().min(1),
      endpoints: count,
      bakeSeconds: z.number(),
      rolled: count,
      repeated: count.describe(
        'Rolled once more, because nobody knew the result of the first roll.',
      ),
      refused: reasons,
      rolledBack: count,
      stopped: count,
      kept: reasons,
      gates: z
        .array(
          z.strictObject({
            kind: z.enum([...GATE_KINDS, 'approval']),
            name: z
              .string()
              .nullable()
              .describe('The endpoints, the alarm or the metric. null of an approval.'),
            answer: z.enum(GATE_ANSWERS),
            isEnforced: z.boolean().describe('false: it only watches.'),
            wouldHaveFailed: z
              .boolean()
              .describe('true: it only watches, and the rollout would have failed with this no.'),
            message: z.string().describe('Why, in words for people.'),
            at: time.describe('When it was asked, or when a person has answered.'),
          }),
        )
        .describe('The last answers of its gates. Of many alike, one may stand for all.'),
      gateChanges: z
        .array(
          z.strictObject({
            gate: z.string().describe('"alarm shop-5xx", "metric Errors" or "probe".'),
            isEnforced: z.boolean().describe('false: it only watches.'),
            answer: z.enum(GATE_ANSWERS),
            message: z.string().describe('Why, in words for people.'),
            at: time.describe('Since when it has answered so.'),
            until: time.nullable().describe('null: it has said nothing else yet.'),
          }),
        )
        .describe(
          'How the answers of its gates have changed: of each the first 20 changes, and then one an hour.',
        ),
    }),
  ),
  watching: z
    .array(
      z.strictObject({
        gate: z.string().describe('"alarm shop-5xx", "metric Errors" or "probe".'),
        right: count.describe('In so many it was right: it would have failed a bad one, or none.'),
        of: count.describe('So many it has watched that succeeded or were bad.'),
      }),
    )
    .describe('Its gates that only watch, over the last 20 rollouts of the runtime.'),
  next: z
    .array(
      z.strictObject({
        step: z.enum(NEXT_STEPS).nullable().describe('null: reason says it.'),
        purpose: z.string().describe('In words for people.'),
        command: z.string().nullable(),
      }),
    )
    .describe('What may be done after it did not succeed, the best first.'),
  endpoints: z
    .array(
      z.strictObject({
        endpointId: z.string(),
        name: z.string().nullable(),
        sharesName: z
          .literal(true)
          .exactOptional()
          .describe('Another endpoint of the runtime has the same name.'),
        wave: z.int().min(1),
        previousVersion: version,
        fate: z.enum(FATES).describe('What happened to it, or where it is now.'),
        reason,
        statusReason: z
          .string()
          .nullable()
          .describe('Why it failed, or was taken back, in the words of the service.'),
        life: z
          .array(z.strictObject({ kind: z.enum(MOMENT_KINDS), at: time }))
          .describe('What happened to it, in order, as far as it is known.'),
      }),
    )
    .describe('Endpoints of the plan, in its order.'),
  leftOut: leftOut.describe('Endpoints that the plan leaves alone.'),
  rollback: z
    .strictObject({
      cause: ending.strict(),
      endpoints: z.array(z.strictObject({ endpointId: z.string(), version: z.int() })),
      leftOut,
    })
    .nullable()
    .describe('The rollback, and why it began.'),
  log: z
    .array(LOG_LINES)
    .describe('What happened besides its writes, in order: the lines of "rollout watch -o json".'),
  writes: z
    .array(
      z.strictObject({
        at: time,
        operation: z.enum(WRITE_OPERATIONS),
        endpointId: z.string(),
        result: z.enum(WRITE_RESULTS),
        reason,
        message: z.string().nullable(),
      }),
    )
    .describe('The journal, intentions among them.'),
});

export type RolloutView = z.input<typeof rolloutViewSchema>;

/** What a view says that its record alone does not. */
export type ToldOfView = Pick<
  RolloutView,
  'state' | 'stuck' | 'wants' | 'forecast' | 'holds' | 'later' | 'next'
>;

interface Besides extends Partial<ToldOfView & Pick<RolloutView, 'watching'>> {
  /** What the rollout of a group has started. */
  readonly children?: readonly AskedRollout[];
}

/**
 * @param now The time that counts for the rollout.
 * @param besides What the record does not say. @default - nothing
 */
export function toRolloutView(
  record: AskedRollout,
  now: Instant,
  { children = [], ...told }: Besides = {},
): RolloutView {
  const { request, startedAt, wait, endedAt, outcome, rollback } = record;
  const phase = phaseOf(record, now);
  return {
    schemaVersion: SCHEMA_VERSION,
    ...toListedRollout({ ...request, ...{ startedAt, wait, endedAt, outcome } }),
    wait: toWaitReport(wait),
    approval: toApproval(phase.phase === 'approval' ? phase : null),
    seconds: endedAt === null ? null : Math.round(elapsedOf(record, endedAt) / 1000),
    endpointUrl: request.endpointUrl ?? null,
    phase: phase.phase,
    ...{ state: null, stuck: null, wants: [], forecast: null, later: null, next: [], watching: [] },
    holds: toHolds(holdsInLog(record)),
    gates: toCourses(record),
    policy: request.policy as RolloutView['policy'],
    agreedPlan: request.agreedPlan ?? null,
    again: request.again === true,
    passedOver: [...(request.passedOver ?? [])],
    takeOver: request.takeOver === true,
    unpin: [...(request.unpin ?? [])],
    group: groupOf(request),
    children: children.map(toChild),
    waves: wavesOf(record),
    endpoints: endpointsOf(record),
    leftOut: [...(record.plan?.leftOut ?? [])],
    rollback: rollback === null ? null : rollbackOf(rollback),
    log: logOf(record).flatMap((entry) => (entry.kind === 'write' ? [] : [toLogLine(entry)])),
    writes: record.journal.map(({ at, operation, endpointId, result, ...entry }) => ({
      at: toTime(at),
      operation,
      endpointId,
      result,
      reason: entry.reason ?? null,
      message: entry.message ?? null,
    })),
    ...told,
  };
}

export function toHolds(holds: readonly HoldOnIt[]): RolloutView['holds'] {
  return holds.map(({ hold, from, to, lifted }) => {
    return { ...toHeld(hold), from: toTime(from), to: toTimeOrNull(to), lifted };
  });
}

export function toCourses(record: AskedRollout): RolloutView['gates'] {
  const lines = linesOf(record).filter((line) => line.kind === 'gate');
  return (record.progress?.gateCourses ?? []).map((course) => {
    const own = lines.filter(({ gate, isWatching }) => {
      return gate === course.gate && isWatching === course.isWatching;
    });
    const no = own.findLast(({ verdict }) => verdict === 'fail');
    return { ...toCourse(course), lastNo: no?.detail ?? null };
  });
}

function toCourse(course: GateCourse): Omit<RolloutView['gates'][number], 'lastNo'> {
  const { gate, isWatching, wave, verdict, since, asked, noes, silent, lastNoAt } = course;
  return {
    ...{ gate, isEnforced: isWatching !== true, wave, answer: GATE_ANSWER[verdict] },
    ...{ since: toTime(since), asked, noes, unanswered: silent },
    lastNoAt: lastNoAt === undefined ? null : toTime(lastNoAt),
  };
}

function toChild({ request, outcome: end }: AskedRollout): RolloutView['children'][number] {
  const { rolloutId, runtimeId, revert = null } = request;
  const { outcome = null, reason = null, message = null } = end ?? {};
  return { rolloutId, runtimeId, revert, outcome, reason, message };
}

function toGate({ kind, name, verdict, detail, at, isWatching, wouldHaveFailed }: ToldGate) {
  return {
    ...{ kind, name, answer: GATE_ANSWER[verdict], message: detail, at: toTime(at) },
    isEnforced: isWatching !== true,
    wouldHaveFailed: wouldHaveFailed === true,
  };
}

function gateChangesOf(record: AskedRollout, ofWave: number) {
  return listGateChanges(record)
    .filter(({ wave }) => wave === ofWave)
    .map(({ gate, isWatching, verdict, detail, at, until }) => ({
      ...{ gate, isEnforced: !isWatching, answer: GATE_ANSWER[verdict], message: detail },
      ...{ at: toTime(at), until: until === null ? null : toTime(until) },
    }));
}

function wavesOf(record: AskedRollout): RolloutView['waves'] {
  const gates = Map.groupBy(listGates(record), ({ wave }) => wave);
  return summarizeWrites(record).map(({ refused, kept, ...wave }) => ({
    ...wave,
    bakeSeconds: record.plan?.waves[wave.wave - 1]?.bakeSeconds ?? 0,
    gates: (gates.get(wave.wave) ?? []).map(toGate),
    gateChanges: gateChangesOf(record, wave.wave),
    refused: Object.fromEntries(refused),
    kept: Object.fromEntries(kept),
  }));
}

function endpointsOf(record: AskedRollout): RolloutView['endpoints'] {
  const fates = new Map(listFates(record).map((fate) => [fate.endpointId, fate]));
  const lives = listLives(record);
  const { waves = [], endpoints = [] } = record.plan ?? {};
  return waves.flatMap(({ from, to }, index) =>
    endpoints.slice(from, to).map(({ endpointId, name, sharesName, previousVersion }) => {
      const {
        fate = 'not-rolled',
        reason = null,
        statusReason = null,
      } = fates.get(endpointId) ?? {};
      const moments = lives.get(endpointId) ?? [];
      const life = moments.map(({ kind, at }) => ({ kind, at: toTime(at) }));
      const told = { fate, reason, statusReason, life };
      const which = { endpointId, name, ...(sharesName && { sharesName }) };
      return { ...which, wave: index + 1, previousVersion, ...told };
    }),
  );
}

function rollbackOf({ cause, plan }: NonNullable<AskedRollout['rollback']>) {
  const endpoints = plan.endpoints.map(({ endpointId, desiredVersion }) => ({
    endpointId,
    version: desiredVersion,
  }));
  return { cause: { ...cause }, endpoints, leftOut: [...plan.leftOut] };
}
