import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import type { GateAnswer } from '../../../lib/gates/gate.ts';
import type { GatePorts } from '../../../lib/gates/gates.ts';
import { judgeMetric, type MetricQuestion, seriesOf } from '../../../lib/gates/metric-rule.ts';
import type { Probe } from '../../../lib/gates/probe.ts';
import { isNow } from '../../../lib/rehearsal/service-faults.ts';
import { drawPlan } from '../../../lib/steps/opening/draw-plan.ts';
import { RUNTIME, type Script, type Stage } from '../../support/run-scenario.ts';
import { scenarioService } from '../../support/scenario-service.ts';
import { START, scenarioTime, secondsSinceStart } from '../../support/scenario-time.ts';
import { WHOLE_POLICY } from '../../support/whole-policy.ts';
import { nameOfReading } from './fault-names.ts';
import { isFaulty, isUnreadable, minutesOf, valueIn } from './metric-world.ts';
import type { Asked, GateFault, Ordeal, PlanChange } from './ordeal.ts';

interface RequestStage {
  nameOf(endpointId: string): string;
  meet(fault: string): void;
}

/** Puts what a rollout is asked for on the stage. */
export function requestOf(
  { asked, readings }: Ordeal,
  policy: Partial<RolloutPolicy>,
  { nameOf, meet }: RequestStage,
): Pick<Script, 'input' | 'agrees' | 'versions'> & {
  readonly gates: Pick<GatePorts, 'probe' | 'metrics'>;
} {
  const gates = gatesOf(readings, { nameOf, meet });
  // Fleets begin with endpoints that others have left in mid-roll. Most people want them; the others are refused.
  const takeOver = true as const;
  switch (asked?.kind) {
    case 'source':
      return {
        gates,
        input: { version: undefined, versionFrom: { endpoint: asked.endpoint }, takeOver },
      };
    case 'listed':
      return { gates, input: { version: asked.version, takeOver }, ...versionsOf(asked) };
    case 'by':
      return { gates, input: saidBy(asked) };
    case 'plan':
      return { gates, agrees: (stage) => agree(asked.since, policy, stage) };
    default:
      return { gates, input: { takeOver } };
  }
}

/** All other versions have been made long ago. Where the latest one is asked for, none is above. */
function versionsOf({
  version,
  state,
  seconds,
  isNewest,
}: Extract<Asked, { kind: 'listed' }>): Pick<Script, 'versions'> {
  if (state === 'secret') return {};
  const others = version === 'latest' || isNewest ? [1] : [1, 3, 4, 5, 6, 7, 8];
  const said = {
    ready: {},
    making: { madeAfterSeconds: seconds },
    unlisted: { listedAfterSeconds: seconds },
    failing: { madeAfterSeconds: seconds, fails: true },
  }[state];
  return { versions: [...others.map((other) => ({ version: other })), { version: 2, ...said }] };
}

function saidBy({
  who,
  askedAfter,
  service,
}: Extract<Asked, { kind: 'by' }>): NonNullable<Script['input']> {
  return {
    startedBy: { kind: who, name: 'ada', at: START + askedAfter * 1000 },
    ...(service !== null && {
      endpointUrl: `https://${service === 'ours' ? 'endpoints' : 'elsewhere'}.example.com`,
    }),
  };
}

/** Nobody else disturbs who only looks at a plan. */
async function agree(
  { kind, shownWith }: PlanChange,
  policy: Partial<RolloutPolicy>,
  stage: Stage,
): ReturnType<NonNullable<Script['agrees']>> {
  if (kind === 'mistyped') return { plan: null, fingerprint: '0123456789abcdef' };
  const input = {
    schemaVersion: 1,
    runtimeId: RUNTIME,
    version: kind === 'version' ? 3 : 2,
  } as const;
  const said = { ...scenarioService().policy, ...policy, ...shownWith };
  // The ledger fills in when the gates are asked.
  const shown = { ...said, verify: { ...WHOLE_POLICY.verify, ...said.verify } };
  // Whoever agrees may have written it down in another order.
  const settings = Object.entries(shown).toReversed();
  try {
    return await drawPlan(input, Object.fromEntries(settings) as typeof shown, stage.service());
  } catch {
    // There is no plan to agree to.
    return { plan: null, fingerprint: 'fedcba9876543210' };
  }
}

function gatesOf(
  readings: readonly GateFault[],
  { nameOf, meet }: RequestStage,
): Pick<GatePorts, 'probe' | 'metrics'> {
  const tries = new Map<string, number>();
  const answerOf = (fault: GateFault, url: string, probe: Probe): GateAnswer => {
    meet(nameOfReading(fault));
    if (fault.says === 'silent') return SILENCE;
    const key = `${secondsSinceStart()} ${url}`;
    const nth = (tries.get(key) ?? 0) + 1;
    tries.set(key, nth);
    return fault.says === 'flaky' && nth >= probe.tries ? YES : NO;
  };
  return {
    async probe(url, probe) {
      const name = nameOf(idInUrl(url));
      const fault = readings.find(
        (one) => one.gate === 'probe' && one.endpoint === name && isNow(one, scenarioTime()),
      );
      return fault === undefined ? YES : answerOf(fault, url, probe);
    },
    metrics: async (questions) => questions.map((question) => readMetric(question, readings, meet)),
  };
}

/** Each endpoint has a host of its own, which begins with its id. */
export function idInUrl(url: string): string {
  return new URL(url).hostname.split('.')[0] ?? '';
}

const YES: GateAnswer = { verdict: 'pass', detail: '200' };
const NO: GateAnswer = { verdict: 'fail', detail: '503' };
const SILENCE: GateAnswer = { verdict: 'unknown', detail: 'no answer' };

function readMetric(
  question: MetricQuestion,
  readings: readonly GateFault[],
  meet: (fault: string) => void,
): GateAnswer {
  const { rule, from, to } = question;
  const subject = rule.dimensions.Name ?? null;
  const now = secondsSinceStart();
  for (const fault of readings) {
    const isMet =
      isUnreadable([fault], now) || minutesOf([fault], subject, from, to).some(isFaulty);
    if (isMet) meet(nameOfReading(fault));
  }
  if (isUnreadable(readings, now)) return SILENCE;
  const minutes = minutesOf(readings, subject, from, to);
  const values = seriesOf(rule).map((series) => {
    const each = minutes.map((state) => valueIn(state, series));
    return periodsOf(each, series.statistic, rule.periodSeconds);
  });
  return judgeMetric(question, values);
}

/** CloudWatch has a value for each period that has data. */
function periodsOf(
  minutes: readonly (number | undefined)[],
  statistic: string,
  periodSeconds: number,
): number[] {
  const each = periodSeconds / 60;
  const count = Math.ceil(minutes.length / each);
  return Array.from({ length: count }, (_, index) =>
    minutes.slice(index * each, (index + 1) * each).filter((value) => value !== undefined),
  ).flatMap((values) => (values.length === 0 ? [] : [foldMinutes(values, statistic)]));
}

function foldMinutes(values: readonly number[], statistic: string): number {
  if (statistic === 'Sum' || statistic === 'SampleCount')
    return values.reduce((sum, value) => sum + value, 0);
  return statistic === 'Minimum' || statistic === 'p50' ? Math.min(...values) : Math.max(...values);
}
