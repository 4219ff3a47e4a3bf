import { type GateReading, listReadings } from '../../domain/rollout/gates.ts';
import type { RolloutPolicy, Verification } from '../../domain/rollout/policy.ts';
import { nameOfMetric, questionsAbout } from '../../domain/wave/metrics.ts';
import type { GateAnswer, Gates } from '../../ports/gates.ts';
import {
  LATELY_MS,
  unanswerableAlarms,
  unanswerableProbes,
  whatToMend,
} from '../../steps/opening/gates.ts';
import { endpointsInScope, NO_LIST, type Read } from './lists.ts';
import type { Check, Tried } from './tried.ts';

export function probeCheck(of: string, read: Read | undefined, policy: RolloutPolicy): Check[] {
  const { probe } = policy.verify;
  if (probe === null) return [];
  const about = { check: 'probe', of } as const;
  if (read === undefined || 'error' in read) {
    return [{ ...about, result: 'untried', message: NO_LIST }];
  }
  const { endpoints } = read;
  const planned = endpointsInScope(endpoints, policy).map(({ id }) => ({ endpointId: id }));
  const faults = unanswerableProbes({ endpoints: planned }, endpoints, policy);
  return faults.length === 0
    ? [{ ...about, result: 'ok', message: 'The host of each endpoint is in verify.probe.hosts.' }]
    : faults.map((message) => ({ ...about, result: 'fault', message }));
}

export async function alarmsCheck(
  of: string,
  verify: Pick<Verification, 'alarms'>,
  gates: Pick<Gates, 'alarm'>,
): Promise<Check[]> {
  if (verify.alarms.length === 0) return [];
  const about = { check: 'alarms', of } as const;
  const asked = verify.alarms.map(async (name) => ({ name, ...(await gates.alarm(name)) }));
  const answers = await Promise.all(asked);
  const faults = await unanswerableAlarms(verify, {
    alarm: async (name) => answers.find((answer) => answer.name === name) ?? gates.alarm(name),
  });
  const isRead = ({ verdict, detail }: GateAnswer) => verdict !== 'unknown' || detail === NO_DATA;
  const states = answers.filter(isRead).map(({ name, detail }) => `${name} is ${detail}`);
  const silent = answers
    .filter((answer) => !isRead(answer) && answer.mend === undefined)
    .map(({ name, detail }) => `${name}: ${detail}`);
  return [
    ...faults.map((message): Check => ({ ...about, result: 'fault', message })),
    ...(silent.length === 0
      ? []
      : [{ ...about, result: 'unknown', message: `${silent.join('; ')}.` } as const]),
    ...(states.length === 0
      ? []
      : [{ ...about, result: 'ok', message: `${states.join('; ')}.` } as const]),
  ];
}

/** The alarm is there and can be read. Traffic may bring its data. */
const NO_DATA = 'INSUFFICIENT_DATA';

/** A limit that no value breaks, because a value of today says nothing about the next version. */
const NO_LIMIT = { above: Number.POSITIVE_INFINITY };

export async function metricsCheck(
  of: string,
  read: Read | undefined,
  policy: RolloutPolicy,
  { gates, now }: Pick<Tried, 'gates' | 'now'>,
): Promise<Check[]> {
  if (policy.verify.metrics.length === 0) return [];
  const about = { check: 'metrics', of } as const;
  if (read === undefined || 'error' in read) {
    return [{ ...about, result: 'untried', message: NO_LIST }];
  }
  const endpoints = endpointsInScope(read.endpoints, policy);
  const names = endpoints.map(({ name, id }) => name ?? id);
  const desiredVersion = Math.max(1, ...endpoints.map(({ liveVersion }) => liveVersion ?? 1));
  const questions = policy.verify.metrics.flatMap((rule) =>
    questionsAbout(
      { ...rule, limit: NO_LIMIT },
      { runtimeId: of, desiredVersion },
      names,
      now - LATELY_MS,
      now,
    ),
  );
  const answers = await gates.metrics(questions);
  const readings = questions.flatMap((question, index): GateReading[] => {
    const answer = answers[index];
    if (answer === undefined || answer.mend !== undefined) return [];
    return [{ kind: 'metric', name: nameOfMetric(question), ...answer }];
  });
  const faults = whatToMend('verify.metrics', questions.map(nameOfMetric), answers);
  const isRead = ({ verdict }: GateReading) => verdict === 'pass';
  const silent = readings.filter((reading) => !isRead(reading));
  const said = readings.filter(isRead);
  return [
    ...faults.map((message): Check => ({ ...about, result: 'fault', message })),
    ...(silent.length === 0
      ? []
      : [{ ...about, result: 'unknown', message: `${listReadings(silent)}.` } as const]),
    ...(said.length === 0
      ? []
      : [{ ...about, result: 'ok', message: `${listReadings(said)}.` } as const]),
  ];
}
