import type { MetricQuestion, MetricRule } from '../../../../lib/gates/metric-rule.ts';
import { isList } from '../../../../lib/rehearsal/calls.ts';
import { letGoIn } from '../../../support/read-evidence.ts';
import type { GateCall, ScenarioResult } from '../../../support/run-scenario.ts';
import { RUNTIME } from '../../../support/run-scenario.ts';
import { START } from '../../../support/scenario-time.ts';
import { isUnreadable, type Minute, minutesOf } from '../metric-world.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';
import { isAnyPromoted } from './promotions.ts';

/** The time that is looked at is made of whole periods, from the first one after the convergence to the last one in. */
export function metricsHaveTheirTime(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { calls, record } = run;
  // A step that died may have asked before it told that the wave has converged.
  if (!isSteady(ordeal)) return [];
  const reads = calls.filter(isList);
  const converged = (record?.events ?? []).filter(
    (event) => event.kind === 'wave-converged' && event.direction === 'forward',
  );
  const bakes = record?.plan?.waves.map(({ bakeSeconds }) => bakeSeconds) ?? [];
  const shortestBakeMs = 1000 * Math.min(...bakes);
  return metricsOf(run).flatMap(({ at, question }) => {
    const { rule, from, to } = question;
    const periodMs = rule.periodSeconds * 1000;
    const since = converged.findLast((event) => event.at <= at)?.at ?? 0;
    const readAt = reads.findLast((read) => read.at <= at)?.at ?? 0;
    const first = Math.ceil(since / periodMs) * periodMs;
    const last = Math.floor((readAt - rule.delaySeconds * 1000) / periodMs) * periodMs;
    const isEarly = question.hasBaked && at - since < shortestBakeMs && !isAnyPromoted(record);
    return from === first && to === last && to > from && !isEarly
      ? []
      : [`a metric was read from ${from} to ${to}, and not from ${first} to ${last}`];
  });
}

/**
 * Once a clock is right again that was an hour ahead when its wave converged, a metric is about all that was watched of
 * the wave, but for the wait in which the clock went back.
 */
export function watchedIsMeasured(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { clock, death, stall, lists, guises, people, broken, latencyMs } = ordeal;
  const ills = [lists, guises, people, broken].flat().length;
  const isElse = death !== null || stall !== null || ordeal.undo !== null || ordeal.cannotStop;
  const { record, calls, seconds } = run;
  const [wave, ...others] = record?.plan?.waves ?? [];
  if (clock === null || isElse || ills + ordeal.badReleases + others.length > 0) return [];
  const told = record?.events.find(({ kind }) => kind === 'wave-converged')?.at ?? 0;
  const isAhead = told - START >= clock.offsetMs && seconds * 1000 < clock.offsetMs;
  if (wave === undefined || clock.offsetMs < 0 || !isAhead) return [];
  const convergedAt = told - clock.offsetMs;
  const rightFrom = START + (clock.fromSecond + clock.seconds) * 1000;
  const reads = calls.filter(isList).filter(({ at }) => at > convergedAt);
  const first = reads.findIndex(({ at }) => at >= rightFrom);
  const looks = [convergedAt, ...reads.slice(0, first + 1).map(({ at }) => at)];
  // After the bake, something may have given a reason to doubt, and that is counted in another way.
  if (first < 0 || Number(looks.at(-1)) - convergedAt > wave.bakeSeconds * 1000) return [];
  const waits = looks.slice(1).map((at, index) => at - Number(looks[index]));
  // What a look takes is no part of a bake.
  const latest = convergedAt + Math.max(...waits) + waits.length * (2 * latencyMs + 1000);
  return metricsOf(run).flatMap(({ at, question: { rule, from } }) => {
    const periodMs = rule.periodSeconds * 1000;
    const since = Math.ceil(latest / periodMs) * periodMs;
    return at >= rightFrom && from > since
      ? [`a metric was read from ${from} on, and the wave was watched from ${since} on`]
      : [];
  });
}

/** Also when a process has died in between, the time begins with the convergence that was told. */
export function metricsBeginWhenTold(
  { death, stall, clock }: Pick<Ordeal, 'death' | 'stall' | 'clock'>,
  run: ScenarioResult,
): string[] {
  if (death?.since !== 'wave-converged' || stall !== null || clock !== null) return [];
  const converged = (run.record?.events ?? []).filter(({ kind }) => kind === 'wave-converged');
  const [told] = converged;
  if (told === undefined) return [];
  return metricsOf(run).flatMap(({ at, question: { rule, from } }) => {
    // A later wave may have converged before the step died that was to tell so.
    if (converged.findLast((event) => event.at <= at) !== told) return [];
    const periodMs = rule.periodSeconds * 1000;
    const first = Math.ceil(told.at / periodMs) * periodMs;
    return from === first ? [] : [`a metric was read from ${from}, and not from ${first}`];
  });
}

/** Every endpoint of the wave is asked about by its name, and the whole wave once. */
export function metricsAreOfTheWave(_: Ordeal, run: ScenarioResult): string[] {
  // The latest version may be another one than the one that is rolled to otherwise.
  const version = String(run.record?.request.desiredVersion);
  return metricsOf(run).flatMap(({ question: { rule, endpoint } }) => {
    const { Runtime, Version, Name } = rule.dimensions;
    const isOne = Name === undefined ? endpoint === null : Name === endpoint && endpoint !== null;
    const isRight = Runtime === RUNTIME && [undefined, version].includes(Version) && isOne;
    return isRight ? [] : [`a metric was asked for ${JSON.stringify(rule.dimensions)}`];
  });
}

/** Where one rule asks about each endpoint, all of the wave are asked about, and none that did not get there. */
export function everyoneIsMeasured(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record, calls } = run;
  if (record?.plan == null || !isSteady(ordeal) || ordeal.policy.statuses !== undefined) return [];
  const { plan, events, request } = record;
  const ofEach = metricsOf(run).filter(({ question }) => question.endpoint !== null);
  const looks = Map.groupBy(
    ofEach,
    ({ at, question }) => `${at} ${JSON.stringify(named(question))}`,
  );
  const { broken, lists, people, writes, guises } = ordeal;
  const isHale = [broken, lists, people, writes, guises].every((ills) => ills.length === 0);
  return [...looks.values()].flatMap((asked) => {
    const at = asked[0]?.at ?? 0;
    const read = calls.filter(isList).findLast((call) => call.at <= at && call.endpoints !== null);
    const about = asked.map(({ question }) => question.endpoint);
    const away = (read?.endpoints ?? []).filter(
      ({ name, liveVersion }) =>
        about.includes(name) && ![null, request.desiredVersion].includes(liveVersion),
    );
    const wave = events.findLast((one) => one.kind === 'wave-converged' && one.at <= at);
    const { from = 0, to = 0 } =
      plan.waves[wave?.kind === 'wave-converged' ? wave.wave - 1 : -1] ?? {};
    const letGo = letGoIn(record);
    const left = plan.endpoints
      .slice(from, to)
      .filter(({ name, endpointId }) => !about.includes(name) && !letGo.has(endpointId));
    return [
      ...away.map(({ name }) => `a metric was asked for ${name}, which did not get there`),
      ...(isHale ? left.map(({ name }) => `no metric was asked for ${name}`) : []),
    ];
  });
}

/** A question without the endpoint that it is about. */
function named({ rule }: MetricQuestion): object {
  return { ...rule, dimensions: { ...rule.dimensions, Name: '' } };
}

/** The answer is what the minutes were. */
export function metricsAreJudged({ readings }: Ordeal, run: ScenarioResult): string[] {
  return metricsOf(run).flatMap(({ at, verdict, question }) => {
    const { rule, from, to } = question;
    const isSilent = isUnreadable(readings, (at - START) / 1000);
    const minutes = minutesOf(readings, rule.dimensions.Name ?? null, from, to);
    const expected = isSilent ? 'unknown' : verdictOn(question, minutes);
    return verdict === expected
      ? []
      : [`${rule.metric}, ${rule.statistic} was ${minutes}, and that was a ${verdict}`];
  });
}

function metricsOf({ gates }: ScenarioResult): readonly Asked[] {
  return gates.flatMap(({ asked, ...call }) =>
    typeof asked === 'string' ? [] : [{ ...call, question: asked }],
  );
}

interface Asked extends Omit<GateCall, 'asked'> {
  readonly question: MetricQuestion;
}

const SAYS = { wait: 'unknown', pass: 'pass', fail: 'fail' } as const;

/** What the docs say of so many good and bad minutes, worked out in another way than the product does. */
function verdictOn(
  { rule, hasBaked }: MetricQuestion,
  minutes: readonly Minute[],
): GateCall['verdict'] {
  const bad = minutes.filter((minute) => minute === 'bad').length;
  const known = minutes.filter((minute) => minute !== 'silent').length;
  const verdict =
    known === 0
      ? SAYS[rule.per?.noData ?? rule.noData]
      : isTooBad(rule, bad, known)
        ? 'fail'
        : 'pass';
  return verdict === 'fail' && !hasBaked && mayMend(rule, known) ? 'unknown' : verdict;
}

/** What is a no so far, and could be a yes at the end of the bake. */
function mayMend({ per, statistic, limit }: MetricRule, known: number): boolean {
  if (known === 0) return true;
  const rises = ['Maximum', 'Sum', 'SampleCount'].includes(statistic);
  return per === null && ('below' in limit ? rises : statistic === 'Minimum');
}

/** So many bad minutes, of so many with data. */
function isTooBad(
  { per, metric, statistic, limit }: MetricRule,
  bad: number,
  known: number,
): boolean {
  // Seen from the other side of its limit, the value that counts is that of a bad minute, which is then a yes.
  if (statistic === ('above' in limit ? 'Minimum' : 'Maximum')) return bad === 0;
  if (metric === 'Calls') return 'below' in limit && 100 * known < limit.below;
  if (metric === 'Latency' && statistic === 'Average') return 4 * bad > 0.1 * known;
  if (metric !== 'Errors') return bad > 0;
  const errors = 30 * (statistic === 'Maximum' ? Math.min(1, bad) : bad);
  return (per === null ? errors : errors / (100 * known)) > ('above' in limit ? limit.above : 0);
}
