import * as z from 'zod';
import type { RolloutRequest } from '../domain/rollout/request.ts';
import { answer, type GateAnswer } from './gate.ts';

// What is the same for all gates that read numbers and hold them against a limit.

interface Limit {
  readonly above?: number;
  readonly below?: number;
}

/** Holds a value against its limit: beyond it is a no. @param said The value, for people. */
export function judgeValue(value: number, said: string, limit: Limit): GateAnswer {
  const { above, below = Number.NaN } = limit;
  const isBeyond = above === undefined ? value < below : value > above;
  // Who tries a configuration wants the value, whatever the limit is.
  if (above === Number.POSITIVE_INFINITY) return answer(said, true);
  return answer(`${said}, ${isBeyond ? '' : 'not '}${describeLimit(limit)}`, !isBeyond);
}

function describeLimit({ above, below }: Limit): string {
  return above === undefined ? `below ${below}` : `above ${above}`;
}

export const noDataSchema = z.enum(['wait', 'pass', 'fail']).default('wait');
type NoData = z.output<typeof noDataSchema>;

/** The answer when there are no data. Before the end of the bake, some may yet come. */
export function answerWithout(detail: string, noData: NoData, hasBaked: boolean): GateAnswer {
  const isNone = noData === 'wait' || (noData === 'fail' && !hasBaked);
  return { verdict: isNone ? 'unknown' : noData, detail };
}

/** So few say nothing yet, whatever they say: only the end of the bake may count that as something. */
export function answerOnFew(detail: string, noData: NoData, hasBaked: boolean): GateAnswer {
  return answerWithout(detail, hasBaked ? noData : 'wait', hasBaked);
}

/** A line of a plan. @param what What is asked. @param where And where. */
export function describeRule(
  what: string,
  isOfEach: boolean,
  limit: Limit,
  where: string,
  noData: NoData,
  atLeast?: number,
): string {
  const whose = isOfEach ? ' of each endpoint' : '';
  const silence = noData === 'wait' ? '' : `; no data is a ${noData === 'pass' ? 'yes' : 'no'}`;
  const few = atLeast === undefined ? '' : `; fewer than ${atLeast} are no answer`;
  return `${what}${whose} must not be ${describeLimit(limit)} (${where}${few}${silence})`;
}

/** Amazon Bedrock AgentCore makes the id of a runtime from its name, and publishes metrics under the name. */
const AGENTCORE_SUFFIX = /-[a-zA-Z0-9]{10}$/;

/** What placeholders stand for. @param endpoint Its name. `null`: a single endpoint is not asked about. */
export function placeholdersFor(
  { runtimeId, desiredVersion }: Pick<RolloutRequest, 'runtimeId' | 'desiredVersion'>,
  endpoint: string | null,
): Readonly<Record<string, string>> {
  return {
    '{runtime}': runtimeId,
    '{runtimeName}': runtimeId.replace(AGENTCORE_SUFFIX, ''),
    '{version}': String(desiredVersion),
    '{endpoint}': endpoint ?? '',
  };
}
