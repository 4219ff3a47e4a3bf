import * as z from 'zod';
import { word } from '../contract/parsing/checks.ts';
import { listNames } from '../domain/endpoint/endpoint.ts';
import {
  answer,
  enforce,
  type GateAnswer,
  type NamedAnswer,
  tried,
  type WaveGate,
} from './gate.ts';

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

export const alarms: WaveGate<typeof schema, AlarmPort, 'itself'> = {
  kind: 'alarm',
  of: 'itself',
  schema,
  ask: (alarms, _, port) => read(alarms, port),
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
  grants: () => [{ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }],
  async tryOut(alarms, _, port) {
    const tell = (told: readonly NamedAnswer[]) =>
      told.map((one) => `${one.name}${isRead(one) ? ' is' : ':'} ${one.detail}`).join('; ');
    return tried('alarms', await read(alarms, port), tell, isRead);
  },
  before: { part: (alarms) => alarms, ask: (alarms, _, port) => read(alarms, port) },
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

function read(alarms: readonly Alarm[], port: AlarmPort): Promise<NamedAnswer[]> {
  return Promise.all(
    alarms.map(nameOf).map(async (name) => ({ name, ...(await port.alarm(name)) })),
  );
}

/** Without data, the alarm is there and can be read. Traffic may bring its data. */
function isRead({ verdict, detail }: GateAnswer): boolean {
  return verdict !== 'unknown' || detail === 'INSUFFICIENT_DATA';
}
