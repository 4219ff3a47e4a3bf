import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { answer, type GateAnswer, silent } from '../../gates/gate.ts';
import type { GatePorts } from '../../gates/gates.ts';
import { AWS_TIMEOUTS } from '../aws/timeouts.ts';
import { silenceOf } from './silence.ts';

/** Reads alarms by name: only OK passes. Never throws. @param client @default - one for this account and region */
export function createAlarmReader(
  client: CloudWatchClient = new CloudWatchClient({ requestHandler: AWS_TIMEOUTS }),
): GatePorts['alarm'] {
  return async (name, signal) => {
    try {
      return answerOf(await readState(client, name, signal), await client.config.region());
    } catch (error) {
      return silenceOf(error);
    }
  };
}

async function readState(
  client: CloudWatchClient,
  name: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const { MetricAlarms = [], CompositeAlarms = [] } = await client.send(
    // Without this, the call shows only metric alarms.
    new DescribeAlarmsCommand({
      AlarmNames: [name],
      AlarmTypes: ['MetricAlarm', 'CompositeAlarm'],
    }),
    signal && { abortSignal: signal },
  );
  const alarm = [...MetricAlarms, ...CompositeAlarms].find(({ AlarmName }) => AlarmName === name);
  return alarm?.StateValue;
}

function answerOf(state: string | undefined, region: string): GateAnswer {
  if (state === undefined) {
    const mend = 'Create it there, or correct its name, the region or the account.';
    return silent(`no such alarm in ${region}`, mend);
  }
  return state === 'OK' || state === 'ALARM' ? answer(state, state === 'OK') : silent(state);
}
