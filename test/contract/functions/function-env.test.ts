import { expect, test } from '@jest/globals';
import { parseConfig } from '../../../lib/contract/config/config.ts';
import {
  type FunctionSettings,
  readFunctionEnv,
  writeFunctionEnv,
} from '../../../lib/contract/functions/environment.ts';
import { ErrorName } from '../../../lib/domain/errors.ts';
import { SECRET_ARN } from '../../support/secrets-manager.ts';
import { MACHINE_ARN } from '../../support/status-change.ts';

const { service } = parseConfig({
  endpointUrl: 'https://endpoints.example.com/runtime',
  auth: { kind: 'bearer', secret: { awsSecret: SECRET_ARN } },
  wire: { page: { endpoints: null } },
});
const SETTINGS: FunctionSettings = {
  service,
  network: { tls: { ca: { awsSecret: SECRET_ARN } }, allowHttp: ['*.svc.cluster.local'] },
  tableName: 'ledger',
  historyDays: 90,
  eventBusName: 'steproll',
  stackName: 'Steproll-prod',
  stateMachineArn: MACHINE_ARN,
  urls: { allowedOrigins: ['https://endpoints.example.com'] },
};
const KEYS = Object.keys(SETTINGS) as (keyof FunctionSettings)[];

test('a function reads what its deployment wrote, among variables of others', () => {
  const others = { AWS_REGION: 'eu-central-1', PATH: undefined };
  expect(readFunctionEnv({ ...others, ...writeFunctionEnv(SETTINGS) }, KEYS)).toEqual(SETTINGS);
});

test.each(KEYS)('%s is known to whom it is written, and only where it is asked for', (key) => {
  const written = writeFunctionEnv({ [key]: SETTINGS[key] });
  expect(Object.keys(written)).toHaveLength(1);
  expect(readFunctionEnv(written, [key])).toEqual({ [key]: SETTINGS[key] });
  expect(readFunctionEnv(written, [])).toEqual({});
});

test('every variable that is missing or wrong is named', () => {
  const written = {
    SERVICE: '{"kind":"rest","endpointUrl":"ftp://192.0.2.1","auth":{"kind":"basic"}}',
  };
  const read = () =>
    readFunctionEnv({ ...written, TABLE_NAME: '' }, ['service', 'tableName', 'eventBusName']);
  expect(read).toThrow(expect.objectContaining({ name: ErrorName.InvalidInput }));
  expect(read).toThrow(
    /5 mistakes:.*SERVICE\.endpointUrl.*SERVICE\.auth\.kind: "basic".*SERVICE\.wire.*TABLE_NAME.*EVENT_BUS_NAME/s,
  );
});

test.each(['', 'steproll', MACHINE_ARN.replace('stateMachine', 'execution'), `${MACHINE_ARN}:1`])(
  'the ARN %j is not that of a state machine',
  (stateMachineArn) => {
    const read = () => readFunctionEnv(writeFunctionEnv({ stateMachineArn }), ['stateMachineArn']);
    expect(read).toThrow(/STATE_MACHINE_ARN: .*use the ARN of a state machine/);
  },
);

test('what is no JSON is shown', () => {
  expect(() => readFunctionEnv({ SERVICE: '{' }, ['service'])).toThrow(/SERVICE: "{" .*use JSON/);
});
