import { words } from '../contract/parsing/checks.ts';
import { listNames } from '../domain/endpoint/endpoint.ts';
import { answer, type GateAnswer, type LoneGate, type NamedAnswer, whatToMend } from './gate.ts';

/** Names of CloudWatch alarms. */
const schema = words.default([]).describe('CloudWatch alarms that must be OK.');

export interface AlarmPort {
  /** Reads the CloudWatch alarm of this name. When there is no such alarm or no data, the answer is `unknown`. */
  alarm(name: string): Promise<GateAnswer>;
}

export const alarms: LoneGate<typeof schema, AlarmPort> = {
  kind: 'alarm',
  of: 'itself',
  schema,
  ask: (names, _, port) => read(names, port),
  describe(names) {
    return [
      `${names.length === 1 ? 'The alarm' : 'Each alarm'} must be OK: ${listNames(names, MOST_NAMES)}`,
    ];
  },
  /**
   * The permission to describe composite alarms must be for all resources
   * (https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoncloudwatch.html).
   */
  grants: () => [{ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }],
  async tryOut(names, _, port) {
    const answers = await read(names, port);
    const states = answers.filter(isRead).map(({ name, detail }) => `${name} is ${detail}`);
    const silent = answers
      .filter((answer) => !isRead(answer) && answer.mend === undefined)
      .map(({ name, detail }) => `${name}: ${detail}`);
    return {
      faults: whatToMend('alarms', answers),
      silent: silent.join('; ') || undefined,
      found: states.join('; ') || undefined,
    };
  },
  before: { isAsked: () => true, ask: (names, _, port) => read(names, port) },
  /** Every alarm is raised as long as an endpoint is sick. */
  rehearse: ({ sick }) => ({
    async alarm() {
      const isRaised = sick().length > 0;
      return answer(isRaised ? 'ALARM' : 'OK', !isRaised);
    },
  }),
};

const MOST_NAMES = 5;

function read(names: readonly string[], port: AlarmPort): Promise<NamedAnswer[]> {
  return Promise.all(names.map(async (name) => ({ name, ...(await port.alarm(name)) })));
}

/** Without data, the alarm is there and can be read. Traffic may bring its data. */
function isRead({ verdict, detail }: GateAnswer): boolean {
  return verdict !== 'unknown' || detail === 'INSUFFICIENT_DATA';
}
