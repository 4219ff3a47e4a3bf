import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import type { GateAnswer } from '../../gates/gate.ts';
import type { GatePorts } from '../../gates/gates.ts';
import { AWS_TIMEOUTS } from '../aws/timeouts.ts';
import { silenceOf } from './silence.ts';

/** Reads alarms by name: only OK passes. Never throws. @param client @default - one for this account and region */
export function createAlarmReader(
  client: CloudWatchClient = new CloudWatchClient({ requestHandler: AWS_TIMEOUTS }),
): GatePorts['alarm'] {
  return async (name) => {
    try {
      return answerOf(await readState(client, name), await client.config.region());
    } catch (error) {
      return silenceOf(error);
    }
  };
}

async function readState(client: CloudWatchClient, name: string): Promise<string | undefined> {
  const { MetricAlarms = [], CompositeAlarms = [] } = await client.send(
    // Without this, the call shows only metric alarms.
    new DescribeAlarmsCommand({
      AlarmNames: [name],
      AlarmTypes: ['MetricAlarm', 'CompositeAlarm'],
    }),
  );
  const alarm = [...MetricAlarms, ...CompositeAlarms].find(({ AlarmName }) => AlarmName === name);
  return alarm?.StateValue;
}

function answerOf(state: string | undefined, region: string): GateAnswer {
  switch (state) {
    case 'OK':
      return { verdict: 'pass', detail: state };
    case 'ALARM':
      return { verdict: 'fail', detail: state };
    case undefined:
      return {
        verdict: 'unknown',
        detail: `no such alarm in ${region}`,
        mend: 'Create it there, or correct its name, the region or the account.',
      };
    default:
      return { verdict: 'unknown', detail: state };
  }
}
