import * as z from 'zod';
import { word } from '../contract/input/checks.ts';
import { listNames } from '../domain/endpoint/endpoint.ts';
import { answer, enforce, type Gate, type GateAnswer, IN_BAKE } from './gate.ts';

const watched = z.strictObject({ name: word.describe('Name of the alarm.'), enforce });

/** Names of CloudWatch alarms. */
const schema = z
  .array(z.union([word, watched]))
  .max(1_000)
  .default([])
  .describe('CloudWatch alarms that must be OK: names, or objects.');

type Alarm = z.output<typeof schema>[number];

export interface AlarmPort {
  /** Reads the CloudWatch alarm of this name. When there is no such alarm or no data, the answer is `unknown`. */
  alarm(name: string, signal?: AbortSignal): Promise<GateAnswer>;
}

export const alarms: Gate<typeof schema, AlarmPort, 'itself'> = {
  kind: 'alarm',
  of: 'itself',
  schema,
  answers: () => ['trial', 'start', ...IN_BAKE],
  ask: (alarms, { when }, port) =>
    Promise.all(
      alarms.map(nameOf).map(async (name) => {
        const answer = await port.alarm(name);
        const isThere = when === 'trial' && isRead(answer);
        return { name, ...answer, ...(isThere && { verdict: 'pass' }) };
      }),
    ),
  describe(alarms) {
    const names = alarms.map(nameOf);
    return [
      `${names.length === 1 ? 'The alarm' : 'Each alarm'} must be OK: ${listNames(names, MOST_NAMES)}`,
    ];
  },
  /**
   * The permission to describe composite alarms must be for all resources
   * (https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoncloudwatch.html).
   */
  needs: () => ({ grants: [{ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }] }),
  /** Every alarm is raised as long as an endpoint is sick. */
  rehearse: ({ sick }) => ({
    async alarm() {
      const isRaised = sick().length > 0;
      return answer(isRaised ? 'ALARM' : 'OK', !isRaised);
    },
  }),
};

const MOST_NAMES = 5;

function nameOf(alarm: Alarm): string {
  return typeof alarm === 'string' ? alarm : alarm.name;
}

/** Without data, the alarm is there and can be read. Traffic may bring its data. */
function isRead({ verdict, detail }: GateAnswer): boolean {
  return verdict !== 'unknown' || detail === 'INSUFFICIENT_DATA';
}
