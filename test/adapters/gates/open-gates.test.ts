import { beforeEach, expect, jest, test } from '@jest/globals';
import { metricRule } from '../../domain/examples.ts';
import { startHttpServer } from '../http/fault-server.ts';

const clients: object[] = [];
let isSdkLoaded = false;

beforeEach(() => {
  jest.resetModules();
  clients.length = 0;
  isSdkLoaded = false;
  jest.unstable_mockModule('@aws-sdk/client-cloudwatch', () => {
    isSdkLoaded = true;
    return {
      CloudWatchClient: class {
        config = { region: async () => 'eu-west-1' };
        constructor(options: object) {
          clients.push(options);
        }
        send() {
          return Promise.resolve({ MetricAlarms: [{ AlarmName: 'errors', StateValue: 'OK' }] });
        }
      },
      DescribeAlarmsCommand: class {},
      paginateGetMetricData: () => [
        { MetricDataResults: [{ Id: 'q0', StatusCode: 'Complete', Values: [3, 4] }] },
      ],
    };
  });
});

async function openGates() {
  return (await import('../../../lib/adapters/gates/gates.ts')).openGates();
}

test('a probe asks the endpoint, without the AWS SDK', async () => {
  const server = await startHttpServer((_request, response) => response.end());
  const gates = await openGates();
  const probe = {
    path: '/',
    status: 200,
    tries: 1,
    timeoutSeconds: 30,
    hosts: ['127.0.0.1'],
    privateNetwork: false,
  };

  expect(await gates.probe(server.url, probe)).toEqual({ verdict: 'pass', detail: '200' });
  expect(isSdkLoaded).toBe(false);
});

test('the first alarms load the AWS SDK, and share one client that does not wait for ever', async () => {
  const gates = await openGates();
  expect(isSdkLoaded).toBe(false);

  const answers = await Promise.all([gates.alarm('errors'), gates.alarm('latency')]);

  expect(answers).toEqual([
    { verdict: 'pass', detail: 'OK' },
    { verdict: 'unknown', detail: 'no such alarm in eu-west-1', mend: expect.any(String) },
  ]);
  expect(clients).toEqual([
    {
      requestHandler: expect.objectContaining({
        connectionTimeout: 2_000,
        requestTimeout: 5_000,
        throwOnRequestTimeout: true,
      }),
    },
  ]);
});

test('the first metrics do the same', async () => {
  const gates = await openGates();
  const question = { rule: metricRule(), endpoint: 'web-1', from: 0, to: 60_000, hasBaked: true };

  const answers = await Promise.all([gates.metrics([question]), gates.metrics([question])]);

  expect(answers.flat().map(({ verdict }) => verdict)).toEqual(['fail', 'fail']);
  expect(clients).toEqual([{ requestHandler: expect.objectContaining({ requestTimeout: 5_000 }) }]);
});
