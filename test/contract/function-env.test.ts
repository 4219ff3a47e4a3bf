import { expect, test } from '@jest/globals';
import { parseConfig } from '../../lib/contract/config.ts';
import {
  readJanitorEnv,
  readServiceEnv,
  readStepEnv,
  writeJanitorEnv,
  writeServiceEnv,
  writeStepEnv,
} from '../../lib/contract/function-env.ts';
import { ErrorName } from '../../lib/domain/errors.ts';
import { SECRET_ARN } from '../support/secrets-manager.ts';
import { MACHINE_ARN } from '../support/status-change.ts';

const config = parseConfig({
  endpointUrl: 'https://endpoints.example.com/runtime',
  auth: { kind: 'bearer', secret: { awsSecret: SECRET_ARN } },
  policy: { bakeSeconds: 60 },
  wire: { page: { endpoints: null } },
});
const { endpointUrl, auth, wire } = config;
const settings = { ...config, tableName: 'ledger', eventBusName: 'steproll' };

test('a function reads what its deployment wrote, among variables of others', () => {
  const others = { AWS_REGION: 'eu-central-1', PATH: undefined };
  const service = readServiceEnv({ ...others, ...writeServiceEnv(config) });
  expect(service).toEqual({ endpointUrl, auth, wire });
  expect(readStepEnv({ ...others, ...writeStepEnv(settings) })).toEqual(settings);
});

test('a function that only calls the service knows neither ledger nor policy', () => {
  expect(Object.keys(writeServiceEnv(config))).toEqual(['ENDPOINT_URL', 'AUTH', 'WIRE']);
});

test('every variable that is missing or wrong is named', () => {
  const read = () =>
    readStepEnv({
      ENDPOINT_URL: 'http://192.0.2.1',
      AUTH: '{"kind":"basic"}',
      WIRE: '{',
      TABLE_NAME: '',
    });
  expect(read).toThrow(expect.objectContaining({ name: ErrorName.InvalidInput }));
  expect(read).toThrow(
    /6 mistakes:.*ENDPOINT_URL.*AUTH\.kind: "basic".*WIRE: .*use JSON.*TABLE_NAME.*EVENT_BUS_NAME.*POLICIES/s,
  );
});

test('the janitor knows the table and the state machine, and no service', () => {
  const janitor = { tableName: 'ledger', eventBusName: 'steproll', stateMachineArn: MACHINE_ARN };
  const written = writeJanitorEnv(janitor);
  expect(Object.keys(written)).toEqual(['TABLE_NAME', 'EVENT_BUS_NAME', 'STATE_MACHINE_ARN']);
  expect(readJanitorEnv({ ...written, PATH: '/' })).toEqual(janitor);
});

test.each(['', 'steproll', MACHINE_ARN.replace('stateMachine', 'execution'), `${MACHINE_ARN}:1`])(
  'the ARN %j is not that of a state machine',
  (stateMachineArn) => {
    const read = () =>
      readJanitorEnv(
        writeJanitorEnv({ tableName: 'ledger', eventBusName: 'steproll', stateMachineArn }),
      );
    expect(read).toThrow(/STATE_MACHINE_ARN: .*use the ARN of a state machine/);
  },
);
